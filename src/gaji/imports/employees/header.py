"""The header row of a sheet: the keys of its columns."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gaji.core.errors import ErrorCode, Errors, FieldError
from gaji.core.validation import MAX_NAME_LENGTH, suggest
from gaji.engine.catalogue import Catalogue
from gaji.imports.employees.cell_errors import CellErrors
from gaji.imports.employees.columns import CUSTOM_FIELDS, Column
from gaji.imports.employees.xlsx_reader import SheetContent
from gaji.payroll.bulk_input.entities import (
    CALCULATION_PREFIX,
    INPUT_KEY_PARTS,
    UNKNOWN_EMPLOYEE_ATTRIBUTE,
    WRONG_INPUT_KEY,
)
from gaji.payroll.calculations.input_parsing import FieldPath, parse_inputs
from gaji.payroll.calculations.rules import find_enterable_type

DUPLICATE_COLUMN = ErrorCode("duplicate_column", "appears twice; remove one of the two columns")
UNKNOWN_CUSTOM_FIELD = ErrorCode("unknown_custom_field", "this client has no such custom field")
UNKNOWN_BALANCE = ErrorCode("unknown_opening_balance", "is not an attribute of opening balances of this client")
UNKNOWN_CHILD_ATTRIBUTE = ErrorCode("unknown_child_attribute", "is not an attribute of a child")


@dataclass(frozen=True)
class SheetHeader:
    """The known columns of a sheet."""

    columns: Sequence[tuple[int, Column]]
    """Each with its index in the cells of a row."""

    def has_group(self, group: str, known: Mapping[str, Column]) -> bool:
        """Return whether the sheet has all columns of a group."""
        keys = {key for key in known if key.startswith(f"{group}.")}
        return keys <= {column.key for _, column in self.columns}


def read_employee_header(
    sheet: SheetContent, known: Mapping[str, Column], catalogue: Catalogue, errors: CellErrors
) -> SheetHeader:
    """Return the header of a sheet of employees."""
    return _read_header(sheet, known, errors, lambda key: _unknown_key_error(key, known, catalogue))


def read_child_header(sheet: SheetContent, known: Mapping[str, Column], errors: CellErrors) -> SheetHeader:
    """Return the header of a sheet of children."""
    return _read_header(sheet, known, errors, lambda key: _unknown_attribute_error(key, known, UNKNOWN_CHILD_ATTRIBUTE))


def read_take_on_header(sheet: SheetContent, known: Mapping[str, Column], errors: CellErrors) -> SheetHeader:
    """Return the header of a sheet of opening balances."""
    return _read_header(sheet, known, errors, lambda key: _unknown_attribute_error(key, known, UNKNOWN_BALANCE))


def _read_header(
    sheet: SheetContent, known: Mapping[str, Column], errors: CellErrors, unknown_error: Callable[[str], FieldError]
) -> SheetHeader:
    """Return the header of a sheet. Unknown and duplicate keys are errors of their cells."""
    columns: dict[str, tuple[int, Column]] = {}
    for index, (key, column_number) in enumerate(sheet.keys):
        position = (sheet.header_row, column_number)
        if key in columns:
            errors.add(position, FieldError(key, DUPLICATE_COLUMN))
        elif key in known:
            columns[key] = (index, known[key])
        else:
            errors.add(position, unknown_error(key))
    return SheetHeader(list(columns.values()))


def _unknown_key_error(key: str, known: Mapping[str, Column], catalogue: Catalogue) -> FieldError:
    parts = key.split(".")
    if parts[0] == CALCULATION_PREFIX:
        return _unknown_input_error(key, parts, catalogue)
    if parts[0] == CUSTOM_FIELDS:
        return FieldError(key, UNKNOWN_CUSTOM_FIELD)
    return _unknown_attribute_error(key, known, UNKNOWN_EMPLOYEE_ATTRIBUTE)


def _unknown_attribute_error(key: str, known: Mapping[str, Column], code: ErrorCode) -> FieldError:
    suggestion = suggest(key, list(known)) if len(key) <= MAX_NAME_LENGTH else None
    return FieldError(key, code, {"suggestion": suggestion})


def _unknown_input_error(key: str, parts: Sequence[str], catalogue: Catalogue) -> FieldError:
    if len(parts) != INPUT_KEY_PARTS or not all(parts):
        return FieldError(key, WRONG_INPUT_KEY)
    errors = Errors()
    calculation_type = find_enterable_type(catalogue, parts[1], parts[1], errors)
    if calculation_type is not None:
        parse_inputs(calculation_type, FieldPath("employee"), {parts[2]: None}, errors)
    return next(iter(errors.values()))
