"""Single sign-on of an account with OpenID Connect."""
