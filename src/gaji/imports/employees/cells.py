"""Values in cells: how what is kept is shown, and what somebody means by what a cell says."""

import re
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from gaji.core.vault import masked
from gaji.imports.employees.columns import Column, Form

Cell = str | bool | int | Decimal | date | None

WRITTEN = re.compile(r"-?[0-9]{1,40}(\.[0-9]{1,40})?")
MOST_DIGITS = 15
"""That a spreadsheet keeps of a number; one with more is shown as text."""
ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
NUMERIC = (Form.NUMBER, Form.AMOUNT)


def value_at(record: Mapping[str, Any], column: Column) -> Any:
    """The value of a column in a nested record."""
    found: Any = record
    for part in column.path:
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def shown(column: Column, value: Any, *, hide: bool = False) -> Cell:
    """A value that is kept, as its cell shows it."""
    if value is None or value == "":
        return None
    if column.is_hidden and hide:
        return masked(str(value))
    if column.options:
        return column.options.get(str(value), str(value))
    if column.form is Form.DAY and isinstance(value, str):
        return date.fromisoformat(value)
    if column.form in NUMERIC and isinstance(value, str):
        number = Decimal(value)
        return number if len(number.as_tuple().digits) <= MOST_DIGITS else value
    if isinstance(value, str) and value.startswith("<r>"):
        return f" {value}"  # the library would take this beginning for markup of its own
    found: Cell = value
    return found


def from_file(value: object) -> Cell:
    """A cell as the file has it, in one of the few types that are told apart here."""
    if isinstance(value, float):
        # Beyond its 15 digits a number is what binary arithmetic left of it.
        number = Decimal(f"{value:.{MOST_DIGITS}g}")
        return number if number.is_finite() else str(value)
    if isinstance(value, datetime):
        return value.date() if value.time() == datetime.min.time() else value.isoformat(" ")
    if isinstance(value, str):
        return ESCAPED.sub(lambda found: chr(int(found[1], 16)), value) if "_x" in value else value
    if value is None or isinstance(value, bool | int | date | Decimal):
        return value
    return str(value)


def meant(column: Column, cell: Cell) -> Cell:
    """What a cell of this column means, so that two that mean the same are equal.

    >>> amount = Column("a", "A", "", Form.AMOUNT)
    >>> meant(amount, "4200.50") == meant(amount, Decimal("4200.5")), meant(amount, " ")
    (True, None)
    """
    if cell is None or (isinstance(cell, str) and not cell.strip()):
        return None
    if column.form in NUMERIC and not isinstance(cell, bool):
        return _number(cell)
    if column.form is Form.DAY:
        return _day(cell)
    if column.form is Form.BOOLEAN:
        text = str(cell).strip().lower()
        return text == "true" if text in ("true", "false") else str(cell)
    return _text(cell)


def entered(column: Column, cell: Cell) -> str | bool | int | Decimal | None:
    """What a cell means, as a request would say it."""
    found = meant(column, cell)
    if column.options and isinstance(found, str):
        return next((option for option, name in column.options.items() if name == found), found)
    if isinstance(found, date):
        return found.isoformat()
    if isinstance(found, Decimal) and found == found.to_integral_value() and abs(found) < 10**MOST_DIGITS:
        return int(found)
    return found


def is_unchanged(column: Column, cell: Cell, value: Any) -> bool:
    """Whether a cell says what is kept; a masked identifier says that it is to stay."""
    if column.is_hidden and value and cell == masked(str(value)):
        return True
    said = meant(column, cell)
    return said == meant(column, shown(column, value)) or (said is None and value == column.default)


def _number(cell: str | int | Decimal | date) -> Cell:
    if isinstance(cell, str) and WRITTEN.fullmatch(cell.strip()):
        return Decimal(cell.strip())
    return Decimal(cell) if isinstance(cell, int) else cell


def _day(cell: str | bool | int | Decimal | date) -> Cell:
    if isinstance(cell, str):
        try:
            return date.fromisoformat(cell.strip()) if len(cell.strip()) == len("2026-03-31") else cell
        except ValueError:
            return cell
    return cell if isinstance(cell, date) else str(cell)


def _text(cell: str | bool | int | Decimal | date) -> str:
    if isinstance(cell, Decimal):
        return f"{cell:f}"
    return str(cell).lower() if isinstance(cell, bool) else str(cell)
