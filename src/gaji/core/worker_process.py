"""Work in separate processes, for input that may crash a process, hang it or exhaust its memory.

A worker process reads messages from its standard input and writes one result for each to its standard output. It has no
settings, no database and no network access. If it exceeds a limit or crashes, only this process ends, and the next
message starts another.
"""

import asyncio
import os
import resource
import select
import signal
import struct
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from gaji.core.fair_queue import FairQueue

LENGTH = struct.Struct(">I")
GRACE_S = 5
"""After its time limit, a worker process ends itself this much later, in case the server that ends it has died."""
# The unreachable proxy blocks network access.
ENVIRONMENT = {"HTTP_PROXY": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9", "RAYON_NUM_THREADS": "2"}
INHERITED = ("HOME", "PATH")


@dataclass(frozen=True)
class WorkerLimits:
    """The limits for one message."""

    time_s: int
    memory_bytes: int


@dataclass(frozen=True)
class WorkerProgram:
    """A module that calls `serve_messages`, and the limits that it passes."""

    module: str
    limits: WorkerLimits
    folder: Path
    arguments: Sequence[str] = ()
    may_be_killed: bool = True
    """Whether the process is killed when the caller goes away. Otherwise it finishes its message."""


class WorkerPool:
    """Worker processes of one program. Owners take turns, and the messages of an owner that wait are limited."""

    def __init__(self, program: WorkerProgram, queue: FairQueue, processes: int) -> None:
        self._queue = queue
        self._idle = [WorkerProcess(program) for _ in range(processes)]

    async def call(self, owner: int, message: bytes) -> bytes | None:
        """Return the result of a message, or None if a limit was exceeded. Raises TooManyRequests."""
        async with self._queue.slot(owner):
            process = self._idle.pop()
            try:
                return await process.call(message)
            finally:
                self._idle.append(process)


class WorkerProcess:
    """A worker process that handles one message at a time. It starts on demand and restarts after a crash."""

    def __init__(self, program: WorkerProgram) -> None:
        self._program = program
        self._process: subprocess.Popen[bytes] | None = None
        self._executor = ThreadPoolExecutor(1, thread_name_prefix=program.module)

    async def call(self, message: bytes) -> bytes | None:
        """Return the result of a message, or None if a limit was exceeded, without blocking the event loop."""
        future = asyncio.get_running_loop().run_in_executor(self._executor, self._call, message)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            if self._program.may_be_killed and self._process is not None:
                self._process.kill()
            await asyncio.wait([future])
            raise

    def _call(self, message: bytes) -> bytes | None:
        """A reused process may run out of memory because of earlier messages, so a new one tries again."""
        is_reused = self._is_running()
        result, is_late = self._exchange(message)
        if result is None and is_reused and not is_late:
            result, _ = self._exchange(message)
        return result

    def _exchange(self, message: bytes) -> tuple[bytes | None, bool]:
        """Return the result, and whether the time limit was exceeded."""
        process = self._ensure_process()
        stdin, stdout = _pipes(process)
        result, is_late = None, False
        with suppress(BrokenPipeError):
            write_message(message, stdin)
            is_late = not _wait_for_output(stdout, self._program.limits.time_s)
            result = None if is_late else read_message(stdout)
        if result is None:
            self._end(process)
        return result, is_late

    def _is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _ensure_process(self) -> subprocess.Popen[bytes]:
        """Return the running process. It exits with this process, because its input then ends."""
        if self._process is not None and not self._is_running():
            self._end(self._process)
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", self._program.module, *self._program.arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**ENVIRONMENT, **{name: os.environ[name] for name in INHERITED if name in os.environ}},
                cwd=self._program.folder,
                start_new_session=True,
            )
        return self._process

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait()
        for pipe in _pipes(process):
            with suppress(BrokenPipeError):
                pipe.close()
        self._process = None


def serve_messages(handle: Callable[[bytes], bytes], limits: WorkerLimits) -> None:
    """Write the result of each message, until the input ends. Called by the worker process."""
    with suppress(ValueError, OSError):  # the system may not support this limit
        resource.setrlimit(resource.RLIMIT_AS, (limits.memory_bytes, limits.memory_bytes))
    while (message := read_message(sys.stdin.buffer)) is not None:
        signal.alarm(limits.time_s + GRACE_S)
        result = handle(message)
        signal.alarm(0)
        write_message(result, sys.stdout.buffer)


def write_message(content: bytes, stream: IO[bytes]) -> None:
    """Write a message, preceded by its length."""
    stream.write(LENGTH.pack(len(content)))
    stream.write(content)
    stream.flush()


def read_message(stream: IO[bytes]) -> bytes | None:
    """Read the next message. Returns None at the end of the stream or if the message is incomplete."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    content = stream.read(length)
    return content if len(content) == length else None


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    """Return the standard input and output of a process. Raises ValueError if they are not pipes."""
    if process.stdin is None or process.stdout is None:
        raise ValueError("the process was started without pipes")
    return process.stdin, process.stdout


def _wait_for_output(stream: IO[bytes], timeout_s: int) -> bool:
    """Return whether output arrives, or the stream ends, before the timeout."""
    poll = select.poll()
    poll.register(stream, select.POLLIN)
    return bool(poll.poll(timeout_s * 1000))
