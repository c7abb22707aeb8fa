"""Connections: hosts are tried in turn, a dead peer is detected, and the role is verified."""

import asyncio
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import pytest

from gaji.core.settings import Settings
from gaji.db import connect as connections
from gaji.db.connect import ConnectArguments, UnsafeRole, arguments_by_host, connect, monitor_peer
from gaji.db.database import APPLICATION, locate_database
from gaji.db.installation import open_installation
from gaji.web.problems import to_http_error
from tests.support.relay import Relay, listening
from tests.support.running import WAIT_S, Cluster

HOSTS = "postgresql://gaji:secret@first:5432,second:5433/payroll"


def test_every_host_of_a_url_has_its_own_time_limit() -> None:
    arguments = arguments_by_host({"dsn": f"{HOSTS}?sslmode=require", "timeout": 10})
    assert [entry["dsn"] for entry in arguments] == [
        "postgresql://gaji:secret@first:5432/payroll?sslmode=require",
        "postgresql://gaji:secret@second:5433/payroll?sslmode=require",
    ]
    assert {(entry["timeout"], entry["target_session_attrs"]) for entry in arguments} == {(3.0, "read-write")}


def test_a_url_can_say_which_host_it_means() -> None:
    arguments = arguments_by_host({"dsn": f"{HOSTS}?target_session_attrs=any", "timeout": 10})
    assert [entry.get("target_session_attrs") for entry in arguments] == [None, None]


@pytest.mark.parametrize("arguments", [{"dsn": "postgresql://gaji@db/payroll"}, {"host": "/run/gaji", "port": 5432}])
def test_a_single_host_is_used_as_it_is(arguments: ConnectArguments) -> None:
    assert arguments_by_host(arguments) == [arguments]


async def ignore(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Accept a connection and never answer."""
    await reader.read()
    writer.close()


def test_a_host_that_does_not_answer_delays_by_its_time_limit_only(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HOST_TIMEOUT_S", 2.0)

    async def run() -> str:
        relay = Relay(settings)
        async with listening(ignore) as silent, listening(relay.serve) as alive:
            arguments = locate_database(settings).as_application("test")
            connection = await connect({**arguments, "dsn": relay.url(silent, alive)})
            try:
                return str(await connection.fetchval("SELECT current_user::text"))
            finally:
                await connection.close()

    started = time.monotonic()
    assert asyncio.run(run()) == APPLICATION
    assert time.monotonic() - started >= 2


def test_a_role_that_a_pooler_ignored_is_assumed_after_connecting(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ignoring_settings(arguments: ConnectArguments, options: dict[str, Any]) -> Any:
        return await original({**arguments, "server_settings": {}}, options)

    original = connections._connect_to
    monkeypatch.setattr(connections, "_connect_to", ignoring_settings)
    query = "SELECT current_user::text, current_setting('search_path'), current_setting('timezone')"
    assert run_query(locate_database(settings).as_application("test"), query) == (
        APPLICATION,
        "gaji",
        "Asia/Singapore",
    )


def test_a_role_that_bypasses_row_level_security_is_not_used(settings: Settings) -> None:
    arguments = locate_database(settings).as_application("test")
    arguments["server_settings"]["role"] = "postgres"
    with pytest.raises(UnsafeRole, match="the role postgres bypasses row-level security"):
        run_query(arguments, "SELECT 1")


def test_the_login_of_the_operator_is_not_checked(settings: Settings) -> None:
    login = locate_database(settings).login
    assert login is not None
    assert run_query(login, "SELECT 1") == (1,)


def test_a_peer_that_does_not_respond_is_dead_after_ten_seconds() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as peer:
        monitor_peer(peer)
        values = [
            peer.getsockopt(socket.IPPROTO_TCP, getattr(socket, f"TCP_{name}"))
            for name in ("KEEPIDLE", "KEEPINTVL", "KEEPCNT", "USER_TIMEOUT")
        ]
        assert peer.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
    assert values == [5, 1, 5, 10_000]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (asyncpg.DiskFullError(), "The disk of the database is full; no changes can be saved"),
        (asyncpg.PostgresIOError(), "The database cannot read or write its disk; the operator must repair it"),
        (asyncpg.ReadOnlySQLTransactionError(), "The database is read-only at the moment; try again shortly"),
        (asyncpg.TooManyConnectionsError(), "The database is restarting or unreachable; try again shortly"),
        (TimeoutError(), "The database is restarting or unreachable; try again shortly"),
    ],
)
def test_faults_of_the_database_are_reported_as_unavailable(error: Exception, message: str) -> None:
    http_error = to_http_error(error)
    assert (http_error.status, http_error.message) == (503, message)


def test_an_installation_waits_for_a_database_that_is_not_reachable_yet(cluster: Cluster, settings: Settings) -> None:
    name = urlsplit(settings.database_url or "").path.lstrip("/")
    cluster.execute(f"ALTER DATABASE {name} WITH ALLOW_CONNECTIONS false")
    with ThreadPoolExecutor() as threads:
        opening = threads.submit(_open, settings)
        time.sleep(0.2)
        assert not opening.done()
        cluster.execute(f"ALTER DATABASE {name} WITH ALLOW_CONNECTIONS true")
        opening.result(WAIT_S)


def _open(settings: Settings) -> None:
    with open_installation(settings, wait=True):
        pass


def run_query(arguments: ConnectArguments, query: str) -> tuple[Any, ...]:
    async def run() -> tuple[Any, ...]:
        connection: asyncpg.Connection = await connect(arguments)
        try:
            return tuple(await connection.fetchrow(query))
        finally:
            await connection.close()

    return asyncio.run(run())
