"""The sheets of the workbook: employees, their children, and their opening balances."""

from dataclasses import dataclass

from gaji.imports.employees.columns import CUSTOM_FIELDS, attribute_columns, child_columns
from gaji.imports.employees.take_on_columns import FIXED_COLUMNS, IR8A, LEAVE
from gaji.imports.employees.xlsx_reader import SheetContent, SheetFormat
from gaji.payroll.bulk_input.entities import CALCULATION_PREFIX

TAKE_ON = SheetFormat(
    "Opening balances",
    frozenset(column.key for column in FIXED_COLUMNS),
    example="ordinary_wages",
    max_rows=20_000,
    prefixes=(f"{IR8A}.", f"{LEAVE}."),
)
EMPLOYEES = SheetFormat(
    "Employees",
    frozenset(column.key for column in attribute_columns()),
    example="first_name",
    max_rows=20_000,
    prefixes=(f"{CALCULATION_PREFIX}.", f"{CUSTOM_FIELDS}."),
    is_required=True,
    alternative=TAKE_ON.name,
)
CHILDREN = SheetFormat(
    "Children", frozenset(column.key for column in child_columns()), example="birthdate", max_rows=50_000
)


@dataclass(frozen=True)
class WorkbookContent:
    """The sheets of a workbook that is imported."""

    employees: SheetContent
    children: SheetContent
    take_on: SheetContent

    @property
    def row_count(self) -> int:
        """The number of rows on all sheets."""
        return sum(len(sheet.rows) for sheet in (self.employees, self.children, self.take_on))


def empty_sheet(sheet_format: SheetFormat) -> SheetContent:
    """Return a sheet without columns and rows."""
    return SheetContent(sheet_format.name, 1, [], [])
