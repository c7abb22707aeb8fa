"""Cell values: conversion between stored values, cells of a file and request values."""

import calendar
import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from gaji.core.vault import mask
from gaji.imports.employees.columns import CellFormat, Column
from gaji.imports.employees.file_values import MAX_DIGITS, Cell, is_blank
from gaji.people.employees.days_by_year import days_by_year_text

DECIMAL_TEXT = re.compile(r"-?[0-9]{1,40}(\.[0-9]{1,40})?")
AMOUNT_TEXT = re.compile(r"S?\$?\s*([0-9]{1,3}(?:,[0-9]{3}){0,12}|[0-9]{1,40})(\.[0-9]{1,40})?")
"""An amount as people write it, with an optional dollar sign and optional commas."""
DAY_TEXT = re.compile(r"([0-9]{1,2}) ([A-Za-z]{3,9}) ([0-9]{4})")
"""A date as the console shows it, such as 16 Nov 2026."""
MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
FLAGS = {"true": True, "yes": True, "y": True, "false": False, "no": False, "n": False}
YES, NO = "Yes", "No"
NUMERIC = (CellFormat.NUMBER, CellFormat.AMOUNT)


def value_at(record: Mapping[str, Any], column: Column) -> Any:
    """Return the value of a column in a nested record."""
    value: Any = record
    for segment in column.path:
        value = value.get(segment) if isinstance(value, Mapping) else None
    return value


def to_cell(column: Column, value: Any, *, hide_identifiers: bool = False, words: bool = False) -> Cell:
    """Return the cell of a stored value. With words, lists and flags have those of the console instead of codes."""
    if value is None or value == "":
        return None
    if column.is_identifier and hide_identifiers:
        return mask(str(value))
    if words and (word := _word(column, value)):
        return word
    if isinstance(value, Mapping):
        return days_by_year_text(value) or None
    if column.options:
        return column.options.get(str(value), str(value))
    if column.format is CellFormat.DATE and isinstance(value, str):
        return date.fromisoformat(value)
    if column.format in NUMERIC and isinstance(value, str):
        number = Decimal(value)
        return number if len(number.as_tuple().digits) <= MAX_DIGITS else value
    if isinstance(value, str) and value.startswith("<r>"):
        return f" {value}"  # XlsxWriter interprets a leading <r> as its own markup.
    cell: Cell = value
    return cell


def normalise(column: Column, cell: Cell) -> Cell:
    """Return the normal form of a cell, so that cells with the same meaning are equal.

    >>> amount = Column("a", "A", "", CellFormat.AMOUNT)
    >>> normalise(amount, "4200.50") == normalise(amount, Decimal("4200.5")), normalise(amount, " ")
    (True, None)
    """
    if cell is None or is_blank(cell):
        return bool(column.default) if column.is_flag else None
    if column.words and isinstance(cell, str) and (value := _listed_value(column, cell)) is not None:
        cell = value
    if column.format in NUMERIC and not isinstance(cell, bool):
        return _normalise_number(cell)
    if column.format is CellFormat.DATE:
        return _normalise_date(cell)
    if column.format is CellFormat.BOOLEAN:
        return FLAGS.get(str(cell).strip().lower(), str(cell))
    return _normalise_text(cell)


def _word(column: Column, value: Any) -> str | None:
    """Return the word of the console for a stored value, if there is one. Two races are joined by a hyphen."""
    if column.format is CellFormat.BOOLEAN:
        return YES if value in (True, "true") else NO
    if not column.names:
        return None
    parts = str(value).split("-") if column.open_list else [str(value)]
    return "-".join(column.names[part] for part in parts) if all(part in column.names for part in parts) else None


def _listed_value(column: Column, cell: str) -> str | int | None:
    """Return the value of the list that a cell names by a word or a code, in any case."""
    text = " ".join(cell.split()).casefold()
    if text in column.words or not column.open_list:
        return column.words.get(text)
    parts = [column.words.get(part.strip()) for part in text.split("-")]
    return None if None in parts else "-".join(map(str, parts))


def to_request_value(column: Column, cell: Cell) -> str | bool | int | Decimal | None:
    """Return the value of a cell as in a JSON request."""
    value = normalise(column, cell)
    if column.options and isinstance(value, str):
        return next((option for option, name in column.options.items() if name == value), value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal) and value == value.to_integral_value() and abs(value) < 10**MAX_DIGITS:
        return int(value)
    return value


def is_unchanged(column: Column, cell: Cell, value: Any) -> bool:
    """Return whether a cell equals the stored value. A masked identifier counts as unchanged."""
    if column.is_identifier and value and cell == mask(str(value)):
        return True
    normal = normalise(column, cell)
    return normal == normalise(column, to_cell(column, value)) or (normal is None and value == column.default)


def _normalise_number(cell: str | int | Decimal | date) -> Cell:
    if isinstance(cell, str) and DECIMAL_TEXT.fullmatch(cell.strip()):
        return Decimal(cell.strip())
    if isinstance(cell, str) and (amount := AMOUNT_TEXT.fullmatch(cell.strip())):
        return Decimal(amount[1].replace(",", "") + (amount[2] or ""))
    return Decimal(cell) if isinstance(cell, int) else cell


def _normalise_date(cell: str | bool | int | Decimal | date) -> Cell:
    if isinstance(cell, str):
        try:
            return _parse_day(cell.strip()) or cell
        except ValueError:
            return cell
    return cell if isinstance(cell, date) else str(cell)


def _parse_day(text: str) -> date | None:
    """Return a date such as 2026-03-31, 31 Mar 2026 or 31 March 2026. Raises ValueError for days that do not exist.

    >>> _parse_day("16 Nov 2026"), _parse_day("soon")
    (datetime.date(2026, 11, 16), None)
    """
    if parts := DAY_TEXT.fullmatch(text):
        name = parts[2].lower()
        month = next((number for full, number in MONTHS.items() if name in (full, full[:3])), None)
        return date(int(parts[3]), month, int(parts[1])) if month else None
    return date.fromisoformat(text) if len(text) == len("2026-03-31") else None


def _normalise_text(cell: str | bool | int | Decimal | date) -> str:
    if isinstance(cell, Decimal):
        return f"{cell:f}"
    return str(cell).lower() if isinstance(cell, bool) else str(cell)
