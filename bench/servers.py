"""Servers for the bars: a temporary installation, the real service, and bare applications as baselines."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import gaji.wiring  # noqa: F401 - connects the layers
from gaji.core.settings import Settings
from gaji.db.embedded.postmaster import PID_FILE
from gaji.db.installation import Installation, open_installation
from gaji.demo.account import Demo, create_demo
from gaji.demo.size import DEFAULT_EMPLOYEES
from tests.support.running import START_WITHIN_S, as_environment, free_port, wait_until_ready

STOP_WITHIN_S = 30
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@contextmanager
def open_demo(
    employees: int = DEFAULT_EMPLOYEES, months: int = 0, database_cache_mib: int | None = None
) -> Iterator[tuple[Installation, Demo]]:
    """Open a new installation with the demo. Its embedded database is as durable as in production."""
    with tempfile.TemporaryDirectory(prefix="gaji-bench-") as folder:
        os.chmod(folder, 0o755)  # noqa: S103 - lets the user of PostgreSQL reach the private folder inside
        settings = Settings(data=Path(folder) / "data", rate_limit=0, database_cache_mib=database_cache_mib)
        with open_installation(settings) as installed:
            yield installed, asyncio.run(create_demo(installed, 1, employees, months))


@contextmanager
def run_service(installed: Installation, *arguments: str, **variables: str) -> Iterator[int]:
    """Run `gaji serve` on a free port, with further environment variables, and yield the port."""
    port = free_port()
    command = [sys.executable, "-m", "gaji.cli.main", "serve", "--port", str(port), *arguments]
    environment = {**as_environment(installed.settings), **variables}
    with _run_process(command, environment, installed.settings.data / "serve.log") as (
        process,
        log,
    ):
        wait_until_ready(f"http://127.0.0.1:{port}", process, log)
        yield port


def max_memory_mib(port: int) -> float:
    """Return the peak memory of the largest process of the service on a port."""
    return max(_read_status(Path(f"/proc/{pid}/status"), "VmHWM") for pid in _service_processes(port)) / 1024


def processor_s(port: int, data: Path) -> float:
    """Return the processor time of the service on a port, and of the embedded database in a folder."""
    postmaster = int((data / "postgres" / PID_FILE).read_text().split("\n", 1)[0])
    return sum(map(_processor_s, _service_processes(port) | _with_children({postmaster})))


def _service_processes(port: int) -> set[int]:
    """Return the processes of the service on a port."""
    pids = {int(folder.name) for folder in Path("/proc").glob("[0-9]*")}
    return _with_children({pid for pid in pids if f"--port\0{port}\0".encode() in _command(pid)})


def _with_children(pids: set[int]) -> set[int]:
    """Return processes and all that they started."""
    parents = {int(file.parent.name): _read_status(file, "PPid") for file in Path("/proc").glob("[0-9]*/status")}
    pids = set(pids)
    while children := {pid for pid, parent in parents.items() if parent in pids} - pids:
        pids |= children
    return pids


def _processor_s(pid: int) -> float:
    """Return the processor time of a process and its children that have ended, or 0 if it has ended itself."""
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / TICKS_PER_S
    return 0


def _read_status(status: Path, name: str) -> int:
    """Return a number from the status of a process, or 0 if the process has ended."""
    with suppress(OSError):
        for line in status.read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1])
    return 0


def _command(pid: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


@contextmanager
def run_bare(installed: Installation, application: str, environment: Mapping[str, str]) -> Iterator[int]:
    """Run a bare ASGI application with the same server as the service and yield the port."""
    port = free_port()
    command = [sys.executable, "-m", "granian", "--interface", "asgi", "--loop", "uvloop", "--workers", "1"]
    command += ["--no-ws", "--log-level", "warning", "--factory", "--port", str(port), application]
    with _run_process(command, environment, installed.settings.data / "bare.log") as (process, log):
        _wait_until_listening(port, process, log)
        yield port


@contextmanager
def _run_process(
    command: list[str], environment: Mapping[str, str], log: Path
) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    with log.open("wb") as output:
        process = subprocess.Popen(command, env={**os.environ, **environment}, stdout=output, stderr=output)
    try:
        yield process, log
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(STOP_WITHIN_S)


def _wait_until_listening(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_WITHIN_S
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.05)
    raise AssertionError(f"the bare server did not start:\n{log.read_text()[-4000:]}")
