"""Several commands on one data folder: the first starts the server, and the last one stops it."""

import os
import subprocess
import threading
from pathlib import Path

import pytest

from gaji.db.embedded import APPLICATION, EmbeddedServer, EmbeddedServerError
from tests.db.embedded.commands import SETTINGS, Command, fetch, postmaster_pid


def is_alive(data: Path) -> bool:
    return EmbeddedServer(data).is_alive()


def test_data_outlives_the_server(made_data: Path) -> None:
    with EmbeddedServer(made_data, SETTINGS) as server:
        fetch(server, "CREATE TABLE kept AS SELECT 7 AS value")
    assert not is_alive(made_data)
    with EmbeddedServer(made_data, SETTINGS) as server:
        assert fetch(server, "SELECT value FROM kept") == 7


def test_the_last_command_stops_the_server(made_data: Path) -> None:
    with Command(made_data) as first, Command(made_data) as second:
        assert first.says() == "started"
        assert second.says() == "started"
        first.finish()
        assert fetch(EmbeddedServer(made_data), "SELECT 1", APPLICATION) == 1
        second.finish()
    assert not is_alive(made_data)


def test_two_servers_in_one_process_count_as_two(made_data: Path) -> None:
    first, second = EmbeddedServer(made_data, SETTINGS), EmbeddedServer(made_data, SETTINGS)
    first.start()
    second.start()
    first.stop()
    assert fetch(second, "SELECT 1") == 1
    second.stop()
    assert not is_alive(made_data)


def test_starting_or_stopping_twice_is_safe(made_data: Path) -> None:
    server = EmbeddedServer(made_data, SETTINGS)
    server.stop()
    server.start()
    server.start()
    server.stop()
    assert not server.is_alive()
    server.stop()


def test_commands_that_start_at_the_same_moment_share_one_cluster(data: Path) -> None:
    with Command(data) as first, Command(data) as second, Command(data) as third:
        commands = (first, second, third)
        assert [command.says() for command in commands] == ["started"] * 3
        systems = {fetch(EmbeddedServer(data), "SELECT system_identifier FROM pg_control_system()") for _ in "12"}
        assert len(systems) == 1
        assert sorted(path.name for path in data.glob("postgres*")) == ["postgres"]
        for command in commands:
            command.finish()
    assert not is_alive(data)


def test_commands_that_start_and_stop_all_the_time_never_meet_a_dead_server(made_data: Path) -> None:
    problems: list[BaseException] = []

    def come_and_go() -> None:
        try:
            for _ in range(5):
                with EmbeddedServer(made_data, SETTINGS) as server:
                    fetch(server, "SELECT 1")
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=come_and_go) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert not is_alive(made_data)


def test_a_killed_command_does_not_keep_the_server_running(made_data: Path) -> None:
    with Command(made_data) as killed:
        assert killed.says() == "started"
        killed.kill()
    assert is_alive(made_data)
    before = postmaster_pid(made_data)
    with EmbeddedServer(made_data, SETTINGS) as server:
        assert postmaster_pid(made_data) == before
        assert fetch(server, "SELECT 1") == 1
    assert not is_alive(made_data)


def test_a_command_outlives_the_killed_one_that_started_the_server(made_data: Path) -> None:
    with Command(made_data) as killed, EmbeddedServer(made_data, SETTINGS) as server:
        assert killed.says() == "started"
        killed.kill()
        assert fetch(server, "SELECT 1") == 1
    assert not is_alive(made_data)


def test_a_program_started_by_a_command_holds_no_lease(made_data: Path) -> None:
    with EmbeddedServer(made_data, SETTINGS):
        child = subprocess.Popen(["sleep", "60"], close_fds=False)
    assert not is_alive(made_data)
    child.kill()
    child.wait()


def test_a_forked_child_holds_no_lease_and_cannot_stop_the_server(made_data: Path) -> None:
    server = EmbeddedServer(made_data, SETTINGS)
    server.start()
    wait_here, let_go = os.pipe()
    child = os.fork()
    if child == 0:
        server.stop()
        os.read(wait_here, 1)
        os._exit(0)
    assert fetch(server, "SELECT 1") == 1
    server.stop()
    assert not is_alive(made_data)
    os.write(let_go, b"x")
    assert os.waitpid(child, 0)[1] == 0
    os.close(wait_here)
    os.close(let_go)


def test_a_failed_start_shows_the_log_and_holds_nothing(made_data: Path) -> None:
    with pytest.raises(EmbeddedServerError) as caught:
        EmbeddedServer(made_data, {"no_such_setting": "1"}).start()
    assert "no_such_setting" in str(caught.value)
    assert str(made_data / "startup.log") in str(caught.value)
    assert not is_alive(made_data)
    with EmbeddedServer(made_data, SETTINGS) as server:
        assert fetch(server, "SELECT 1") == 1
    assert not is_alive(made_data)


def test_too_little_shared_memory_is_explained_by_the_log(made_data: Path) -> None:
    with pytest.raises(EmbeddedServerError, match="memory"):
        EmbeddedServer(made_data, {"shared_buffers": "8000GB"}).start()
