"""Create many employees at once. The rows are the same as from single creates."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import asyncpg
from msgspec.structs import replace

from gaji.core.errors import ErrorCode, Errors, ValidationError
from gaji.core.resource_events import EventType, ResourceEvent
from gaji.core.threads import run_in_thread_if_many
from gaji.core.validation import Record
from gaji.db.tenancy import Tenant, Transaction
from gaji.identity.roles import require_writer
from gaji.people.employees import repository
from gaji.people.employees.context import load_context
from gaji.people.employees.events import EmployeesChanged
from gaji.people.employees.identifier_probes import UNIQUE_IDENTIFIERS, limit_refusals
from gaji.people.employees.rules import UNIQUE_ATTRIBUTES, ClientContext
from gaji.people.employees.schemas import EMPLOYEE, EmployeeInput
from gaji.people.service_periods import service as service_periods
from gaji.people.wave_periods import service as wave_periods

Bodies = Sequence[Mapping[str, Any]]

REPEATED_IN_REQUEST = ErrorCode("repeated_in_request", "duplicates {index}.{attribute}")
"""For unique attributes: `index` is the earlier body with the same value."""


@dataclass(frozen=True)
class ParsedEmployees:
    """The bodies of a bulk create after validation."""

    employees: Mapping[int, EmployeeInput]
    """The employees of the valid bodies, by their index. Values that are not unique are among the errors only."""
    records: Sequence[Record]
    """The values of every body. A value that is not valid is None."""
    errors: Errors
    """The errors of all bodies, under `<index>.<attribute>`."""
    warnings: Sequence[Mapping[str, str]]
    """The warnings of every body."""

    def errors_by_index(self) -> dict[int, Errors]:
        """Return the errors of each body that has any, by its index."""
        by_index: dict[int, Errors] = {}
        for indexed_path, error in self.errors.items():
            index, _, path = indexed_path.partition(".")
            by_index.setdefault(int(index), Errors())[path] = dataclasses.replace(error, path=path)
        return by_index


class CreatedEmployee(NamedTuple):
    """A new employee."""

    id: int
    number: str


async def create_employees(tenant: Tenant, client_id: int, bodies: Bodies) -> list[int]:
    """Create employees and return their IDs in order. If one of them is not valid, none are created.

    Errors are reported under `<index>.<attribute>`.
    """
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        parsed = await parse_new_employees(tx, client_id, bodies)
        if parsed.errors:
            raise ValidationError(parsed.errors)
        created = await insert_employees(tx, client_id, list(parsed.employees.values()))
        ids = [employee.id for employee in created]
        tx.emit(EmployeesChanged(client_id, tuple(ids)))
        return ids


async def parse_new_employees(tx: Transaction, client_id: int, bodies: Bodies) -> ParsedEmployees:
    """Validate the bodies of new employees."""
    context = await load_context(tx, client_id)
    parsed = await run_in_thread_if_many(len(bodies), lambda: _parse(bodies, context))
    values = {name: [record[name] for record in parsed.records] for name in UNIQUE_ATTRIBUTES}
    parsed.errors.update(await _find_repeated(tx, client_id, values))
    return parsed


async def insert_employees(
    tx: Transaction, client_id: int, employees: Sequence[EmployeeInput]
) -> list[CreatedEmployee]:
    """Insert valid employees with their first periods. The caller emits EmployeesChanged."""
    employees = await _with_numbers(tx, client_id, employees)
    await tx.savepoint("insert_employees")
    try:
        ids = await repository.insert_many(tx, client_id, employees)
    except asyncpg.UniqueViolationError:
        # A concurrent transaction took a value after it was checked. Now that it is visible, check again.
        await tx.roll_back_to("insert_employees")
        values = {name: [getattr(employee, name) for employee in employees] for name in UNIQUE_ATTRIBUTES}
        if errors := await _find_repeated(tx, client_id, values):
            raise ValidationError(errors) from None
        raise
    pairs = list(zip(ids, employees, strict=True))
    await service_periods.create_first_periods(
        tx, client_id, [(employee_id, employee.appointment_date) for employee_id, employee in pairs]
    )
    await wave_periods.create_first_periods(
        tx, client_id, [(employee_id, employee.wave_id, employee.appointment_date) for employee_id, employee in pairs]
    )
    tx.emit(ResourceEvent(EventType.EMPLOYEE_CREATED, client_id, tuple(ids)))
    return [CreatedEmployee(employee_id, employee.number or "") for employee_id, employee in pairs]


def _parse(bodies: Bodies, context: ClientContext) -> ParsedEmployees:
    employees: dict[int, EmployeeInput] = {}
    records: list[Record] = []
    warnings: list[Mapping[str, str]] = []
    errors = Errors()
    for index, body in enumerate(bodies):
        try:
            # The last rule keeps the record even if the body is not valid: its other values are still checked.
            validated = EMPLOYEE.parse_create(body, context.check, lambda record, _: records.append(record))
            employees[index] = validated.data
            warnings.append(validated.warnings)
        except ValidationError as error:
            errors |= error.errors.under(f"{index}.")
            warnings.append(error.warnings)
    return ParsedEmployees(employees, records, errors, warnings)


async def _with_numbers(tx: Transaction, client_id: int, employees: Sequence[EmployeeInput]) -> list[EmployeeInput]:
    """Return the employees with automatic numbers where none was supplied."""
    supplied = {employee.number for employee in employees if employee.number}
    numbers = iter(
        await repository.next_numbers(tx, client_id, sum(not employee.number for employee in employees), supplied)
    )
    return [employee if employee.number else replace(employee, number=next(numbers)) for employee in employees]


async def _find_repeated(tx: Transaction, client_id: int, values: Mapping[str, Sequence[str | None]]) -> Errors:
    """Return the errors of unique attributes whose value an existing employee or an earlier body has."""
    taken = await repository.find_taken_values(
        tx, client_id, {name: [value for value in column if value] for name, column in values.items()}
    )
    if any(value for name in UNIQUE_IDENTIFIERS for value in values[name]):
        await limit_refusals(tx, client_id, sum(len(taken[name]) for name in UNIQUE_IDENTIFIERS))
    errors = Errors()
    for name, column in values.items():
        first_index: dict[str, int] = {}
        for index, value in enumerate(column):
            if not value:
                continue
            if value in taken[name]:
                errors.add(f"{index}.{name}", UNIQUE_ATTRIBUTES[name])
            elif first_index.setdefault(value, index) != index:
                errors.add(f"{index}.{name}", REPEATED_IN_REQUEST, index=first_index[value], attribute=name)
    return errors
