"""Sign-in, invitations and two-step sign-in."""
