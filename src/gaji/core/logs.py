"""The log: JSON lines on standard error, one for each thing that happened, without personal data.

The lines of requests wait a moment for each other: to make and write many at once costs a fraction of one by one. They
are written in pieces that a pipe takes whole, because several processes may write to the same one.
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
    """The lines that wait to be written: when each thing happened, what, and its values."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, str, dict[str, object]]] = []
        self._at_once = False

    def add(self, event: str, values: dict[str, object]) -> None:
        """Write this line soon."""
        if not self._waiting and not self._at_once:
            asyncio.get_running_loop().call_later(MOST_WAIT_S, self.write)
        self._waiting.append((time.time_ns(), event, values))
        if self._at_once:
            self.write()

    def write(self) -> None:
        """Write what waits."""
        waiting, self._waiting = self._waiting, []
        piece = b""
        for moment in waiting:
            line = _line(*moment)
            if len(piece) + len(line) > select.PIPE_BUF:
                _write(piece)
                piece = b""
            piece += line
        _write(piece)

    def stop_waiting(self) -> None:
        """Write what waits, and whatever still comes as it comes: the process is about to end."""
        self._at_once = True
        self.write()


_lines = Lines()
stop_waiting = _lines.stop_waiting


def log(event: str, **values: object) -> None:
    """Log that something happened, now."""
    _lines.write()
    _write(_line(time.time_ns(), event, values))


def log_soon(event: str, values: dict[str, object]) -> None:
    """Log that something ordinary happened; for use where an event loop runs."""
    _lines.add(event, values)


def _line(at_ns: int, event: str, values: dict[str, object]) -> bytes:
    seconds, ms = divmod(at_ns // 1_000_000, 1000)
    return _encode({"at": f"{_second(seconds)}.{ms:03d}+00:00", "event": event, **values}) + b"\n"


@lru_cache(maxsize=1)
def _second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _write(piece: bytes) -> None:
    if piece:
        sys.stderr.buffer.write(piece)
        sys.stderr.buffer.flush()
