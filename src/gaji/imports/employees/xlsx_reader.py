"""Read the sheets of a workbook: the keys of their columns and the cells of their rows."""

import io
import itertools
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from gaji.core.errors import ErrorCode, GajiError, MalformedRequest, invalid
from gaji.imports.employees import xlsx_safety
from gaji.imports.employees.file_values import Cell, is_blank, parse_file_value

MAX_COLUMNS = 1000
MAX_HEADER_ROW = 10
"""The header must be in the first rows."""
MAX_LISTED_SHEETS_LENGTH = 200
UNCALCULATED = "a formula that has no value yet"
"""Marks a formula whose value is not stored in the file."""
ERROR_VALUES = frozenset(
    ("#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#GETTING_DATA", "#SPILL!", UNCALCULATED)
)

SHEET_NOT_FOUND = ErrorCode("sheet_not_found", "the workbook has no sheet of this name; it has {sheets}")
HEADER_NOT_FOUND = ErrorCode(
    "header_not_found", "none of the first {rows} rows contains attribute keys such as {example}"
)
TOO_MANY_COLUMNS = ErrorCode("too_many_columns", "must not have more than {maximum} columns")
TOO_MANY_ROWS = ErrorCode("too_many_rows", "must not have more than {maximum} rows")

NumberedRow = tuple[int, tuple[object, ...]]
"""The values of a row, with its number."""

warnings.filterwarnings("ignore", module="openpyxl")  # It warns about parts that it ignores, which is expected.


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A row that is not empty: its number, and its cells in the order of the keys."""

    number: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class SheetFormat:
    """A sheet that a workbook can have, and the keys of its columns."""

    name: str
    names: frozenset[str]
    example: str
    """A key that the message about a missing header names."""
    max_rows: int
    prefixes: tuple[str, ...] = ()
    """The beginnings of further keys, such as those of calculations."""
    is_required: bool = False
    alternative: str = ""
    """A sheet with which a required one can be left out."""

    def count_keys(self, values: Sequence[object]) -> int:
        """Return how many values of a row are keys."""
        return sum(isinstance(value, str) and self._is_key(value.strip()) for value in values)

    def _is_key(self, name: str) -> bool:
        return name in self.names or name.startswith(self.prefixes)


@dataclass(frozen=True)
class SheetContent:
    """The content of a sheet."""

    name: str
    header_row: int
    """The number of the row with the keys."""
    keys: Sequence[tuple[str, int]]
    """The keys, each with its column number, counted from 1."""
    rows: Sequence[SheetRow]


def read_sheets(content: bytes, formats: Sequence[SheetFormat]) -> list[SheetContent | None]:
    """Read the sheets of a workbook. An optional one that is missing or empty is None.

    Raises MalformedRequest if it is unreadable, ValidationError if it is too large. Only the worker process calls it,
    because a file can take any amount of time and memory.
    """
    xlsx_safety.require_safe(content)
    try:
        with _open_workbook(content, values=True) as workbook:
            formats = [_with_alternative(workbook, item) for item in formats]
            if not xlsx_safety.has_formulas(content):
                return [_parse_rows(_iterate_rows(workbook, item), item) for item in formats]
            with _open_workbook(content, values=False) as formulas:
                return [_parse_rows(_iterate_marked_rows(workbook, formulas, item), item) for item in formats]
    except (GajiError, MemoryError):
        raise
    except Exception:  # The library can fail in any way on a broken file.
        raise MalformedRequest(xlsx_safety.UNREADABLE) from None


@contextmanager
def _open_workbook(content: bytes, *, values: bool) -> Iterator[Any]:
    """Open the workbook, with the values of formulas or with the formulas themselves."""
    import openpyxl  # takes longer than any other import, and most processes never need it

    workbook = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=values, keep_links=False)
    try:
        yield workbook
    finally:
        workbook.close()


def _with_alternative(workbook: Any, sheet_format: SheetFormat) -> SheetFormat:
    """Return the format, which is not required if the workbook has the alternative sheet and not this one."""
    titles = {sheet.title.casefold() for sheet in workbook.worksheets}
    is_replaced = sheet_format.name.casefold() not in titles and sheet_format.alternative.casefold() in titles
    return replace(sheet_format, is_required=False) if is_replaced else sheet_format


def _iterate_rows(workbook: Any, sheet_format: SheetFormat) -> Iterator[NumberedRow]:
    """Yield the rows of a sheet. They have one column more than allowed, so that an excess can be detected."""
    sheets = {sheet.title.casefold(): sheet for sheet in workbook.worksheets}
    sheet = sheets.get(sheet_format.name.casefold())
    if sheet is None:
        if not sheet_format.is_required:
            return
        names = ", ".join(workbook.sheetnames)[:MAX_LISTED_SHEETS_LENGTH]
        raise invalid(sheet_format.name, SHEET_NOT_FOUND, sheets=names)
    sheet.reset_dimensions()  # The dimensions stored in a file are not always right.
    for number, values in enumerate(sheet.iter_rows(max_col=MAX_COLUMNS + 1, values_only=True), start=1):
        if number > xlsx_safety.MAX_SHEET_ROWS:
            raise MalformedRequest(xlsx_safety.UNREADABLE)
        yield number, values


def _iterate_marked_rows(workbook: Any, formulas: Any, sheet_format: SheetFormat) -> Iterator[NumberedRow]:
    """Yield the rows of a sheet with marked formulas."""
    return map(_mark_uncalculated, _iterate_rows(workbook, sheet_format), _iterate_rows(formulas, sheet_format))


def _mark_uncalculated(row: NumberedRow, formulas: NumberedRow) -> NumberedRow:
    """Return the values of a row, with a marker for formulas without a value, which would otherwise look empty."""
    number, values = row
    pairs = zip(values, formulas[1], strict=True)
    return number, tuple(UNCALCULATED if value is None and formula is not None else value for value, formula in pairs)


def _parse_rows(rows: Iterator[NumberedRow], sheet_format: SheetFormat) -> SheetContent | None:
    top = list(itertools.islice(rows, MAX_HEADER_ROW))
    if not sheet_format.is_required and all(value is None for _, values in top for value in values):
        return None
    header_row, names = max(top, key=lambda row: sheet_format.count_keys(row[1]), default=(0, ()))
    if not sheet_format.count_keys(names):
        example = sheet_format.example
        raise invalid(f"{sheet_format.name}!A1", HEADER_NOT_FOUND, rows=MAX_HEADER_ROW, example=example)
    if len(names) > MAX_COLUMNS and names[MAX_COLUMNS] is not None:
        raise invalid(sheet_format.name, TOO_MANY_COLUMNS, maximum=f"{MAX_COLUMNS:,}")
    keys = [(str(name).strip(), number) for number, name in enumerate(names, start=1) if name and str(name).strip()]
    indexes = [number - 1 for _, number in keys]
    sheet_rows: list[SheetRow] = []
    for number, values in itertools.chain(top[header_row:], rows):
        cells = tuple(parse_file_value(values[index]) if index < len(values) else None for index in indexes)
        if all(is_blank(cell) for cell in cells):
            continue
        if len(sheet_rows) == sheet_format.max_rows:
            maximum = f"{sheet_format.max_rows:,}"
            raise invalid(f"{sheet_format.name}!A{number}", TOO_MANY_ROWS, maximum=maximum)
        sheet_rows.append(SheetRow(number, cells))
    return SheetContent(sheet_format.name, header_row, keys, sheet_rows)
