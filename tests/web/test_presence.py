"""Presence: a server has a visible database session from its start to its end."""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from gaji.core.errors import Unavailable
from gaji.core.settings import Settings
from gaji.db import presence
from gaji.db.database import locate_database
from gaji.db.installation import open_installation
from gaji.db.migrate import LOCK
from gaji.db.migration_files import latest_version
from gaji.db.presence import DatabaseInUse, open_presence_session
from gaji.db.secret_rotation import rotate_secret
from tests.support.preloaded import start_gaji
from tests.support.running import START_WITHIN_S, as_environment, free_port

pytestmark = pytest.mark.slow

OF_SERVERS = "datname = current_database() AND application_name = 'gaji serve'"


@contextlib.contextmanager
def unasked_server(settings: Settings, folder: Path, *arguments: str) -> Iterator[None]:
    """Run `gaji serve` without any request, and wait until its session is visible."""
    command = ["serve", "--no-worker", "--port", str(free_port()), *arguments]
    with (folder / "serve.log").open("wb") as log:
        process = start_gaji(command, {**os.environ, **as_environment(settings)}, stdout=log, stderr=log)
    try:
        yield
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0


def serving(settings: Settings) -> int:
    """Return the number of database sessions of servers."""
    return one(settings, f"SELECT count(*) FROM pg_stat_activity WHERE {OF_SERVERS}")


def wait_for(settings: Settings, sessions: int) -> None:
    deadline = time.monotonic() + START_WITHIN_S
    while serving(settings) != sessions:
        assert time.monotonic() < deadline, f"{serving(settings)} sessions, and not {sessions}"
        time.sleep(0.05)


def one(settings: Settings, query: str) -> int:
    async def ask() -> int:
        connection = await asyncpg.connect(**(locate_database(settings).login or {}))
        try:
            value: int = await connection.fetchval(query)
            return value
        finally:
            await connection.close()

    return asyncio.run(ask())


def test_every_process_of_a_new_server_is_visible(settings: Settings, tmp_path: Path) -> None:
    with unasked_server(settings, tmp_path, "--workers", "2"):
        wait_for(settings, 2)
    assert serving(settings) == 0


def test_the_secret_is_not_changed_while_a_new_server_runs(settings: Settings, tmp_path: Path) -> None:
    with unasked_server(settings, tmp_path):
        wait_for(settings, 1)
        with open_installation(settings) as installation, pytest.raises(DatabaseInUse, match="in use by gaji serve"):
            asyncio.run(rotate_secret(installation, "another secret that is long enough for everyone"))


def test_a_server_whose_session_was_ended_shows_itself_again(settings: Settings, tmp_path: Path) -> None:
    with unasked_server(settings, tmp_path):
        wait_for(settings, 1)
        first = one(settings, f"SELECT pid FROM pg_stat_activity WHERE {OF_SERVERS}")
        one(settings, f"SELECT pg_terminate_backend({first}, 5000)")
        wait_for(settings, 1)
        assert one(settings, f"SELECT pid FROM pg_stat_activity WHERE {OF_SERVERS}") != first


def test_no_process_starts_while_a_command_has_exclusive_use(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presence, "LOCK_TIMEOUT_S", 0.1)

    async def try_to_appear() -> None:
        arguments = locate_database(settings).as_application("gaji serve")
        async with locate_database(settings).owner_connection() as command:
            await command.execute(f"BEGIN; SELECT pg_advisory_xact_lock({LOCK})")
            with pytest.raises(Unavailable):
                await open_presence_session(arguments, latest_version())
            await command.execute("COMMIT")
        await (await open_presence_session(arguments, latest_version())).close()

    asyncio.run(try_to_appear())
