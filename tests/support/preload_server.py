"""The process that commands are forked from: see tests/support/preloaded.py."""

import gc
import json
import os
import signal
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Sequence
from typing import Any, NoReturn

import gaji.app
import gaji.cli.doctor
import gaji.cli.serve
import gaji.demo.account
import gaji.wiring  # noqa: F401 - imported for the commands
from gaji.cli import serve as serve_command
from gaji.cli.main import main as run_command
from tests.support.preloaded import MAX_MESSAGE_BYTES

DESCRIPTORS = 4
"""Standard input, output and error, and the socket on which the process ID and the exit code are reported."""
POLL_S = 0.02


class ForkedWorker:
    """The worker of a forked server, with the methods of `subprocess.Popen` that the server uses."""

    def __init__(self, _descriptors: Sequence[int]) -> None:
        """Start it. It has all open files of the server, also those that it needs."""
        self.args = ["gaji", "worker"]
        self.returncode: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            _run_gaji(self.args)

    def poll(self) -> int | None:
        """Return the exit code, or None while the worker runs."""
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.returncode = os.waitstatus_to_exitcode(status) if pid else None
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end of the worker, and return its exit code."""
        deadline = time.monotonic() + (timeout or float("inf"))
        while (code := self.poll()) is None:
            if time.monotonic() > deadline:
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
            time.sleep(POLL_S)
        return code

    def terminate(self) -> None:
        """Ask the worker to end."""
        os.kill(self.pid, signal.SIGTERM)

    def kill(self) -> None:
        """Kill the worker."""
        os.kill(self.pid, signal.SIGKILL)


def serve(control: socket.socket) -> None:
    """Fork a command for each request, until the tests have ended."""
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the commands
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nothing waits for the processes that watch commands
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, MAX_MESSAGE_BYTES, DESCRIPTORS)
        if not message:
            return
        if os.fork() == 0:
            control.close()
            _watch_command(json.loads(message), descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


def _watch_command(request: dict[str, Any], descriptors: list[int]) -> NoReturn:
    """Run the command in a child process, and report its ID and its exit code."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    events = socket.socket(fileno=descriptors.pop())
    child = os.fork()
    if child == 0:
        events.close()
        _run_command(request, descriptors)
    for descriptor in descriptors:
        os.close(descriptor)
    try:
        events.send(str(child).encode())
        events.send(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())
    finally:
        os._exit(0)


def _run_command(request: dict[str, Any], descriptors: list[int]) -> NoReturn:
    for standard, descriptor in enumerate(descriptors):
        os.dup2(descriptor, standard)
        os.close(descriptor)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    # A server would start its worker with Python, which imports everything again.
    serve_command._start_worker = ForkedWorker  # type: ignore[assignment]
    _run_gaji(["gaji", *request["arguments"]])


def _run_gaji(arguments: list[str]) -> NoReturn:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = arguments
    os._exit(_exit_code_of_command())


def _exit_code_of_command() -> int:
    """Run the command as Python would run it, and return its exit code."""
    code: object = 0
    try:
        run_command()
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code if isinstance(code, int) else int(code is not None)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
