"""Errors of the embedded server."""


class EmbeddedServerError(Exception):
    """The embedded PostgreSQL cannot be used. The message says why and what to do."""
