"""Open payment runs: in the order of their periods, small ones at once, large ones in a task."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from gaji.company.waves.queries import load_pay_calendars
from gaji.core.error_codes import UNKNOWN_ID
from gaji.core.errors import Conflict, ErrorCode, Errors, ValidationError
from gaji.core.failpoints import failpoint
from gaji.core.resource_events import EventType, ResourceEvent
from gaji.core.validation import Rule
from gaji.db.external_references import external_id_race
from gaji.db.tenancy import Tenant, Transaction
from gaji.identity.roles import require_writer
from gaji.payroll.payment_runs import payslips, repository
from gaji.payroll.payment_runs.correction_runs import open_correction
from gaji.payroll.payment_runs.payslips import OPEN_TASK, SYNCHRONOUS_LIMIT, RunKey
from gaji.payroll.payment_runs.references import load_external_id_rule, save_references
from gaji.payroll.payment_runs.rules import period_key, period_rule
from gaji.payroll.payment_runs.run_order import require_first
from gaji.payroll.payment_runs.schemas import CORRECTION_RUN, MAX_LISTED_ERRORS, PAYMENT_RUN
from gaji.payroll.payslips.draft_periods import PeriodKey
from gaji.payroll.payslips.employment_context import EmploymentContext, load_context
from gaji.people.employees import queries as employees
from gaji.periods.locks import lock_drafts_exclusive
from gaji.tasks.queue import enqueue

PAID_BY_ANOTHER_WAVE = ErrorCode(
    "paid_by_another_wave",
    "employee {employee_id} is paid by another wave in the period that ends on {period_end_date}",
)
LEFT_TOO_LONG_AGO = ErrorCode(
    "left_too_long_ago",
    "employee {employee_id} left on {last_day}; a payslip is possible until {years} years after the last day",
)
MAX_YEARS_AFTER_LEAVING = 6
NOT_IN_SERVICE = ErrorCode(
    "not_in_service", "employee {employee_id} is not in service in the period that ends on {period_end_date}"
)


def _check_former_employee(
    context: EmploymentContext, employee_id: int, period: PeriodKey, path: str, errors: Errors
) -> None:
    """Reject an employee who is not in service, unless the wave paid them last and they left at most six years ago."""
    end = context.waves[period.wave_id].schedule.end(period.offset)
    left = payslips.last_day_before(context, employee_id, period)
    if left is not None and left.end is not None and left.wave_id == period.wave_id:
        if end > _years_later(left.end, MAX_YEARS_AFTER_LEAVING):
            errors.add(
                path, LEFT_TOO_LONG_AGO, employee_id=employee_id, last_day=left.end, years=MAX_YEARS_AFTER_LEAVING
            )
        return
    elsewhere = left is not None or payslips.serves(context, employee_id, period, any_wave=True)
    code = PAID_BY_ANOTHER_WAVE if elsewhere else NOT_IN_SERVICE
    errors.add(path, code, employee_id=employee_id, period_end_date=end)


def _years_later(day: date, years: int) -> date:
    """Return the same day some years later; 28 February for 29 February."""
    is_leap_day = (day.month, day.day) == (2, 29)
    return day.replace(year=day.year + years, day=28 if is_leap_day else day.day)


async def open_run(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> tuple[int, dict[str, str]]:
    """Open a regular run over the drafts of a period, a special run for some employees, or a correction run.

    Returns the id of the run, and warnings about the body.
    """
    with external_id_race():
        async with tenant.transaction() as tx:
            run_id, warnings = await open_in_transaction(tx, client_id, body)
            failpoint("open.before_commit")
    failpoint("open.after_commit")
    return run_id, warnings


async def open_in_transaction(tx: Transaction, client_id: int, body: Mapping[str, Any]) -> tuple[int, dict[str, str]]:
    """Like `open_run`, in a transaction of the caller."""
    await require_writer(tx, client_id)
    await lock_drafts_exclusive(tx, client_id)
    return await _open_any(tx, client_id, body)


async def _open_any(tx: Transaction, client_id: int, body: Mapping[str, Any]) -> tuple[int, dict[str, str]]:
    attributes = CORRECTION_RUN.unwrap(body)
    rule = await load_external_id_rule(tx, client_id, attributes)
    if attributes.get("corrects") is None:
        return await _open(tx, client_id, body, rule)
    correction = CORRECTION_RUN.parse_create(body, rule)
    run_id = await open_correction(tx, client_id, correction.data)
    await save_references(tx, client_id, run_id, correction.data)
    return run_id, correction.warnings


async def _open(tx: Transaction, client_id: int, body: Mapping[str, Any], rule: Rule) -> tuple[int, dict[str, str]]:
    calendars = await load_pay_calendars(tx, client_id)
    validated = PAYMENT_RUN.parse_create(body, period_rule(calendars), rule)
    run = validated.data
    period = period_key(run.wave_id, run.period_end_date, calendars)
    if run.special:
        run_id = await _open_special(tx, client_id, period, run.period_end_date, run.employee_ids or ())
    else:
        run_id = await _open_regular(tx, client_id, period, run.period_end_date)
    await save_references(tx, client_id, run_id, run)
    return run_id, validated.warnings


async def _open_regular(tx: Transaction, client_id: int, period: PeriodKey, end: date) -> int:
    await require_first(tx, client_id, period)
    if existing := await repository.regular_run(tx, client_id, *period):
        raise Conflict(f"Wave {period.wave_id} already has a payment run for {end}: {existing['id']}")
    count = await payslips.count_waiting(tx, client_id, period)
    if not count:
        raise Conflict(f"Wave {period.wave_id} has no employees to pay in the period that ends on {end}")
    large = count > SYNCHRONOUS_LIMIT
    run_id = await repository.insert(tx, client_id, *period, end, special=False, state="opening" if large else "ready")
    tx.emit(ResourceEvent(EventType.PAYMENT_RUN_OPENED, client_id, (run_id,)))
    if large:
        await enqueue(tx, OPEN_TASK, client_id)
    else:
        run = RunKey(client_id, run_id, period, special=False)
        await payslips.attach_drafts(tx, run, await payslips.claim_drafts(tx, run))
        tx.emit(ResourceEvent(EventType.PAYMENT_RUN_CALCULATED, client_id, (run_id,)))
    return run_id


async def _open_special(
    tx: Transaction, client_id: int, period: PeriodKey, end: date, employee_ids: Sequence[int]
) -> int:
    numbers = await employees.load_employee_numbers(tx, client_id, employee_ids)
    context = await load_context(tx, client_id, list(numbers))
    errors = Errors()
    for index, employee_id in enumerate(employee_ids):
        path = f"employee_ids.{index}"
        if employee_id not in numbers:
            errors.add(path, UNKNOWN_ID, resource="employee", id=employee_id)
        elif not payslips.serves(context, employee_id, period):
            _check_former_employee(context, employee_id, period, path, errors)
    if errors:
        raise ValidationError(errors.first(MAX_LISTED_ERRORS))
    run_id = await repository.insert(tx, client_id, *period, end, special=True, state="ready")
    tx.emit(ResourceEvent(EventType.PAYMENT_RUN_OPENED, client_id, (run_id,)))
    await payslips.create_special_drafts(tx, RunKey(client_id, run_id, period, special=True), employee_ids, context)
    return run_id
