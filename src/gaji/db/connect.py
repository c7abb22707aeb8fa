"""Open database connections: try each host in turn, detect a dead peer, and verify the role of the session."""

import os
import socket
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit, urlunsplit

import asyncpg

from gaji.core.fair_queue import NO_OWNER
from gaji.db.errors import is_connection_error

ConnectArguments = dict[str, Any]
"""Keyword arguments of asyncpg.connect."""

HOST_TIMEOUT_S = 3.0
"""The time to connect to one host, if the URL has several. A host that drops packets must not use up all of it."""
PEER_TIMEOUT_S = 10
"""The time after which a peer that does not acknowledge packets is considered dead."""
LOGIN_SETTINGS = ("role", "search_path")
"""Settings that PgBouncer does not pass on when a connection is opened. They are set for the login instead."""
KEEPALIVE_S = 5
"""The idle time before the first probe. Unanswered probes are repeated until the peer is considered dead."""


class UnsafeRole(Exception):
    """The session has a role that row-level security does not apply to, or the wrong one. The message says which."""


class MonitoredConnection(asyncpg.Connection):  # type: ignore[misc]  # asyncpg has no types
    """A connection that the operating system closes when the peer is dead, instead of after 15 minutes."""

    discarded = False
    """Whether the pool must close it instead of using it again."""
    owner = NO_OWNER
    """The account that the pool has lent it to."""

    def __init__(self, protocol: Any, transport: Any, *arguments: Any, **options: Any) -> None:
        super().__init__(protocol, transport, *arguments, **options)
        # Options set on the duplicate apply to the connection. Not every event loop allows to set them directly.
        with socket.socket(fileno=os.dup(transport.get_extra_info("socket").fileno())) as duplicate:
            monitor_peer(duplicate)

    def is_in_transaction(self) -> bool:
        """Return whether a transaction is open. asyncpg does not expect the question once it is terminated."""
        return not self.is_closed() and super().is_in_transaction()


