"""Messages between a server and the worker processes that read workbooks."""

from collections.abc import Sequence
from typing import Any

import msgspec

from gaji.core.worker_process import WorkerLimits
from gaji.imports.employees.file_values import PackedCell
from gaji.imports.employees.xlsx_reader import SheetFormat

LIMITS = WorkerLimits(time_s=120, memory_bytes=600 * 1024**2)


class MarkRequest(msgspec.Struct, frozen=True, tag=True):
    """A workbook whose cells are marked."""

    content: bytes
    messages: dict[str, str]
    """By cell, such as `Employees!F12`."""


class ReadRequest(msgspec.Struct, frozen=True, tag=True):
    """A workbook to read, and its sheets."""

    content: bytes
    formats: tuple[SheetFormat, ...]


class PackedSheet(msgspec.Struct, frozen=True):
    """The content of a sheet."""

    name: str
    header_row: int
    keys: Sequence[tuple[str, int]]
    rows: Sequence[tuple[int, Sequence[PackedCell]]]


class PackedError(msgspec.Struct, frozen=True):
    """An error of an attribute."""

    path: str
    code: str
    params: dict[str, Any]


class ReadResult(msgspec.Struct, frozen=True):
    """The sheets, or the reason why there are none."""

    sheets: Sequence[PackedSheet | None] = ()
    """In the order of the request. None for an optional sheet that is missing."""
    is_out_of_memory: bool = False
    malformed: str = ""
    """The message of an unreadable file."""
    errors: Sequence[PackedError] = ()
