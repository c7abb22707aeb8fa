"""Reading the sheet of employees: which columns it has, by their keys, and the cells of every row."""

import io
import itertools
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import openpyxl

from gaji.core.errors import INVALID, GajiError, MalformedRequest, invalid
from gaji.imports.employees import xlsx_safety
from gaji.imports.employees.columns import CUSTOM, attribute_columns
from gaji.imports.employees.cells import Cell, from_file
from gaji.payroll.bulk_input.entities import CALCULATION_PREFIX

SHEET = "Employees"
MOST_ROWS = 20_000
"""Employees in a workbook."""
MOST_COLUMNS = 1000
MOST_SHEET_ROWS = 1_048_576
"""Of a sheet, by the format."""
HEADER_WITHIN = 10
"""So many rows from the top, one has the keys."""
UNCALCULATED = "a formula that has no value yet"
ERRORS = frozenset(
    ("#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#GETTING_DATA", "#SPILL!", UNCALCULATED)
)
KNOWN = frozenset(column.key for column in attribute_columns())

Numbered = tuple[int, tuple[object, ...]]
"""A row with its number."""

warnings.filterwarnings("ignore", module="openpyxl")  # it tells of parts that it leaves out, which nobody needs here


@dataclass(frozen=True, slots=True)
class Row:
    """A row that says something: its number, and its cells in the order of the keys."""

    number: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Sheet:
    """The sheet of employees."""

    header: int
    """The number of the row with the keys."""
    keys: Sequence[tuple[str, int]]
    """The keys as they are written, each with the number of its column from 1."""
    rows: Sequence[Row]


def read(content: bytes) -> Sheet:
    """The sheet in a workbook; raises Malformed for what is none, and Invalid for one that is too large."""
    xlsx_safety.check(content)
    try:
        with _opened(content, values=True) as book:
            rows = _rows(book)
            if not xlsx_safety.has_formulas(content):
                return _read(rows)
            with _opened(content, values=False) as formulas:
                return _read(map(_with_formulas, rows, _rows(formulas)))
    except GajiError:
        raise
    except Exception:  # a broken file breaks the library in as many ways as a file can be broken
        raise MalformedRequest(xlsx_safety.UNREADABLE) from None


@contextmanager
def _opened(content: bytes, *, values: bool) -> Iterator[Any]:
    """The workbook, with the values of formulas or with the formulas."""
    book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=values, keep_links=False)
    try:
        yield book
    finally:
        book.close()


def _rows(book: Any) -> Iterator[Numbered]:
    """The rows of the sheet with their numbers; one column more than there may be."""
    found = {sheet.title.casefold(): sheet for sheet in book.worksheets}
    sheet = found.get(SHEET.casefold())
    if sheet is None:
        raise invalid(
            SHEET, INVALID, reason=f"the workbook has no sheet of this name; it has {', '.join(book.sheetnames)[:200]}"
        )
    sheet.reset_dimensions()  # what a file says of its size is not always so
    for number, values in enumerate(sheet.iter_rows(max_col=MOST_COLUMNS + 1, values_only=True), start=1):
        if number > MOST_SHEET_ROWS:
            raise MalformedRequest(xlsx_safety.UNREADABLE)
        yield number, values


def _with_formulas(row: Numbered, formulas: Numbered) -> Numbered:
    """The values of a row; a formula that was never calculated is not the same as an empty cell."""
    number, values = row
    pairs = zip(values, formulas[1], strict=True)
    return number, tuple(UNCALCULATED if value is None and formula is not None else value for value, formula in pairs)


def _read(rows: Iterator[Numbered]) -> Sheet:
    top = list(itertools.islice(rows, HEADER_WITHIN))
    header, names = max(top, key=lambda row: _keys_in(row[1]), default=(0, ()))
    if not _keys_in(names):
        raise invalid(
            f"{SHEET}!A1",
            INVALID,
            reason=f"none of the first {HEADER_WITHIN} rows has keys of attributes, such as first_name",
        )
    if len(names) > MOST_COLUMNS and names[MOST_COLUMNS] is not None:
        raise invalid(SHEET, INVALID, reason=f"must not have more than {MOST_COLUMNS:,} columns")
    keys = [(str(name).strip(), place) for place, name in enumerate(names, start=1) if name and str(name).strip()]
    places = [place - 1 for _, place in keys]
    found: list[Row] = []
    for number, values in itertools.chain(top[header:], rows):
        _add(found, number, values, places)
    return Sheet(header, keys, found)


def _add(found: list[Row], number: int, values: tuple[object, ...], places: Sequence[int]) -> None:
    cells = tuple(from_file(values[place]) if place < len(values) else None for place in places)
    if all(cell is None or (isinstance(cell, str) and not cell.strip()) for cell in cells):
        return
    if len(found) == MOST_ROWS:
        raise invalid(f"{SHEET}!A{number}", INVALID, reason=f"must not have more than {MOST_ROWS:,} rows")
    found.append(Row(number, cells))


def _keys_in(names: tuple[object, ...]) -> int:
    return sum(isinstance(name, str) and _is_key(name.strip()) for name in names)


def _is_key(name: str) -> bool:
    return name in KNOWN or name.startswith((f"{CALCULATION_PREFIX}.", f"{CUSTOM}."))
