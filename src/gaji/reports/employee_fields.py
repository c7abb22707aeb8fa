"""What rows tell of employees beside their number: the usual attributes and the client's custom fields."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from gaji.company.custom_fields.facts import ShownField, shown_fields
from gaji.company.pay_points import service as pay_points
from gaji.db.json_lists import json_text
from gaji.db.tenancy import Transaction
from gaji.people.employees import facts as employees
from gaji.people.employees.facts import Described
from gaji.people.service_periods import facts as service_periods
from gaji.reports.choices import Named, told_apart

APPOINTMENT_DATE = "appointment_date"
ATTRIBUTES = {
    "first_name": "First name",
    "last_name": "Last name",
    "pay_point_id": "Pay point",
    APPOINTMENT_DATE: "Appointment date",
}

Value = Callable[[Described, str | None], str | bool | None]
"""What is told of an employee, who was appointed on a day."""


@dataclass(frozen=True)
class Told:
    """Something that can be told of employees."""

    named: Named
    value: Value


@dataclass(frozen=True, slots=True)
class Cells:
    """What a row tells of an employee, as JSON."""

    number: str
    told: Sequence[str]


async def fields(tx: Transaction, client_id: int, taken: Sequence[str]) -> list[Told]:
    """All that can be told of a client's employees, under names that are not taken."""
    places = await pay_points.names_by_id(tx, client_id)
    custom = await shown_fields(tx, client_id)
    values: dict[str, Value] = {
        "first_name": lambda one, _: one.first_name,
        "last_name": lambda one, _: one.last_name,
        "pay_point_id": lambda one, _: places.get(one.pay_point_id or 0),
        APPOINTMENT_DATE: lambda _, appointed: appointed,
        **{str(field.id): _of_field(field) for field in custom},
    }
    things = [*ATTRIBUTES.items(), *((str(field.id), field.name) for field in custom)]
    return [Told(named, values[named.id]) for named in told_apart(things, taken)]


async def cells(
    tx: Transaction, client_id: int, employee_ids: Collection[int], told: Sequence[Told]
) -> dict[int, Cells]:
    """What rows tell of these employees, by employee."""
    found = await employees.described(tx, client_id, list(employee_ids))
    appointed: dict[int, str] = {}
    if any(one.named.id == APPOINTMENT_DATE for one in told):
        services = await service_periods.services(tx, client_id, list(employee_ids))
        appointed = {employee_id: str(served[-1].start) for employee_id, served in services.items()}
    return {
        employee_id: Cells(
            json_text(one.number), [json_text(each.value(one, appointed.get(employee_id))) for each in told]
        )
        for employee_id, one in found.items()
    }


def _of_field(field: ShownField) -> Value:
    return lambda one, _: field.shown(one.custom_fields)
