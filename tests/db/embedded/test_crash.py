"""After a crash: stale files, incomplete clusters, orphaned processes, and restarts."""

import asyncio
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncpg
import pytest

from gaji.db.embedded import APPLICATION, DATABASE, OWNER, SUPERUSER, EmbeddedServer, EmbeddedServerError
from tests.db.embedded.commands import SETTINGS, Command, fetch, postmaster_pid


def kill_postmaster(data: Path) -> None:
    os.kill(postmaster_pid(data), signal.SIGKILL)


def wait_until_dead(server: EmbeddedServer) -> None:
    deadline = time.monotonic() + 60
    while server.is_alive() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not server.is_alive()


@contextmanager
def busy(server: EmbeddedServer, statement: str) -> Iterator[None]:
    """Keep a statement running on the server until it is interrupted."""

    async def run() -> None:
        connection = await asyncpg.connect(**server.connection(SUPERUSER))
        try:
            await connection.execute(statement)
        except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
            pass
        finally:
            connection.terminate()

    thread = threading.Thread(target=asyncio.run, args=(run(),))
    thread.start()
    active = f"SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query = $q${statement}$q$"
    while fetch(server, active) == 0:
        assert thread.is_alive(), "the statement ended before it was seen"
        time.sleep(0.01)
    yield
    thread.join()


@pytest.fixture
def foreign_process() -> Iterator[int]:
    """A running program that is unrelated to PostgreSQL."""
    process = subprocess.Popen(["sleep", "600"])
    yield process.pid
    process.kill()
    process.wait()


@pytest.mark.parametrize("statement", ["SELECT pg_sleep(60)", "DO $$BEGIN LOOP END LOOP; END$$"])
def test_a_killed_server_is_restarted_in_15_seconds_with_all_committed_data(made_data: Path, statement: str) -> None:
    with EmbeddedServer(made_data, SETTINGS) as server:
        fetch(server, "CREATE TABLE IF NOT EXISTS kept AS SELECT 7 AS value")
        with busy(server, statement):
            kill_postmaster(made_data)
            wait_until_dead(server)
            began = time.monotonic()
            assert server.restart_if_dead()
            assert time.monotonic() - began < 15
        assert fetch(server, "SELECT value FROM kept", SUPERUSER) == 7
    assert not server.is_alive()


def test_a_start_recovers_from_a_killed_server(made_data: Path) -> None:
    with Command(made_data) as command:
        assert command.says() == "started"
        kill_postmaster(made_data)
        with EmbeddedServer(made_data, SETTINGS) as server:
            assert fetch(server, "SELECT 1") == 1


def test_a_running_server_is_not_restarted(made_data: Path) -> None:
    server = EmbeddedServer(made_data, SETTINGS)
    assert not server.restart_if_dead()  # not started: nothing to bring back
    with server:
        before = postmaster_pid(made_data)
        assert not server.restart_if_dead()
        assert postmaster_pid(made_data) == before
    assert not server.restart_if_dead()
    assert not server.is_alive()


