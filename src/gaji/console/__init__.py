"""The web console: server-rendered pages on the same services as the API."""
