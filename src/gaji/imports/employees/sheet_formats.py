"""The sheets of the workbook: employees, and their children."""

from dataclasses import dataclass

from gaji.imports.employees.columns import CUSTOM_FIELDS, attribute_columns, child_columns
from gaji.imports.employees.xlsx_reader import SheetContent, SheetFormat
from gaji.payroll.bulk_input.entities import CALCULATION_PREFIX

EMPLOYEES = SheetFormat(
    "Employees",
    frozenset(column.key for column in attribute_columns()),
    example="first_name",
    max_rows=20_000,
    prefixes=(f"{CALCULATION_PREFIX}.", f"{CUSTOM_FIELDS}."),
    is_required=True,
)
CHILDREN = SheetFormat(
    "Children", frozenset(column.key for column in child_columns()), example="birthdate", max_rows=50_000
)


@dataclass(frozen=True)
class WorkbookContent:
    """The sheets of a workbook that is imported."""

    employees: SheetContent
    children: SheetContent

    @property
    def row_count(self) -> int:
        """The number of rows on both sheets."""
        return len(self.employees.rows) + len(self.children.rows)


def empty_sheet(sheet_format: SheetFormat) -> SheetContent:
    """Return a sheet without columns and rows."""
    return SheetContent(sheet_format.name, 1, [], [])
