"""What can be asked about employees."""

from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from typing import Any, NamedTuple

import asyncpg

from gaji.company.clients.service import has_manual_numbers, require_client
from gaji.company.custom_fields import service as custom_fields
from gaji.company.pay_points import service as pay_points
from gaji.company.waves import service as waves
from gaji.core.errors import INVALID, NotFound, invalid
from gaji.core.validation import Record, Rule, ValidatedInput
from gaji.db.json_lists import Page, array_of
from gaji.db.tenancy import Tenant, Transaction
from gaji.engine.periods import Schedule
from gaji.identity.service import require_writer
from gaji.people.employees.recent_payslips import load_recent_payslips
from gaji.people.employees.events import EmployeesChanged
from gaji.periods.guards import require_never_paid, require_valid_appointment
from gaji.people.employees import repository
from gaji.people.employees.queries import DETAIL_COLUMNS
from gaji.people.employees.access import lock_employee
from gaji.people.employees.schemas import EMPLOYEE, TAKEN, WORK_PASSES, ClientContext, unique_values
from gaji.people.service_periods import service as service_periods
from gaji.people.wave_periods import service as wave_periods

INCLUDES = ("service_periods", "recent_payslips", "recent_payslips_with_data", "wave_periods")
PAYSLIPS = {"recent_payslips", "recent_payslips_with_data"}
PAY_ATTRIBUTES = (*DETAIL_COLUMNS, "wave_id", "appointment_date")
"""The attributes that a payslip depends on."""


class EmployeePage(NamedTuple):
    """Employees as JSON, and how many there are in all."""

    elements: list[str]
    total: int
    rules_versions: Set[str]
    """Of the payslips that are included."""


async def list_employees(tenant: Tenant, client_id: int, include: Set[str], page: Page | None) -> EmployeePage:
    """The employees of a client with what is to be included; raises StillCalculating."""
    versions: set[str] = set()
    async with tenant.reading() as tx:
        await require_client(tx, client_id)
        found, total = await repository.elements(tx, client_id, page)
        extras = await _included(tx, client_id, [employee_id for employee_id, _ in found], include, versions)
    return EmployeePage([_with_extras(element, employee_id, extras) for employee_id, element in found], total, versions)


async def read_employee(tenant: Tenant, employee_id: int) -> str:
    """One employee as JSON."""
    async with tenant.reading() as tx:
        found = await repository.element(tx, employee_id)
    if found is None:
        raise NotFound(f"There is no employee {employee_id}")
    return found


