"""The columns of a client's sheet, with the lists that their values are from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gaji.company.custom_fields.facts import shown_fields
from gaji.company.pay_points import service as pay_points
from gaji.company.waves import service as waves
from gaji.core.constants import LISTS, Entry
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import CalculationType, Catalogue
from gaji.imports.employees.columns import (
    Column,
    attribute_columns,
    calculation_columns,
    custom_columns,
    recurring_types,
)
from gaji.payroll.bulk_input.entities import CALCULATION_PREFIX
from gaji.payroll.calculations.queries import load_types_in_use


@dataclass(frozen=True)
class Layout:
    """The columns in their order, and by name the lists that they refer to."""

    columns: Sequence[Column]
    lists: Mapping[str, Sequence[Entry]]


async def layout(tx: Transaction, client_id: int, catalogue: Catalogue, more: Sequence[str] = ()) -> Layout:
    """The columns of a client's sheet; `more` names calculations that are to have columns too."""
    types = recurring_types(catalogue, [*await load_types_in_use(tx, client_id), *more])
    columns = [
        *attribute_columns(),
        *custom_columns(await shown_fields(tx, client_id)),
        *calculation_columns(types),
    ]
    named = await _lists(tx, client_id, columns, types)
    used = dict.fromkeys(column.list_name for column in columns if column.list_name)
    return Layout(columns, {name: named[name] for name in used})


async def known_columns(tx: Transaction, client_id: int, catalogue: Catalogue) -> dict[str, Column]:
    """Every column that a client's sheet can have, by key."""
    columns = (
        *attribute_columns(),
        *custom_columns(await shown_fields(tx, client_id)),
        *calculation_columns(list(catalogue.types.values()), level=None),
    )
    return {column.key: column for column in columns}


async def _lists(
    tx: Transaction, client_id: int, columns: Sequence[Column], types: Sequence[CalculationType]
) -> dict[str, Sequence[Entry]]:
    choices = {f"{CALCULATION_PREFIX}.{one.name}.{each.name}": each.choices for one in types for each in one.inputs if each.choices}
    return {
        **LISTS,
        "wave_id": _entries(await waves.names_by_id(tx, client_id)),
        "pay_point_id": _entries(await pay_points.names_by_id(tx, client_id)),
        **{column.key: _options(column.options) for column in columns if column.options},
        **{key: [Entry(value, "") for value in values] for key, values in choices.items()},
    }


def _entries(names: Mapping[int, str]) -> list[Entry]:
    return [Entry(one, name) for one, name in names.items()]


def _options(options: Mapping[str, str]) -> list[Entry]:
    return [Entry(name, f"Option {option}") for option, name in options.items()]
