"""Employee columns of reports: standard attributes and the client's custom fields."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from gaji.company.custom_fields.queries import load_custom_fields
from gaji.company.custom_fields.values import CustomField
from gaji.company.pay_points.queries import load_pay_point_names
from gaji.db.json_lists import json_text
from gaji.db.tenancy import Transaction
from gaji.people.employees.queries import EmployeeInfo, load_employee_info
from gaji.people.service_periods.queries import load_service_intervals
from gaji.reports.choices import Choice, unique_choices

APPOINTMENT_DATE = "appointment_date"
ATTRIBUTES = {
    "first_name": "First name",
    "last_name": "Last name",
    "pay_point_id": "Pay point",
    APPOINTMENT_DATE: "Appointment date",
}

FieldValue = Callable[[EmployeeInfo, str | None], str | bool | None]
"""Returns the value for an employee and their appointment date."""


@dataclass(frozen=True)
class EmployeeField:
    """A column with a value for each employee."""

    choice: Choice
    value: FieldValue


@dataclass(frozen=True, slots=True)
class EmployeeCells:
    """The cells of an employee, as JSON."""

    number: str
    fields: Sequence[str]


async def load_employee_fields(tx: Transaction, client_id: int, reserved_keys: Sequence[str]) -> list[EmployeeField]:
    """Return all employee fields of a client. Their keys differ from the reserved ones."""
    pay_points = await load_pay_point_names(tx, client_id)
    custom_fields = await load_custom_fields(tx, client_id)
    values: dict[str, FieldValue] = {
        "first_name": lambda employee, _: employee.first_name,
        "last_name": lambda employee, _: employee.last_name,
        "pay_point_id": lambda employee, _: pay_points.get(employee.pay_point_id or 0),
        APPOINTMENT_DATE: lambda _, appointment_date: appointment_date,
        **{str(custom_field.id): _custom_field_value(custom_field) for custom_field in custom_fields},
    }
    names = [*ATTRIBUTES.items(), *((str(custom_field.id), custom_field.name) for custom_field in custom_fields)]
    return [EmployeeField(choice, values[choice.id]) for choice in unique_choices(names, reserved_keys)]


async def load_employee_cells(
    tx: Transaction, client_id: int, employee_ids: Collection[int], fields: Sequence[EmployeeField]
) -> dict[int, EmployeeCells]:
    """Return the cells of these fields, by employee."""
    employees = await load_employee_info(tx, client_id, list(employee_ids))
    appointment_dates: dict[int, str] = {}
    if any(field.choice.id == APPOINTMENT_DATE for field in fields):
        services = await load_service_intervals(tx, client_id, list(employee_ids))
        appointment_dates = {employee_id: str(intervals[-1].start) for employee_id, intervals in services.items()}
    return {
        employee_id: EmployeeCells(
            json_text(employee.number),
            [json_text(field.value(employee, appointment_dates.get(employee_id))) for field in fields],
        )
        for employee_id, employee in employees.items()
    }


def _custom_field_value(custom_field: CustomField) -> FieldValue:
    return lambda employee, _: custom_field.display_value(employee.custom_fields)
