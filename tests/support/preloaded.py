"""Commands that start at once: they are forked from a process that has already imported Gaji.

Importing takes about two seconds of processor time, which is longer than most commands run. The process has neither
threads nor an event loop, so forking it is safe. A forked command has its own environment, folder and output, and ends
like one that was started from a shell.
"""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO, Any

MODULE = "tests.support.preload_server"
MAX_MESSAGE_BYTES = 1_000_000
COMMAND_TIMEOUT_S = 120


class PreloadedProcess:
    """A running command, with the methods of `subprocess.Popen` that tests use."""

    def __init__(self, arguments: Sequence[str], events: socket.socket) -> None:
        self.args = ["gaji", *arguments]
        self.returncode: int | None = None
        self._events = events
        self.pid = self._next_number()

    def poll(self) -> int | None:
        """Return the exit code, or None while the process runs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end of the process, and return its exit code: negative if a signal killed it."""
        if self.returncode is None:
            if not select.select([self._events], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
            self.returncode = self._next_number()
            self._events.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the process has ended."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask the process to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Kill the process, so that it cannot clean up."""
        self.send_signal(signal.SIGKILL)

    def _next_number(self) -> int:
        message = self._events.recv(100)
        if not message:
            raise RuntimeError(f"{MODULE} has ended")
        return int(message)


GajiProcess = subprocess.Popen[bytes] | PreloadedProcess


def start_gaji(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    *,
    stdout: IO[Any],
    stderr: IO[Any],
    folder: Path | None = None,
    preloaded: bool = True,
) -> GajiProcess:
    """Start the command `gaji` with these arguments: preloaded, or as an operator does, with Python and the modules."""
    if preloaded:
        return _fork_gaji(arguments, environment, stdout, stderr, folder or Path.cwd())
    command = [sys.executable, "-m", "gaji.cli.main", *arguments]
    return subprocess.Popen(command, env=environment, stdout=stdout, stderr=stderr, cwd=folder)


def _fork_gaji(
    arguments: Sequence[str], environment: Mapping[str, str], stdout: IO[Any], stderr: IO[Any], folder: Path
) -> PreloadedProcess:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    request = {"arguments": list(arguments), "environment": dict(environment), "folder": str(folder)}
    with theirs, open(os.devnull, "rb") as stdin:
        descriptors = [stdin.fileno(), stdout.fileno(), stderr.fileno(), theirs.fileno()]
        socket.send_fds(_start_server()[1], [json.dumps(request).encode()], descriptors)
    return PreloadedProcess(arguments, ours)


def run_gaji(
    arguments: Sequence[str], environment: Mapping[str, str], timeout_s: float = COMMAND_TIMEOUT_S
) -> subprocess.CompletedProcess[str]:
    """Run the command `gaji` with these arguments, and return what it printed."""
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        process = _fork_gaji(arguments, environment, stdout, stderr, Path.cwd())
        try:
            code = process.wait(timeout_s)
        except BaseException:
            process.kill()
            raise
        stdout.seek(0)
        stderr.seek(0)
        return subprocess.CompletedProcess(process.args, code, stdout.read().decode(), stderr.read().decode())


@cache
def _start_server() -> tuple[subprocess.Popen[bytes], socket.socket]:
    """Start the process that commands are forked from. It ends when the tests have ended, which closes the socket."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", MODULE, str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            cwd=Path(__file__).parents[2],
        )
    return process, ours
