"""The columns of a client's workbook, and the lists of their allowed values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gaji.company.custom_fields.queries import load_custom_fields
from gaji.company.pay_points.queries import load_pay_point_names
from gaji.company.waves.queries import load_wave_names
from gaji.core.constants import CONSTANT_LISTS, ConstantEntry
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import CalculationType, Catalogue
from gaji.imports.employees.columns import (
    FIRST_KEYS,
    Column,
    attribute_columns,
    calculation_columns,
    child_columns,
    custom_columns,
    recurring_types,
)
from gaji.imports.employees.instructions import EMPLOYEE_INSTRUCTIONS, TAKE_ON_INSTRUCTIONS
from gaji.imports.employees.sheet_formats import CHILDREN, EMPLOYEES, TAKE_ON
from gaji.imports.employees.take_on_columns import take_on_columns, take_on_lists
from gaji.imports.employees.xlsx_reader import SheetFormat
from gaji.leave.types.queries import load_leave_types
from gaji.payroll.bulk_input.entities import CALCULATION_PREFIX
from gaji.payroll.calculations.queries import load_types_in_use

CHILD_KEY_COLUMNS = 3
"""The columns that identify a child: its ID, the number of the employee and the name."""
TAKE_ON_KEY_COLUMNS = 2
"""The number and the name of the employee."""


@dataclass(frozen=True)
class SheetLayout:
    """A sheet and its columns in order."""

    format: SheetFormat
    columns: Sequence[Column]
    key_columns: int
    """The first columns, which stay visible."""


@dataclass(frozen=True)
class WorkbookLayout:
    """The sheets, their lists by name, and the instructions."""

    sheets: Sequence[SheetLayout]
    lists: Mapping[str, Sequence[ConstantEntry]]
    instructions: Sequence[str]


async def load_layout(
    tx: Transaction, client_id: int, catalogue: Catalogue, extra_types: Sequence[str] = ()
) -> WorkbookLayout:
    """Return the layout of a client's workbook of employees, with columns for the extra calculation types."""
    types = recurring_types(catalogue, [*await load_types_in_use(tx, client_id), *extra_types])
    columns = [
        *attribute_columns(),
        *custom_columns(await load_custom_fields(tx, client_id)),
        *calculation_columns(types),
    ]
    lists = await _load_lists(tx, client_id, columns, types)
    used = dict.fromkeys(column.list_name for column in [*columns, *child_columns()] if column.list_name)
    employee_columns, children_columns = _with_words(columns, lists), _with_words(child_columns(), lists)
    sheets = [
        SheetLayout(EMPLOYEES, employee_columns, 1 + len(FIRST_KEYS)),
        SheetLayout(CHILDREN, children_columns, CHILD_KEY_COLUMNS),
    ]
    return WorkbookLayout(sheets, {name: lists[name] for name in used}, EMPLOYEE_INSTRUCTIONS)


async def load_take_on_layout(tx: Transaction, client_id: int) -> WorkbookLayout:
    """Return the layout of a client's workbook of opening balances."""
    columns = take_on_columns(await load_leave_types(tx, client_id))
    sheet = SheetLayout(TAKE_ON, columns, TAKE_ON_KEY_COLUMNS)
    return WorkbookLayout([sheet], take_on_lists(), TAKE_ON_INSTRUCTIONS)


def known_child_columns() -> dict[str, Column]:
    """Return every column that a sheet of children may have, by key."""
    return {column.key: column for column in _with_words(child_columns(), CONSTANT_LISTS)}


async def load_known_columns(tx: Transaction, client_id: int, catalogue: Catalogue) -> dict[str, Column]:
    """Return every column that a client's sheet of employees may have, by key."""
    types = list(catalogue.types.values())
    columns = [
        *attribute_columns(),
        *custom_columns(await load_custom_fields(tx, client_id)),
        *calculation_columns(types, level=None),
    ]
    lists = await _load_lists(tx, client_id, columns, types)
    return {column.key: column for column in _with_words(columns, lists)}


def _with_words(columns: Sequence[Column], lists: Mapping[str, Sequence[ConstantEntry]]) -> list[Column]:
    return [column.with_words(lists[column.list_name]) if column.list_name else column for column in columns]


async def _load_lists(
    tx: Transaction, client_id: int, columns: Sequence[Column], types: Sequence[CalculationType]
) -> dict[str, Sequence[ConstantEntry]]:
    choices = {
        f"{CALCULATION_PREFIX}.{calculation_type.name}.{input_field.name}": input_field.choices
        for calculation_type in types
        for input_field in calculation_type.inputs
        if input_field.choices
    }
    return {
        **CONSTANT_LISTS,
        "wave_id": _named_entries(await load_wave_names(tx, client_id)),
        "pay_point_id": _named_entries(await load_pay_point_names(tx, client_id)),
        **{column.key: _option_entries(column.options) for column in columns if column.options},
        **{key: [ConstantEntry(value, "") for value in values] for key, values in choices.items()},
    }


def _named_entries(names: Mapping[int, str]) -> list[ConstantEntry]:
    return [ConstantEntry(record_id, name) for record_id, name in names.items()]


def _option_entries(options: Mapping[str, str]) -> list[ConstantEntry]:
    return [ConstantEntry(name, f"Option {option}") for option, name in options.items()]
