"""What the bars run on: an installation in a folder of its own, the real server, and bare ones to compare it with."""

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

from gaji.core.settings import Settings
from gaji.db.installation import Installation, ready
from gaji.demo import EMPLOYEES, Demo, demo
from tests.support.running import START_WITHIN_S, as_environment, free_port, wait_until_ready

STOP_WITHIN_S = 30


@contextmanager
def installation(employees: int = EMPLOYEES) -> Iterator[tuple[Installation, Demo]]:
    """A fresh installation with the demo in it, its database embedded and as durable as in production."""
    with tempfile.TemporaryDirectory(prefix="gaji-bench-") as folder:
        os.chmod(folder, 0o755)  # noqa: S103 - so that PostgreSQL's user reaches the private folder inside
        with ready(Settings(data=Path(folder) / "data", rate_limit=0)) as installed:
            yield installed, asyncio.run(demo(installed, 1, employees, months=0))


@contextmanager
def service(installed: Installation, *arguments: str) -> Iterator[int]:
    """`gaji serve` on a free port, logging to a file; gives the port."""
    port = free_port()
    command = [sys.executable, "-m", "gaji.cli.main", "serve", "--port", str(port), *arguments]
    with _started(command, as_environment(installed.settings), installed.settings.data / "serve.log") as (process, log):
        wait_until_ready(f"http://127.0.0.1:{port}", process, log)
        yield port


def most_memory_mib(port: int) -> float:
    """The most that any one process of the service on a port has ever used."""
    parents = {int(file.parent.name): _noted(file, "PPid") for file in Path("/proc").glob("[0-9]*/status")}
    found = {pid for pid in parents if f"--port\0{port}\0".encode() in _command(pid)}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return max(_noted(Path(f"/proc/{pid}/status"), "VmHWM") for pid in found) / 1024


def _noted(status: Path, name: str) -> int:
    """A number in the status of a process; 0 for one that has ended meanwhile."""
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
def bare(installed: Installation, application: str, environment: Mapping[str, str]) -> Iterator[int]:
    """A bare ASGI application served as the service is; gives the port."""
    port = free_port()
    command = [sys.executable, "-m", "granian", "--interface", "asgi", "--loop", "uvloop", "--workers", "1"]
    command += ["--no-ws", "--log-level", "warning", "--factory", "--port", str(port), application]
    with _started(command, environment, installed.settings.data / "bare.log") as (process, log):
        _wait_until_listening(port, process, log)
        yield port


@contextmanager
def _started(
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
