"""The worker process that reads workbooks.

It imports little, so that it starts fast and leaves the memory to the workbook.
"""

import msgspec

from gaji.core.errors import MalformedRequest, ValidationError
from gaji.core.worker_process import serve_messages
from gaji.imports.employees.file_values import pack_cell
from gaji.imports.employees.workbook_protocol import (
    LIMITS,
    MarkRequest,
    PackedError,
    PackedSheet,
    ReadRequest,
    ReadResult,
)
from gaji.imports.employees.xlsx_marker import mark_cells
from gaji.imports.employees.xlsx_reader import SheetContent, read_sheets


def main() -> None:
    """Read workbooks until the input ends."""
    serve_messages(_handle, LIMITS)


def _handle(message: bytes) -> bytes:
    request = msgspec.msgpack.decode(message, type=ReadRequest | MarkRequest)
    if isinstance(request, MarkRequest):
        return mark_workbook(request)
    return msgspec.msgpack.encode(read_workbook(request))


def mark_workbook(request: MarkRequest) -> bytes:
    """Return the marked workbook. Empty if there is not enough memory for it."""
    try:
        return mark_cells(request.content, request.messages)
    except MemoryError:
        return b""


def read_workbook(request: ReadRequest) -> ReadResult:
    """Return the sheets of a workbook, or the error."""
    try:
        sheets = [_pack(sheet) for sheet in read_sheets(request.content, request.formats)]
    except MemoryError:
        return ReadResult(is_out_of_memory=True)
    except MalformedRequest as error:
        return ReadResult(malformed=error.message)
    except ValidationError as error:
        errors = [PackedError(path, item.kind.code, dict(item.params)) for path, item in error.errors.items()]
        return ReadResult(errors=errors)
    return ReadResult(sheets)


def _pack(sheet: SheetContent | None) -> PackedSheet | None:
    if sheet is None:
        return None
    rows = [(row.number, [pack_cell(cell) for cell in row.cells]) for row in sheet.rows]
    return PackedSheet(sheet.name, sheet.header_row, sheet.keys, rows)


if __name__ == "__main__":
    main()
