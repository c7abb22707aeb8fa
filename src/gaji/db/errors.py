"""Detect and report lost database connections."""

import asyncpg

from gaji.core.errors import Unavailable


def database_unavailable() -> Unavailable:
    """Return the error for a database that is restarting or unreachable."""
    return Unavailable("The database is restarting or unreachable; try again shortly")


def is_connection_error(error: BaseException) -> bool:
    """Return whether asyncpg raised this because the server is restarting, gone, or out of connections."""
    if isinstance(error, asyncpg.InterfaceError):
        # The same class reports programming errors, which must not look like an outage.
        return "clos" in str(error)
    return isinstance(
        error,
        asyncpg.PostgresConnectionError
        | asyncpg.CannotConnectNowError
        | asyncpg.ObjectNotInPrerequisiteStateError  # the database does not accept connections
        | asyncpg.AdminShutdownError
        | asyncpg.CrashShutdownError
        | asyncpg.TooManyConnectionsError
        | asyncpg.InternalClientError  # the server closed the connection between two statements
        | ConnectionError
        | FileNotFoundError
        | TimeoutError,
    )
