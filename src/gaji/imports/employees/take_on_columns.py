"""The columns of the sheet of opening balances."""

from collections.abc import Mapping, Sequence

from gaji.core import clock
from gaji.core.constants import CONSTANT_LISTS, ConstantEntry
from gaji.imports.employees.columns import EMPLOYEE_NUMBER_COLUMN, CellFormat, Column, caption_of
from gaji.leave.types.queries import LeaveType
from gaji.people.take_on.schemas import AMOUNTS

NAME, YEAR = "name", "year"
IR8A, LEAVE = "ir8a", "leave"
ZERO = "0.00"
CAPTIONS = {
    "ordinary_wages": "Ordinary wages",
    "ordinary_wages_subject": "Ordinary wages with CPF",
    "additional_wages": "Additional wages",
    "additional_wages_subject": "Additional wages with CPF",
    "cpf_employee": "Employee's CPF",
    "cpf_employer": "Employer's CPF",
}
"""The labels of the console."""
NAME_COLUMN = Column(NAME, "Name", "The name of the employee. It is not imported.", CellFormat.TEXT)
YEAR_COLUMN = Column(
    YEAR,
    "Year",
    "The year of the balances.",
    CellFormat.NUMBER,
    list_name=YEAR,
    open_list=True,
    required=True,
)
AMOUNT_COLUMNS = tuple(
    Column(name, CAPTIONS[name], description, CellFormat.AMOUNT, default=ZERO, minimum=0)
    for name, description in AMOUNTS
)
IR8A_COLUMNS = tuple(
    Column(
        f"{IR8A}.{entry.value}",
        f"IR8A: {entry.name}",
        "Amount for form IR8A.",
        CellFormat.AMOUNT,
        default=ZERO,
        minimum=0,
    )
    for entry in CONSTANT_LISTS["ir8a_item"]
)
FIXED_COLUMNS = (EMPLOYEE_NUMBER_COLUMN, NAME_COLUMN, YEAR_COLUMN, *AMOUNT_COLUMNS, *IR8A_COLUMNS)
"""The columns that do not depend on the client."""


def take_on_columns(leave_types: Sequence[LeaveType]) -> list[Column]:
    """Return the columns of a client's sheet, in order."""
    return [
        EMPLOYEE_NUMBER_COLUMN,
        NAME_COLUMN,
        YEAR_COLUMN,
        *AMOUNT_COLUMNS,
        *_leave_columns(leave_types),
        *IR8A_COLUMNS,
    ]


def take_on_lists() -> Mapping[str, Sequence[ConstantEntry]]:
    """Return the years that cells offer: this one and the last one."""
    year = clock.today().year
    return {YEAR: [ConstantEntry(item, str(item)) for item in (year, year - 1)]}


def _leave_columns(leave_types: Sequence[LeaveType]) -> list[Column]:
    return [
        Column(
            f"{LEAVE}.{leave_type.id}",
            f"Days left: {caption_of(leave_type.name)}",
            "Days of leave left at the switch. Fewer than zero if too many were taken.",
            CellFormat.NUMBER,
        )
        for leave_type in leave_types
    ]
