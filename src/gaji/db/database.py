"""Where the database is: embedded in the data folder, or at the operator's address.

Either way two roles are kept apart: gaji_owner owns the tables and changes their shape, gaji_app does the daily work
and is held by row-level security. Embedded, each has its own login. At an operator's address there is one login, which
takes on the one role or the other for the length of a connection.
"""

import contextlib
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

import asyncpg

from gaji.core.settings import Settings
from gaji.db.embedded import EmbeddedServer

SCHEMA = "gaji"
OWNER = "gaji_owner"
APPLICATION = "gaji_app"
TIME_ZONE = "Asia/Singapore"

Arguments = dict[str, Any]
"""Keyword arguments of asyncpg.connect."""


@dataclass(frozen=True)
class Database:
    """How to connect, as the application and as the owner."""

    application: Arguments
    owner: Arguments
    login: Arguments | None
    """The operator's login, which creates the two roles where they are missing; embedded, they are there."""

    def as_application(self, program: str) -> Arguments:
        """Arguments for the daily work; `program` is the name that shows in the server's list of sessions."""
        return _named(self.application, program)

    @contextlib.asynccontextmanager
    async def owner_connection(self) -> AsyncIterator[asyncpg.Connection]:
        """One connection as the owner, for migrations and the commands of an operator."""
        connection = await asyncpg.connect(**_named(self.owner, "gaji maintenance"))
        try:
            yield connection
        finally:
            await connection.close()

    @contextlib.asynccontextmanager
    async def maintenance(self, actor: str = "command line") -> AsyncIterator[asyncpg.Connection]:
        """One transaction as the owner that sees the rows of every tenant; what it changes is audited as `actor`."""
        async with self.owner_connection() as connection, connection.transaction():
            await connection.execute(
                "SELECT set_config('gaji.maintenance', 'on', true), set_config('gaji.actor', $1, true)", actor
            )
            yield connection


def locate(settings: Settings) -> Database:
    """The database of these settings, which need not be running."""
    if settings.database_url is None:
        server = EmbeddedServer(settings.data)
        return Database(
            application=_connection(server.connection(APPLICATION)),
            owner=_connection(server.connection(OWNER)),
            login=None,
        )
    return Database(
        application=_connection({"dsn": settings.database_url}, role=APPLICATION),
        owner=_connection({"dsn": settings.database_url}, role=OWNER),
        login=_connection({"dsn": settings.database_url}),
    )


@contextlib.contextmanager
def running(settings: Settings) -> Iterator[tuple[Database, EmbeddedServer | None]]:
    """The database, up for as long as the block lasts; with the embedded server where it is ours."""
    if settings.database_url is not None:
        yield locate(settings), None
        return
    with EmbeddedServer(settings.data) as server:
        yield locate(settings), server


def _connection(arguments: Arguments, role: str | None = None) -> Arguments:
    server_settings = {"search_path": SCHEMA, "timezone": TIME_ZONE}
    if role is not None:
        server_settings["role"] = role
    return {**arguments, "server_settings": server_settings, "timeout": 10}


def _named(arguments: Arguments, program: str) -> Arguments:
    return {
        **arguments,
        "server_settings": {**arguments["server_settings"], "application_name": program},
    }
