"""`gaji serve` replaces server processes that die."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gaji.cli.parent import PARENT_VARIABLE, STOP_TIMEOUT_S
from gaji.cli.serve import GajiServer
from gaji.core.settings import Settings
from tests.support.running import WAIT_S, Service, running_service, wait_until_ready
from torture.installation import is_alive

CRASHES = 3


def child_processes(parent: int) -> list[int]:
    """Return the server processes of a `gaji serve` that runs no worker."""
    children = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
            command = (stat.parent / "cmdline").read_bytes()
        except OSError:
            continue  # it has ended meanwhile
        if int(fields[1]) == parent and fields[0] != "Z" and b"resource_tracker" not in command:
            children.append(int(stat.parent.name))
    return children


def wait_for_child(service: Service, killed: set[int]) -> set[int]:
    """Return the new server process as soon as there is one."""
    deadline = time.monotonic() + WAIT_S
    while not (new := set(child_processes(service.process.pid)) - killed):
        assert service.process.poll() is None, service.log.read_text()[-2000:]
        assert time.monotonic() < deadline, "the server process was not replaced"
        time.sleep(0.01)
    return new


def kill_child(service: Service, killed: set[int]) -> None:
    """Kill the server process as soon as there is a new one."""
    new = wait_for_child(service, killed)
    for process in new:
        os.kill(process, signal.SIGKILL)
    killed |= new


def test_crashes_in_a_row_do_not_end_the_server(settings: Settings, tmp_path: Path) -> None:
    with running_service(settings, tmp_path, arguments=["--no-worker"]) as service:
        account = service.new_account()
        killed: set[int] = set()
        for _ in range(CRASHES):
            kill_child(service, killed)
        wait_until_ready(service.url, service.process, service.log)
        assert account.get("/clients").status_code == 200
        delays = [line["restart_after_s"] for line in service.logged("server process ended")]
        assert len(delays) == CRASHES
        assert delays == sorted(delays)
        service.process.send_signal(signal.SIGTERM)
        assert service.process.wait(WAIT_S) == 0


def test_a_server_can_be_stopped_while_it_waits_to_replace_a_process(settings: Settings, tmp_path: Path) -> None:
    with running_service(settings, tmp_path, arguments=["--no-worker"]) as service:
        killed: set[int] = set()
        for _ in range(CRASHES):
            kill_child(service, killed)
        deadline = time.monotonic() + WAIT_S
        while len(list(service.logged("server process ended"))) < CRASHES:
            assert time.monotonic() < deadline, "the end of the process was not noticed"
            time.sleep(0.01)
        assert not child_processes(service.process.pid)
        service.process.send_signal(signal.SIGTERM)
        assert service.process.wait(WAIT_S) == 0


def test_a_process_that_starts_while_the_main_process_is_killed_ends_at_once(
    settings: Settings, tmp_path: Path
) -> None:
    with running_service(settings, tmp_path, arguments=["--no-worker"]) as service:
        killed: set[int] = set()
        kill_child(service, killed)
        [orphan] = wait_for_child(service, killed)
        service.process.kill()
        service.process.wait()
        deadline = time.monotonic() + STOP_TIMEOUT_S - 5
        while is_alive(orphan):
            assert time.monotonic() < deadline, "the process ended only after its time limit"
            time.sleep(0.05)


BEFORE_THE_LOOP_RUNS = """
import asyncio, signal, sys, time
import uvloop
from gaji.cli.parent import end_with_parent

loop = uvloop.new_event_loop()
loop.add_signal_handler(signal.SIGTERM, sys.exit, 7)
loop.run_until_complete(asyncio.sleep(0))
end_with_parent(loop)
time.sleep(1)
loop.run_until_complete(asyncio.sleep(15))
"""


def test_a_process_whose_parent_dies_before_the_event_loop_runs_ends_as_soon_as_it_does() -> None:
    environment = {**os.environ, PARENT_VARIABLE: "1"}
    process = subprocess.run([sys.executable, "-c", BEFORE_THE_LOOP_RUNS], env=environment, timeout=WAIT_S)
    assert process.returncode == 7


class FailingServer(GajiServer):
    """A server with one process, which has exited with an error. It stops once that is replaced."""

    def __init__(self, *, has_reloaded: bool) -> None:
        self.main_loop_interrupt = threading.Event()
        self.main_loop_interrupt.set()
        self.interrupt_signal, self.reload_signal = False, has_reloaded
        self.interrupt_children = [0]
        process: Any = SimpleNamespace(inner=SimpleNamespace(exitcode=1), birth=time.monotonic())
        self.wrks = [process]

    def _reload(self, spawn_target: Any, target_loader: Any) -> None:
        self.reload_signal = False
        self.interrupt_children = [0]

    def _respawn_workers(self, workers: Any, spawn_target: Any, target_loader: Any, delay: float = 0) -> None:
        self.interrupt_signal = True
        self.main_loop_interrupt.set()


@pytest.mark.parametrize("has_reloaded", [False, True])
def test_only_a_process_of_the_start_ends_the_server_when_it_fails(has_reloaded: bool) -> None:
    server = FailingServer(has_reloaded=has_reloaded)
    server._serve_loop(None, None)
    assert server.interrupt_signal == has_reloaded, "whether the process was replaced"