async def create_employee(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> tuple[int, ValidatedInput]:
    """Add an employee to a client; their service and wave begin with the appointment."""
    with _named_conflicts():
        async with tenant.transaction() as tx:
            await require_writer(tx, client_id)
            facts, _ = await _facts(tx, client_id, body)
            reading = EMPLOYEE.parse_create(body, facts.check)
            record = reading.record
            if record["number"] is None:
                record["number"] = await repository.next_number(tx, client_id)
            elif not facts.manual_numbers:
                await repository.hold_numbers(tx, client_id)
            employee_id = await repository.insert(tx, client_id, record)
            await service_periods.create_first_period(tx, client_id, employee_id, record["appointment_date"])
            await wave_periods.create_first_period(tx, client_id, employee_id, record["wave_id"], record["appointment_date"])
            tx.emit(EmployeesChanged(client_id, (employee_id,)))
            return employee_id, reading


async def update_employee(tenant: Tenant, employee_id: int, body: Mapping[str, Any]) -> ValidatedInput:
    """Change what the body names of an employee."""
    with _named_conflicts():
        async with tenant.transaction() as tx:
            return await apply_update(tx, employee_id, body)


async def apply_update(tx: Transaction, employee_id: int, body: Mapping[str, Any]) -> ValidatedInput:
    """The same in a transaction that goes on."""
    client_id = await lock_employee(tx, employee_id)
    facts, schedules = await _facts(tx, client_id, body, employee_id)
    current = await repository.record(tx, client_id, employee_id)
    if current["work_pass"] == WORK_PASSES.get(current["legal_status"]):
        current["work_pass"] = None  # what the status stood for; another status stands for another pass
    checks: list[Rule] = [facts.check, await service_periods.birthdate_rule(tx, client_id, employee_id)]
    if "appointment_date" in EMPLOYEE.unwrap(body):
        checks.append(await service_periods.start_date_rule(tx, client_id, employee_id))
    reading = EMPLOYEE.parse_update(body, current, *checks)
    record = reading.record
    record["number"] = record["number"] or current["number"]
    if record["number"] != current["number"] and not facts.manual_numbers:
        await repository.hold_numbers(tx, client_id)
    await repository.update(tx, client_id, employee_id, record, current)
    await _move(tx, client_id, employee_id, current, record, schedules)
    if any(record[name] != current[name] for name in PAY_ATTRIBUTES):
        tx.emit(EmployeesChanged(client_id, (employee_id,)))
    return reading


async def delete_employee(tenant: Tenant, employee_id: int) -> None:
    """Remove an employee who was never paid."""
    async with tenant.transaction() as tx:
        client_id = await lock_employee(tx, employee_id)
        await require_never_paid(tx, client_id, employee_id)
        await repository.delete(tx, client_id, employee_id)


async def _move(
    tx: Transaction,
    client_id: int,
    employee_id: int,
    current: Record,
    record: Record,
    schedules: Mapping[int, Schedule],
) -> None:
    """What a change of appointment or wave means for the periods of the employee."""
    if record["appointment_date"] != current["appointment_date"]:
        await require_valid_appointment(
            tx, client_id, employee_id, old=current["appointment_date"], new=record["appointment_date"]
        )
        await service_periods.move_start(tx, client_id, employee_id, record["appointment_date"])
    if record["wave_id"] != current["wave_id"]:
        await wave_periods.change_wave(tx, client_id, employee_id, record["wave_id"], schedules)


async def _facts(
    tx: Transaction, client_id: int, body: Mapping[str, Any], employee_id: int = 0
) -> tuple[ClientContext, dict[int, Schedule]]:
    schedules = await waves.load_schedules(tx, client_id)
    facts = ClientContext(
        wave_ids=schedules.keys(),
        pay_point_ids=await pay_points.load_pay_point_ids(tx, client_id),
        custom_fields=await custom_fields.lock_custom_fields(tx, client_id),
        manual_numbers=await has_manual_numbers(tx, client_id),
        taken=await repository.taken(tx, client_id, employee_id, unique_values(EMPLOYEE.unwrap(body))),
    )
    return facts, schedules


async def _included(
    tx: Transaction, client_id: int, employee_ids: list[int], include: Set[str], rules_versions: set[str]
) -> dict[str, dict[int, list[str]]]:
    """What was asked to be included, by its name and by employee; adds the rules versions of payslips."""
    extras: dict[str, dict[int, list[str]]] = {name: {} for name in INCLUDES if name in include}
    if "service_periods" in include:
        extras["service_periods"] = await service_periods.load_json_by_employee(tx, client_id, employee_ids)
    if "wave_periods" in include:
        extras["wave_periods"] = await wave_periods.load_json_by_employee(tx, client_id, employee_ids)
    for name in PAYSLIPS & include:
        found = await load_recent_payslips(tx, client_id, employee_ids, name.endswith("_with_data"))
        extras[name] = found.by_employee
        rules_versions |= found.rules_versions
    return extras


def _with_extras(element: str, employee_id: int, extras: Mapping[str, Mapping[int, list[str]]]) -> str:
    for name, by_employee in extras.items():
        resource = "payslip" if name in PAYSLIPS else name.removesuffix("s")
        array = array_of(resource, list(by_employee.get(employee_id, ()))).decode()
        element = f'{element[:-1]},"{name}":{array}}}'
    return element


@contextmanager
def _named_conflicts() -> Iterator[None]:
    """Name the attribute when someone else took or removed what it stands for in the same moment."""
    try:
        yield
    except asyncpg.ForeignKeyViolationError as error:
        attribute = "wave_id" if error.table_name == "wave_periods" else "pay_point_id"
        raise invalid(attribute, INVALID, reason="has just been deleted from this client") from None
    except asyncpg.UniqueViolationError as error:
        attribute = (error.constraint_name or "").removeprefix("employees_")
        if attribute not in TAKEN:
            raise
        raise invalid(attribute, INVALID, reason=TAKEN[attribute]) from None
