"""Reading of workbooks in a worker process with limits."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

import msgspec

from gaji.core.caller_connection import run_while_connected
from gaji.core.errors import ERROR_CODES, ErrorCode, Errors, MalformedRequest, ValidationError, invalid
from gaji.core.fair_queue import FairQueue
from gaji.core.worker_process import WorkerPool, WorkerProgram
from gaji.imports.employees.file_values import unpack_cell
from gaji.imports.employees.sheet_formats import CHILDREN, EMPLOYEES, TAKE_ON, WorkbookContent, empty_sheet
from gaji.imports.employees.workbook_protocol import LIMITS, MarkRequest, PackedSheet, ReadRequest, ReadResult
from gaji.imports.employees.xlsx_reader import SheetContent, SheetFormat, SheetRow
from gaji.imports.employees.xlsx_safety import WORKBOOK

WORKER = "gaji.imports.employees.workbook_worker"
FORMATS = (EMPLOYEES, CHILDREN, TAKE_ON)
MAX_WAITING = 5
"""Workbooks of one account that wait, in each server process."""

WORKBOOK_LIMITS_EXCEEDED = ErrorCode(
    "workbook_limits_exceeded", "takes more than {max_s} s or {max_mib} MiB to read; divide it into smaller ones"
)

_pool = WorkerPool(
    WorkerProgram(WORKER, LIMITS, Path(__file__).parent),
    FairQueue("workbooks", slots=2, max_waiting=MAX_WAITING, slots_per_owner=1),
    processes=2,
)


async def read_workbook(account_id: int, content: bytes) -> WorkbookContent:
    """Read the sheets of a workbook. The work is cancelled if the caller disconnects.

    Raises MalformedRequest if it is unreadable, ValidationError if it is too large, and TooManyRequests.
    """
    message = msgspec.msgpack.encode(ReadRequest(content, FORMATS))
    encoded = await run_while_connected(_pool.call(account_id, message))
    return await asyncio.to_thread(_unpack, encoded)


async def mark_cells(account_id: int, content: bytes, messages: Mapping[str, str]) -> bytes:
    """Return the workbook with these cells marked, each with a message by its name, such as `Employees!F12`."""
    message = msgspec.msgpack.encode(MarkRequest(content, dict(messages)))
    marked = await run_while_connected(_pool.call(account_id, message))
    return marked or _require_memory()


def _require_memory() -> NoReturn:
    max_mib = LIMITS.memory_bytes // 1024**2
    raise invalid(WORKBOOK, WORKBOOK_LIMITS_EXCEEDED, max_s=LIMITS.time_s, max_mib=max_mib)


def _unpack(encoded: bytes | None) -> WorkbookContent:
    result = ReadResult(is_out_of_memory=True) if encoded is None else msgspec.msgpack.decode(encoded, type=ReadResult)
    if result.is_out_of_memory:
        _require_memory()
    if result.malformed:
        raise MalformedRequest(result.malformed)
    if result.errors:
        raise ValidationError(_unpack_errors(result))
    return WorkbookContent(*map(_unpack_sheet, result.sheets, FORMATS))


def _unpack_sheet(sheet: PackedSheet | None, sheet_format: SheetFormat) -> SheetContent:
    if sheet is None:
        return empty_sheet(sheet_format)
    rows = [SheetRow(number, tuple(map(unpack_cell, cells))) for number, cells in sheet.rows]
    return SheetContent(sheet.name, sheet.header_row, sheet.keys, rows)


def _unpack_errors(result: ReadResult) -> Errors:
    errors = Errors()
    for error in result.errors:
        errors.add(error.path, ERROR_CODES[error.code], **error.params)
    return errors
