"""Cell values: conversion between stored values, cells of a file and request values."""

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
NUMERIC = (CellFormat.NUMBER, CellFormat.AMOUNT)


def value_at(record: Mapping[str, Any], column: Column) -> Any:
    """Return the value of a column in a nested record."""
    value: Any = record
    for segment in column.path:
        value = value.get(segment) if isinstance(value, Mapping) else None
    return value


def to_cell(column: Column, value: Any, *, hide_identifiers: bool = False) -> Cell:
    """Return the cell of a stored value."""
    if value is None or value == "":
        return None
    if column.is_identifier and hide_identifiers:
        return mask(str(value))
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
        return None
    if column.format in NUMERIC and not isinstance(cell, bool):
        return _normalise_number(cell)
    if column.format is CellFormat.DATE:
        return _normalise_date(cell)
    if column.format is CellFormat.BOOLEAN:
        text = str(cell).strip().lower()
        return text == "true" if text in ("true", "false") else str(cell)
    return _normalise_text(cell)


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
    return Decimal(cell) if isinstance(cell, int) else cell


def _normalise_date(cell: str | bool | int | Decimal | date) -> Cell:
    if isinstance(cell, str):
        try:
            return date.fromisoformat(cell.strip()) if len(cell.strip()) == len("2026-03-31") else cell
        except ValueError:
            return cell
    return cell if isinstance(cell, date) else str(cell)


def _normalise_text(cell: str | bool | int | Decimal | date) -> str:
    if isinstance(cell, Decimal):
        return f"{cell:f}"
    return str(cell).lower() if isinstance(cell, bool) else str(cell)
