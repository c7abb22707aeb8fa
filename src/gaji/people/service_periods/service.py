"""Service period use cases: end service, reinstate, and undo a termination."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from gaji.core import clock
from gaji.core.law_loader import current_law
from gaji.core.resource_events import EventType, ResourceEvent
from gaji.core.validation import Rule, ValidatedInput
from gaji.db.json_lists import NO_FILTERS, Filters
from gaji.db.tenancy import Tenant, Transaction
from gaji.people.employees.access import lock_employee_for_pay_change, require_readable_employee
from gaji.people.employees.events import EmployeesChanged, TaxDetailsChanged
from gaji.people.service_periods import repository
from gaji.people.service_periods.rules import (
    appointment_date_rule,
    born_before_rule,
    ir21_filing_rule,
    notice_date_rule,
    notice_warnings,
    reinstatement_date_rule,
    require_can_reinstate,
    require_can_undo,
    termination_date_rule,
)
from gaji.people.service_periods.schemas import END_SERVICE, REINSTATE, ReinstatementInput, TerminationInput
from gaji.people.wave_periods import service as wave_periods
from gaji.periods.guards import require_valid_termination


async def list_service_periods(tenant: Tenant, employee_id: int, filters: Filters = NO_FILTERS) -> list[str]:
    """List the service periods of an employee as JSON."""
    async with tenant.read_only() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        rows = await repository.load_elements(tx, client_id, [employee_id], filters)
    return [row["element"] for row in rows]


async def end_service(
    tenant: Tenant, employee_id: int, body: Mapping[str, Any], *, late: bool = False
) -> tuple[str, ValidatedInput[TerminationInput]]:
    """End the service of an employee, or change the recorded termination. Return a message too."""
    async with tenant.transaction() as tx:
        client_id = await lock_employee_for_pay_change(tx, employee_id)
        period = await repository.lock_latest_period(tx, client_id, employee_id)
        supplied = END_SERVICE.unwrap(body)
        validated = END_SERVICE.parse_update(
            body,
            period.termination(),
            termination_date_rule(period),
            notice_date_rule(period, supplied, clock.today()),
            ir21_filing_rule(period, supplied, clock.today()),
        )
        if supplied.get("notice_date"):
            validated.warnings.update(notice_warnings(current_law().pay, period, validated.data))
        end = validated.data.termination_date
        if end != period.end_date:
            warnings = await require_valid_termination(tx, client_id, employee_id, end, late=late)
            validated.warnings.update(warnings)
        await repository.terminate(tx, client_id, period.id, validated.data)
        _emit(tx, client_id, employee_id, EventType.EMPLOYEE_LEFT)
    message = f"The employee has been terminated; the last day of service is {end}"
    return message if period.is_open else f"The termination information has been updated. {message}", validated


async def reinstate(
    tenant: Tenant, employee_id: int, body: Mapping[str, Any]
) -> tuple[str, ValidatedInput[ReinstatementInput]]:
    """Start a new service of a former employee. Return a message too."""
    async with tenant.transaction() as tx:
        client_id = await lock_employee_for_pay_change(tx, employee_id)
        period = await repository.lock_latest_period(tx, client_id, employee_id)
        require_can_reinstate(period)
        validated = REINSTATE.parse_create(body, reinstatement_date_rule(period))
        start = validated.data.appointment_date
        await repository.insert(tx, client_id, employee_id, start)
        _emit(tx, client_id, employee_id, EventType.EMPLOYEE_UPDATED)
    return f"The employee has been reinstated with effect from {start}", validated


async def undo_end_service(tenant: Tenant, employee_id: int) -> str:
    """Cancel the latest termination of an employee and return a message."""
    async with tenant.transaction() as tx:
        client_id = await lock_employee_for_pay_change(tx, employee_id)
        period = await repository.lock_latest_period(tx, client_id, employee_id)
        require_can_undo(period)
        await repository.reopen(tx, client_id, period.id)
        _emit(tx, client_id, employee_id, EventType.EMPLOYEE_UPDATED)
    return f"The termination of {period.end_date} has been cancelled"


async def create_first_period(tx: Transaction, client_id: int, employee_id: int, start: date) -> None:
    """Start the first service of a new employee."""
    await repository.insert(tx, client_id, employee_id, start)


async def create_first_periods(tx: Transaction, client_id: int, starts: Sequence[tuple[int, date]]) -> None:
    """Start the first service of new employees, from pairs of employee and date."""
    await repository.insert_many(tx, client_id, starts)


async def move_start(tx: Transaction, client_id: int, employee_id: int, start: date) -> None:
    """Move the start of the latest service to a date that `start_date_rule` allows.

    If it is the first service, the start of the first wave period moves too.
    """
    period = await repository.lock_latest_period(tx, client_id, employee_id)
    if await repository.find_previous_end(tx, client_id, employee_id, period) is None:
        await wave_periods.move_start(tx, client_id, employee_id, start)
    await repository.set_start(tx, client_id, period.id, start)


async def start_date_rule(tx: Transaction, client_id: int, employee_id: int) -> Rule:
    """Load the check of a new appointment date against the employee's service and wave periods."""
    period = await repository.lock_latest_period(tx, client_id, employee_id)
    previous_end = await repository.find_previous_end(tx, client_id, employee_id, period)
    first_wave_end = None if previous_end else await wave_periods.find_first_end(tx, client_id, employee_id)
    return appointment_date_rule(previous_end, period.end_date, first_wave_end)


async def birthdate_rule(tx: Transaction, client_id: int, employee_id: int) -> Rule:
    """Load the check of a birthdate against the service before the latest one."""
    period = await repository.lock_latest_period(tx, client_id, employee_id)
    return born_before_rule(await repository.find_first_start(tx, client_id, employee_id, period) or date.max)


async def load_json_by_employee(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, list[str]]:
    """Load the service periods of employees as JSON, by employee."""
    periods: dict[int, list[str]] = defaultdict(list)
    for row in await repository.load_elements(tx, client_id, employee_ids):
        periods[row["employee_id"]].append(row["element"])
    return periods


def _emit(tx: Transaction, client_id: int, employee_id: int, event_type: EventType) -> None:
    tx.emit(EmployeesChanged(client_id, (employee_id,)))
    tx.emit(TaxDetailsChanged(client_id, (employee_id,)))
    tx.emit(ResourceEvent(event_type, client_id, (employee_id,)))
