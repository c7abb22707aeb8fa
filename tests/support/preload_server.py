"""The process that commands are forked from: see tests/support/preloaded.py."""

import gc
import json
import os
import signal
import socket
import sys
import traceback
from typing import Any, NoReturn

import gaji.app
import gaji.cli.doctor
import gaji.cli.serve
import gaji.demo.account
import gaji.wiring  # noqa: F401 - imported for the commands
from gaji.cli.main import main as run_command
from tests.support.preloaded import MAX_MESSAGE_BYTES

DESCRIPTORS = 4
"""Standard input, output and error, and the socket on which the process ID and the exit code are reported."""


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
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for standard, descriptor in enumerate(descriptors):
        os.dup2(descriptor, standard)
        os.close(descriptor)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = ["gaji", *request["arguments"]]
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
