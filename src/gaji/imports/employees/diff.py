"""Plans: what each row asks for, held against what is there. A cell that says what is kept asks for nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gaji.core.validation import Record
from gaji.imports.employees.columns import ID, NUMBER, Column
from gaji.imports.employees.header import Heading
from gaji.imports.employees.xlsx_reader import ERRORS, Row
from gaji.imports.employees.cells import Cell, entered, is_unchanged, value_at
from gaji.payroll.bulk_input.entities import CALCULATION_PREFIX, Inputs

GROUPS = ("bank_account", "physical_address")


@dataclass(frozen=True)
class Plan:
    """What a row asks for."""

    row: int
    employee_id: int | None
    """None for a new employee."""
    attributes: Record = field(default_factory=dict)
    """Nested, as a create or an update has them."""
    inputs: Inputs = field(default_factory=dict)
    broken: Mapping[str, str] = field(default_factory=dict)
    """By key, the cells that hold an error of the spreadsheet."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is asked for."""
        return not (self.attributes or self.inputs or self.broken)


class Planner:
    """Makes plans of rows."""

    def __init__(self, heading: Heading, known: Mapping[str, Column]) -> None:
        self._columns = [(place, column) for place, column in heading.columns if column.key != ID]
        self._whole_groups = [group for group in GROUPS if heading.has_all_of(group, known)]

    def create(self, row: Row) -> Plan:
        """What the row of a new employee asks for: all that it says."""
        plan = Plan(row.number, None, broken=self._broken(row))
        for place, column in self._columns:
            value = entered(column, row.cells[place])
            if value is not None and column.key not in plan.broken:
                _put(plan, column, value)
        return plan

    def update(self, row: Row, employee_id: int, current: Mapping[str, Any]) -> Plan:
        """What the row of an employee asks for: what it says otherwise than what is kept."""
        plan = Plan(row.number, employee_id, broken=self._broken(row))
        for place, column in self._columns:
            cell = row.cells[place]
            if column.key == NUMBER and _is_empty(cell):
                continue  # whoever has a number keeps it
            if column.key not in plan.broken and not is_unchanged(column, cell, value_at(current, column)):
                _put(plan, column, entered(column, cell))
        for group in self._whole_groups:
            if group in plan.attributes and self._is_blank(row, group):
                plan.attributes[group] = None
        return plan

    def _broken(self, row: Row) -> dict[str, str]:
        if ERRORS.isdisjoint(row.cells):
            return {}
        return {
            column.key: f"{row.cells[place]} is an error of the spreadsheet"
            for place, column in self._columns
            if row.cells[place] in ERRORS
        }

    def _is_blank(self, row: Row, group: str) -> bool:
        cells = (row.cells[place] for place, column in self._columns if column.path[0] == group)
        return all(_is_empty(cell) for cell in cells)


def _is_empty(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _put(plan: Plan, column: Column, value: Any) -> None:
    if column.path[0] == CALCULATION_PREFIX:
        plan.inputs.setdefault(column.path[1], {})[column.path[2]] = value
        return
    *outer, last = column.path
    place = plan.attributes
    for part in outer:
        place = place.setdefault(part, {})
    place[last] = value
