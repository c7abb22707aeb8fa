"""The log: JSON lines on standard error, one for each thing that happened, without personal data.

A request's line costs more to write than to make, so the lines of requests wait a moment for each other. They are
written in pieces that a pipe takes whole, because several processes may write to the same one.
"""

import asyncio
import select
import sys
import time
from datetime import UTC, datetime
from functools import lru_cache

import msgspec

MOST_WAIT_S = 0.05

_encode = msgspec.json.Encoder().encode


class Lines:
    """The lines that wait to be written."""

    def __init__(self) -> None:
        self._waiting: list[bytes] = []
        self._bytes = 0
        self._at_once = False

    def add(self, line: bytes) -> None:
        """Write this line soon."""
        if self._bytes + len(line) > select.PIPE_BUF:
            self.write()
        if not self._waiting and not self._at_once:
            asyncio.get_running_loop().call_later(MOST_WAIT_S, self.write)
        self._waiting.append(line)
        self._bytes += len(line)
        if self._at_once:
            self.write()

    def write(self) -> None:
        """Write what waits."""
        lines, self._waiting, self._bytes = self._waiting, [], 0
        sys.stderr.buffer.write(b"".join(lines))
        sys.stderr.buffer.flush()

    def stop_waiting(self) -> None:
        """Write what waits, and whatever still comes as it comes: the process is about to end."""
        self._at_once = True
        self.write()


_lines = Lines()
stop_waiting = _lines.stop_waiting


def log(event: str, **values: object) -> None:
    """Log that something happened, now."""
    _lines.write()
    sys.stderr.buffer.write(_line(event, values))
    sys.stderr.buffer.flush()


def log_soon(event: str, **values: object) -> None:
    """Log that something ordinary happened; for use where an event loop runs."""
    _lines.add(_line(event, values))


def _line(event: str, values: dict[str, object]) -> bytes:
    seconds, ms = divmod(time.time_ns() // 1_000_000, 1000)
    return _encode({"at": f"{_second(seconds)}.{ms:03d}+00:00", "event": event, **values}) + b"\n"


@lru_cache(maxsize=1)
def _second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
