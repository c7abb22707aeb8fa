"""The location of the database: embedded in the data folder, or at the operator's URL.

There are always two roles: gaji_owner owns the tables and migrates them; gaji_app serves requests and is subject to
row-level security. In the embedded server each role has its own login. An operator's URL has one login, which assumes
one of the two roles for each connection. Requests and tasks can be connected through PgBouncer; everything else needs
sessions of its own and a direct connection.
"""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

import asyncpg

from gaji.core.settings import Settings
from gaji.core.system_operator import operator_name
from gaji.db.connect import HOST_TIMEOUT_S, ConnectArguments, PooledConnection, connect
from gaji.db.embedded import EmbeddedServer

SCHEMA = "gaji"
OWNER = "gaji_owner"
APPLICATION = "gaji_app"
COMMAND_LINE = "command line"
"""The source of changes by commands, in the audit log. The name of the operator follows."""
TIME_ZONE = "Asia/Singapore"


@dataclass(frozen=True)
class Database:
    """How to connect as the application and as the owner."""

    application: ConnectArguments
    owner: ConnectArguments
    login: ConnectArguments | None
    """The operator's login, which creates missing roles. None for the embedded server."""
    pooled: ConnectArguments | None = None
    """How to connect as the application through PgBouncer, if it is used."""
    replica: ConnectArguments | None = None
    """How to connect to a replica as the application, if there is one."""

    def as_application(self, program: str) -> ConnectArguments:
        """Return connection arguments for gaji_app. `program` is the name in the server's list of sessions."""
        return _with_program(self.application, program)

    def for_transactions(self, program: str) -> ConnectArguments:
        """Return connection arguments for gaji_app, for use within transactions only."""
        return _with_program(self.pooled or self.application, program)

    def at_replica(self, program: str) -> ConnectArguments | None:
        """Return connection arguments for gaji_app at the replica, if there is one."""
        return _with_program(self.replica, program) if self.replica is not None else None

    @contextlib.asynccontextmanager
    async def owner_connection(self) -> AsyncIterator[asyncpg.Connection]:
        """Open a connection as the owner, for migrations and commands of an operator."""
        connection = await connect(_with_program(self.owner, "gaji maintenance"))
        try:
            yield connection
        finally:
            await connection.close()

    @contextlib.asynccontextmanager
    async def maintenance(self, actor: str | None = None) -> AsyncIterator[asyncpg.Connection]:
        """Begin a transaction as the owner that sees the rows of all tenants.

        Changes are audited as `actor`, by default as those of the operating-system user on the command line.
        """
        async with self.owner_connection() as connection, connection.transaction():
            await connection.execute(
                "SELECT set_config('gaji.maintenance', 'on', true), set_config('gaji.actor', $1, true)",
                actor or f"{COMMAND_LINE}: {operator_name()}",
            )
            yield connection


def locate_database(settings: Settings) -> Database:
    """Return the database of these settings. It need not be running."""
    if settings.database_url is None:
        server = EmbeddedServer(settings.data)
        return Database(
            application=_connection(server.connection(APPLICATION)),
            owner=_connection(server.connection(OWNER)),
            login=None,
        )
    direct = {"dsn": settings.database_direct_url or settings.database_url}
    return Database(
        application=_connection(direct, role=APPLICATION),
        owner=_connection(direct, role=OWNER),
        login=_connection(direct),
        pooled=_pooled_connection(settings.database_url) if settings.database_direct_url else None,
        replica=_replica_connection(settings.replica_url) if settings.replica_url else None,
    )


def _connection(arguments: ConnectArguments, role: str | None = None) -> ConnectArguments:
    server_settings = {"search_path": SCHEMA, "timezone": TIME_ZONE}
    if role is not None:
        server_settings["role"] = role
    return {**arguments, "server_settings": server_settings, "timeout": 10}


def _pooled_connection(url: str) -> ConnectArguments:
    """Return connection arguments for PgBouncer. Named statements would stay in a session that others use next."""
    return _connection({"dsn": url, "connection_class": PooledConnection, "statement_cache_size": 0}, role=APPLICATION)


def _replica_connection(url: str) -> ConnectArguments:
    """Return connection arguments for a server that is a standby. Roles are those of the primary."""
    arguments = _connection({"dsn": url, "target_session_attrs": "standby"}, role=APPLICATION)
    return {**arguments, "timeout": HOST_TIMEOUT_S}


def _with_program(arguments: ConnectArguments, program: str) -> ConnectArguments:
    return {
        **arguments,
        "server_settings": {**arguments["server_settings"], "application_name": program},
    }
