"""The log: JSON lines on standard error, one for each event, without personal data.

Lines of requests are buffered for a moment, because writing many at once is much cheaper. They are written in chunks of
at most PIPE_BUF bytes, which a pipe does not interleave with the output of other processes.
"""

import asyncio
import select
import sys
import time
from datetime import UTC, datetime
from enum import IntEnum
from functools import lru_cache

import msgspec

MAX_DELAY_S = 0.05

_encode = msgspec.json.Encoder().encode


class LogLevel(IntEnum):
    """How serious an event is."""

    INFO = 1
    WARNING = 2
    """Something is wrong that ends without an operator, such as a lost connection."""
    ERROR = 3
    """Something failed."""


_LEVEL_NAMES = {level: level.name.lower() for level in LogLevel}


class LogBuffer:
    """Events that have not been written yet, each with its time, level, name and values."""

    def __init__(self) -> None:
        self._events: list[tuple[int, LogLevel, str, dict[str, object]]] = []
        self._is_buffering = True

    def add(self, level: LogLevel, event: str, values: dict[str, object]) -> None:
        """Add an event, to be written soon."""
        if not self._events and self._is_buffering:
            asyncio.get_running_loop().call_later(MAX_DELAY_S, self.flush)
        self._events.append((time.time_ns(), level, event, values))
        if not self._is_buffering:
            self.flush()

    def flush(self) -> None:
        """Write all buffered events."""
        events, self._events = self._events, []
        chunk = b""
        for event in events:
            line = _format_line(*event)
            if len(chunk) + len(line) > select.PIPE_BUF:
                _write(chunk)
                chunk = b""
            chunk += line
        _write(chunk)

    def stop_buffering(self) -> None:
        """Write all buffered events, and later ones at once, because the process is about to end."""
        self._is_buffering = False
        self.flush()


_buffer = LogBuffer()
_min_level = LogLevel.INFO
stop_buffering = _buffer.stop_buffering


def set_log_level(level: LogLevel) -> None:
    """Do not log events below this level."""
    global _min_level
    _min_level = level


def log(level: LogLevel, event: str, **values: object) -> None:
    """Log an event at once."""
    if level >= _min_level:
        _buffer.flush()
        _write(_format_line(time.time_ns(), level, event, values))


def log_buffered(level: LogLevel, event: str, values: dict[str, object]) -> None:
    """Log a frequent event. Requires a running event loop."""
    if level >= _min_level:
        _buffer.add(level, event, values)


def _format_line(at_ns: int, level: LogLevel, event: str, values: dict[str, object]) -> bytes:
    seconds, ms = divmod(at_ns // 1_000_000, 1000)
    at = f"{_format_second(seconds)}.{ms:03d}+00:00"
    return _encode({"at": at, "level": _LEVEL_NAMES[level], "event": event, **values}) + b"\n"


@lru_cache(maxsize=1)
def _format_second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _write(chunk: bytes) -> None:
    if chunk:
        sys.stderr.buffer.write(chunk)
        sys.stderr.buffer.flush()
