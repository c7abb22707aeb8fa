"""When the database is out of reach: how it shows, and what the caller is told."""

import asyncpg

from gaji.core.errors import Unavailable


def out_of_reach() -> Unavailable:
    """The refusal while the database restarts or cannot be reached."""
    return Unavailable("The database is restarting or out of reach; please try again shortly")


def is_unreachable(error: BaseException) -> bool:
    """Whether this is what asyncpg raises when the server is restarting, gone, or has no connection to give."""
    if isinstance(error, asyncpg.InterfaceError):
        # The same class also tells of mistakes in our own calls, which must not look like an outage.
        return "clos" in str(error)
    return isinstance(
        error,
        asyncpg.PostgresConnectionError
        | asyncpg.CannotConnectNowError
        | asyncpg.ObjectNotInPrerequisiteStateError  # the database was told to take no connections
        | asyncpg.AdminShutdownError
        | asyncpg.CrashShutdownError
        | asyncpg.TooManyConnectionsError
        | asyncpg.InternalClientError  # the server's last word came while nothing was being asked
        | ConnectionError
        | FileNotFoundError
        | TimeoutError,
    )
