"""The one way in which the embedded server says no."""


class EmbeddedServerError(Exception):
    """The embedded PostgreSQL cannot do what was asked; the message tells a person why and what to do."""
