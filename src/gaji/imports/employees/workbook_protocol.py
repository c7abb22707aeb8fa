"""Messages between a server and the worker processes that read workbooks."""

from collections.abc import Sequence
from typing import Any

import msgspec

from gaji.core.worker_process import WorkerLimits
from gaji.imports.employees.file_values import PackedCell

LIMITS = WorkerLimits(time_s=120, memory_bytes=600 * 1024**2)


class ReadRequest(msgspec.Struct, frozen=True):
    """A workbook to read, and the keys that its columns can have."""

    content: bytes
    names: frozenset[str]
    prefixes: tuple[str, ...]


class PackedError(msgspec.Struct, frozen=True):
    """An error of an attribute."""

    path: str
    code: str
    params: dict[str, Any]


class ReadResult(msgspec.Struct, frozen=True):
    """The employee sheet, or the reason why there is none."""

    header_row: int = 0
    keys: Sequence[tuple[str, int]] = ()
    rows: Sequence[tuple[int, Sequence[PackedCell]]] = ()
    is_out_of_memory: bool = False
    malformed: str = ""
    """The message of an unreadable file."""
    errors: Sequence[PackedError] = ()
