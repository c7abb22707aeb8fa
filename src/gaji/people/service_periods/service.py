"""What can be asked about the service of an employee: to end, to begin again, to take an end back."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from gaji.core.validation import Rule, ValidatedInput
from gaji.db.tenancy import Tenant, Transaction
from gaji.people.employees.events import EmployeesChanged
from gaji.periods.guards import require_valid_termination
from gaji.people.employees.access import require_readable_employee, lock_employee
from gaji.people.service_periods import repository
from gaji.people.service_periods.rules import (
    END_SERVICE,
    REINSTATE,
    begins_after_end,
    born_before,
    check_left,
    check_undo,
    ends_after_start,
    start_between,
)
from gaji.people.wave_periods import service as wave_periods


async def list_service_periods(tenant: Tenant, employee_id: int) -> list[str]:
    """The service periods of an employee as JSON."""
    async with tenant.reading() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        return (await load_json_by_employee(tx, client_id, [employee_id]))[employee_id]


async def end_service(tenant: Tenant, employee_id: int, body: Mapping[str, Any]) -> tuple[str, ValidatedInput]:
    """End the service of an employee, or change what was recorded of its end."""
    async with tenant.transaction() as tx:
        client_id = await lock_employee(tx, employee_id)
        period = await repository.latest(tx, client_id, employee_id)
        reading = END_SERVICE.parse_create(body, ends_after_start(period))
        end = reading.record["termination_date"]
        if end != period.end_date:
            await require_valid_termination(tx, client_id, employee_id, end)
        await repository.terminate(tx, client_id, period.id, end, reading.record["termination_code"], reading.record["ir21"])
        tx.emit(EmployeesChanged(client_id, (employee_id,)))
    told = f"The employee has been terminated; the last day of service is {end}"
    return told if period.is_open else f"The termination information has been updated. {told}", reading


async def reinstate(tenant: Tenant, employee_id: int, body: Mapping[str, Any]) -> tuple[str, ValidatedInput]:
    """Begin a new service of an employee who left."""
    async with tenant.transaction() as tx:
        client_id = await lock_employee(tx, employee_id)
        period = await repository.latest(tx, client_id, employee_id)
        check_left(period)
        reading = REINSTATE.parse_create(body, begins_after_end(period))
        start = reading.record["appointment_date"]
        await repository.insert(tx, client_id, employee_id, start)
        tx.emit(EmployeesChanged(client_id, (employee_id,)))
    return f"The employee has been reinstated with effect from {start}", reading


async def undo_end_service(tenant: Tenant, employee_id: int) -> str:
    """Take the most recent termination back."""
    async with tenant.transaction() as tx:
        client_id = await lock_employee(tx, employee_id)
        period = await repository.latest(tx, client_id, employee_id)
        check_undo(period)
        await repository.reopen(tx, client_id, period.id)
        tx.emit(EmployeesChanged(client_id, (employee_id,)))
    return f"The termination of {period.end_date} has been cancelled"


async def create_first_period(tx: Transaction, client_id: int, employee_id: int, start: date) -> None:
    """The first service of an employee."""
    await repository.insert(tx, client_id, employee_id, start)


async def create_first_periods(tx: Transaction, client_id: int, starts: Sequence[tuple[int, date]]) -> None:
    """The first service of each of these employees."""
    await repository.insert_many(tx, client_id, starts)


async def move_start(tx: Transaction, client_id: int, employee_id: int, start: date) -> None:
    """Let the current service, and with the first one the wave, begin on another day that may_start_on allows."""
    period = await repository.latest(tx, client_id, employee_id)
    if await repository.previous_end(tx, client_id, employee_id, period) is None:
        await wave_periods.move_start(tx, client_id, employee_id, start)
    await repository.set_start(tx, client_id, period.id, start)


async def start_date_rule(tx: Transaction, client_id: int, employee_id: int) -> Rule:
    """The check of an appointment date against what the employee's service and waves have been."""
    period = await repository.latest(tx, client_id, employee_id)
    before = await repository.previous_end(tx, client_id, employee_id, period)
    first_wave_end = None if before else await wave_periods.end_of_first(tx, client_id, employee_id)
    return start_between(before, period.end_date, first_wave_end)


async def birthdate_rule(tx: Transaction, client_id: int, employee_id: int) -> Rule:
    """The check of a birthdate against the service that the employee had before the current one."""
    latest = await repository.latest(tx, client_id, employee_id)
    return born_before(await repository.first_start(tx, client_id, employee_id, latest) or date.max)


async def load_json_by_employee(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, list[str]]:
    """The service periods of employees as JSON, by employee."""
    found: dict[int, list[str]] = defaultdict(list)
    for row in await repository.elements(tx, client_id, employee_ids):
        found[row["employee_id"]].append(row["element"])
    return found