def test_of_two_concurrent_restarts_only_one_restarts(made_data: Path) -> None:
    with EmbeddedServer(made_data, SETTINGS) as first, EmbeddedServer(made_data, SETTINGS) as second:
        kill_postmaster(made_data)
        wait_until_dead(first)
        had_to: list[bool] = []
        threads = [threading.Thread(target=lambda s=s: had_to.append(s.restart_if_dead())) for s in (first, second)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(had_to) == [False, True]
        assert fetch(second, "SELECT 1") == 1


def test_recovery_is_waited_for(data: Path) -> None:
    with EmbeddedServer(data, SETTINGS):
        pass
    (data / "postgres" / "recovery.signal").touch()
    os.chown(data / "postgres" / "recovery.signal", data.joinpath("postgres").stat().st_uid, -1)
    slow = SETTINGS | {"restore_command": "sleep 0.5; false", "hot_standby": "off"}
    began = time.monotonic()
    with EmbeddedServer(data, slow) as server:
        assert time.monotonic() - began > 1.5
        assert fetch(server, "SELECT pg_is_in_recovery()") is False


def test_a_server_that_is_shutting_down_is_started_again(made_data: Path) -> None:
    with Command(made_data) as command:
        assert command.says() == "started"
        server = EmbeddedServer(made_data, SETTINGS)
        with busy(server, "SELECT pg_sleep(2)"):
            os.kill(postmaster_pid(made_data), signal.SIGTERM)  # a smart shutdown waits for the statement
            command.kill()
            with server:
                assert fetch(server, "SELECT 1") == 1


def test_a_pid_file_of_a_process_that_is_gone_does_not_matter(made_data: Path) -> None:
    with EmbeddedServer(made_data, SETTINGS) as server:
        kill_postmaster(made_data)
        wait_until_dead(server)
    assert (made_data / "postgres" / "postmaster.pid").exists()
    with EmbeddedServer(made_data, SETTINGS) as server:
        assert fetch(server, "SELECT 1") == 1


def test_a_pid_file_with_the_id_of_another_program_does_not_matter(made_data: Path, foreign_process: int) -> None:
    server = EmbeddedServer(made_data, SETTINGS)
    with server:
        files = [made_data / "postgres" / "postmaster.pid", made_data / "run" / ".s.PGSQL.5432.lock"]
        stored = [(path, path.read_text(), path.stat().st_uid) for path in files]
    for path, text, owner in stored:
        path.write_text(text.replace(text.splitlines()[0], str(foreign_process)))
        os.chown(path, owner, -1)
    assert not server.is_alive()
    with server:
        assert fetch(server, "SELECT 1") == 1
        assert postmaster_pid(made_data) != foreign_process
    os.kill(foreign_process, 0)  # and it was left alone


@pytest.mark.parametrize("text", ["", "nonsense\n"])
def test_a_truncated_pid_file_does_not_matter(made_data: Path, text: str) -> None:
    server = EmbeddedServer(made_data, SETTINGS)
    with server:
        pass
    (made_data / "postgres" / "postmaster.pid").write_text(text)
    with server:
        assert fetch(server, "SELECT 1") == 1


def test_a_server_is_recognised_where_its_folder_cannot_be_looked_up(
    made_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> bool:
        raise PermissionError

    with EmbeddedServer(made_data, SETTINGS) as server:
        monkeypatch.setattr(os.path, "samefile", refuse)
        assert server.is_alive()
        monkeypatch.setattr(os.path, "exists", lambda path: not str(path).startswith("/proc"))
        assert server.is_alive()  # by ps
    assert not server.is_alive()


def test_a_running_server_keeps_its_pid_file_and_its_folder(made_data: Path) -> None:
    with EmbeddedServer(made_data, SETTINGS) as server:
        before = (made_data / "postgres" / "postmaster.pid").read_text()
        with EmbeddedServer(made_data, SETTINGS):
            pass
        assert (made_data / "postgres" / "postmaster.pid").read_text() == before
        assert fetch(server, "SELECT 1") == 1


@pytest.mark.parametrize("after_s", [0.1, 0.25, 0.4, 0.5, 0.6])
def test_a_first_start_that_is_killed_is_healed_by_the_next(data: Path, after_s: float) -> None:
    with Command(data) as command:
        time.sleep(after_s)
        command.kill()
    with EmbeddedServer(data, SETTINGS) as server:
        assert fetch(server, "SELECT current_user", APPLICATION) == APPLICATION
    assert not server.is_alive()


def test_leftovers_of_a_killed_first_start_are_removed(data: Path) -> None:
    with Command(data) as command:
        while not list(data.glob("postgres.new-*/base")):
            time.sleep(0.01)
        command.kill()
    deadline = time.monotonic() + 60  # its initdb may write on for a while
    while list(data.glob("postgres.new-*")) and time.monotonic() < deadline:
        with EmbeddedServer(data, SETTINGS):
            pass
    assert [path.name for path in data.glob("postgres*")] == ["postgres"]


def test_a_cluster_that_was_half_made_is_made_again(data: Path) -> None:
    (data / "postgres.new-cut-short" / "base").mkdir(parents=True)
    with EmbeddedServer(data, SETTINGS) as server:
        assert fetch(server, "SELECT 1", APPLICATION) == 1
    assert [path.name for path in data.glob("postgres*")] == ["postgres"]


def test_missing_roles_and_database_are_made_at_the_next_start(made_data: Path) -> None:
    with EmbeddedServer(made_data, SETTINGS) as server:
        for statement in (f"DROP DATABASE {DATABASE}", f"DROP ROLE {APPLICATION}"):
            fetch(server, statement, database="postgres")
        with EmbeddedServer(made_data, SETTINGS):  # also when the server is already running
            assert fetch(server, "SELECT current_user", APPLICATION) == APPLICATION
            assert fetch(server, "SELECT current_database()", OWNER) == DATABASE


def test_a_folder_that_holds_no_database_is_rejected(data: Path) -> None:
    (data / "postgres").mkdir(parents=True)
    with pytest.raises(EmbeddedServerError, match="postgres"):
        EmbeddedServer(data).start()


def test_a_database_of_another_postgresql_is_rejected_by_its_version(data: Path) -> None:
    server = EmbeddedServer(data, SETTINGS)
    with server:
        pass
    (data / "postgres" / "PG_VERSION").write_text("17\n")
    with pytest.raises(EmbeddedServerError, match="PostgreSQL 17"):
        server.start()