class PooledConnection(MonitoredConnection):
    """A connection through PgBouncer in transaction mode, where each transaction may run in another session.

    asyncpg sends a statement and its arguments in two steps, so both have to be in one transaction. The settings of a
    session would reach the transactions of others, so they are those of the login, and are only checked here.
    """

    async def fetch(self, query: str, *arguments: Any, **options: Any) -> Any:
        """Return the rows of a query."""
        return await self._run_in_transaction(super().fetch, query, arguments, options)

    async def fetchrow(self, query: str, *arguments: Any, **options: Any) -> Any:
        """Return the first row of a query, or None."""
        return await self._run_in_transaction(super().fetchrow, query, arguments, options)

    async def fetchval(self, query: str, *arguments: Any, **options: Any) -> Any:
        """Return the first value of the first row of a query, or None."""
        return await self._run_in_transaction(super().fetchval, query, arguments, options)

    async def executemany(self, command: str, *arguments: Any, **options: Any) -> Any:
        """Run a statement for each row of arguments."""
        return await self._run_in_transaction(super().executemany, command, arguments, options)

    async def execute(self, query: str, *arguments: Any, **options: Any) -> Any:
        """Run a statement and return its command tag. Without arguments, it can begin or end a transaction."""
        if not arguments:
            return await super().execute(query, **options)
        return await self._run_in_transaction(super().execute, query, arguments, options)

    async def _run_in_transaction(
        self, method: Callable[..., Awaitable[Any]], query: str, arguments: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        if self.is_in_transaction():
            return await method(query, *arguments, **options)
        async with self.transaction():
            return await method(query, *arguments, **options)


async def connect(arguments: ConnectArguments, **options: Any) -> MonitoredConnection:
    """Open a connection to the first host that accepts it. Raises UnsafeRole if its role must not be used."""
    connection = await _connect_to_any_host(arguments, options)
    try:
        await _ensure_role(connection, arguments)
    except BaseException:
        connection.terminate()
        raise
    return connection


def arguments_by_host(arguments: ConnectArguments) -> list[ConnectArguments]:
    """Return the arguments for each host of the URL, with a time limit for each.

    A URL with several hosts means the one that accepts writes, unless it says otherwise.
    """
    url = urlsplit(arguments.get("dsn") or "")
    login, at, hosts = url.netloc.rpartition("@")
    names = hosts.split(",")
    if len(names) == 1:
        return [arguments]
    limits: ConnectArguments = {"timeout": HOST_TIMEOUT_S}
    if "target_session_attrs" not in {*arguments, *parse_qs(url.query)}:
        limits["target_session_attrs"] = "read-write"
    return [{**arguments, "dsn": urlunsplit(url._replace(netloc=login + at + name)), **limits} for name in names]


async def _connect_to_any_host(arguments: ConnectArguments, options: dict[str, Any]) -> MonitoredConnection:
    *others, last = arguments_by_host(arguments)
    for host_arguments in others:
        try:
            return await _connect_to(host_arguments, options)
        except Exception as error:
            if not (is_connection_error(error) or isinstance(error, OSError)):
                raise
    return await _connect_to(last, options)


async def _connect_to(arguments: ConnectArguments, options: dict[str, Any]) -> MonitoredConnection:
    settings: dict[str, str] = arguments["server_settings"]
    if arguments.get("connection_class") is PooledConnection:
        settings = {name: value for name, value in settings.items() if name not in LOGIN_SETTINGS}
    arguments = {"connection_class": MonitoredConnection, **arguments, **options, "server_settings": settings}
    connection: MonitoredConnection = await asyncpg.connect(**arguments)
    return connection


async def _ensure_role(connection: asyncpg.Connection, arguments: ConnectArguments) -> None:
    """Assume the requested role if a pooler has ignored it, and check that row-level security applies to it."""
    settings: dict[str, str] = arguments["server_settings"]
    expected = settings.get("role") or arguments.get("user")
    if expected is None:
        return  # The operator's login, which creates the roles.
    role = await _current_role(connection)
    if arguments.get("connection_class") is PooledConnection:
        _check_login(role, settings)
    elif role["name"] != expected:
        for name, value in settings.items():
            await connection.execute("SELECT set_config($1, $2, false)", name, value)
        role = await _current_role(connection)
    if role["name"] != expected:
        raise UnsafeRole(f"the database session has the role {role['name']}; it must have {expected}")
    if role["rolsuper"] or role["rolbypassrls"]:
        raise UnsafeRole(
            f"the role {expected} bypasses row-level security; run ALTER ROLE {expected} NOSUPERUSER NOBYPASSRLS"
        )


async def _current_role(connection: asyncpg.Connection) -> asyncpg.Record:
    return await connection.fetchrow(
        "SELECT rolname::text AS name, rolsuper, rolbypassrls, session_user::text AS login, "
        "current_schema()::text AS search_path FROM pg_roles WHERE rolname = current_user"
    )


def _check_login(role: asyncpg.Record, settings: dict[str, str]) -> None:
    """Raise UnsafeRole if the login of a pooled connection lacks a setting."""
    session = {"role": role["name"], "search_path": role["search_path"]}
    for name in LOGIN_SETTINGS:
        if session[name] != settings[name]:
            raise UnsafeRole(
                f"the pooled database session has the {name} {session[name]}; "
                f"run ALTER ROLE {role['login']} SET {name} = {settings[name]}, and restart the pooler"
            )


def monitor_peer(peer: socket.socket) -> None:
    """Let the operating system close a TCP connection whose peer does not respond."""
    if peer.family not in (socket.AF_INET, socket.AF_INET6):
        return  # A local socket ends with its process.
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in (
        ("TCP_KEEPIDLE", KEEPALIVE_S),
        ("TCP_KEEPINTVL", 1),
        ("TCP_KEEPCNT", PEER_TIMEOUT_S - KEEPALIVE_S),
        ("TCP_USER_TIMEOUT", PEER_TIMEOUT_S * 1000),
    ):
        if hasattr(socket, option):  # not on every operating system
            peer.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
