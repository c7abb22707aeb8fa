"""Detect and report a database that is unreachable or accepts no changes."""

import asyncpg

from gaji.core.errors import Unavailable

DISK_FULL = "The disk of the database is full; no changes can be saved"


def database_unavailable() -> Unavailable:
    """Return the error for a database that is restarting or unreachable."""
    return Unavailable("The database is restarting or unreachable; try again shortly")


def as_unavailable(error: BaseException) -> Unavailable | None:
    """Return the error to report if the database is the cause, or None."""
    if isinstance(error, asyncpg.DiskFullError):
        return Unavailable(DISK_FULL)
    if isinstance(error, asyncpg.PostgresIOError):
        return Unavailable("The database cannot read or write its disk; the operator must repair it")
    if isinstance(error, asyncpg.ReadOnlySQLTransactionError):
        return Unavailable("The database is read-only at the moment; try again shortly")
    return database_unavailable() if is_connection_error(error) else None


def is_connection_error(error: BaseException) -> bool:
    """Return whether asyncpg raised this because the server is restarting, gone, read-only or out of connections."""
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
        | asyncpg.ReadOnlySQLTransactionError  # the server is a standby since a switchover
        | asyncpg.InternalClientError  # the server closed the connection between two statements
        | ConnectionError
        | FileNotFoundError
        | TimeoutError,
    )
