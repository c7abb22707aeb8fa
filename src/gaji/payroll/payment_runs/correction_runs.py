"""Correction runs: what a finalised run should have paid, less what it paid.

A correction run has a once-off payslip for each employee of the corrected run with differences, in the first period of
the wave that is not finalised. The payslip has the differences and nothing else. They are those of all payslips of the
calendar month, because contributions are monthly.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from gaji.company.waves.queries import load_pay_calendars
from gaji.core.error_codes import UNKNOWN_ID
from gaji.core.errors import Conflict, ErrorCode, Errors, ValidationError
from gaji.core.resource_events import EventType, ResourceEvent
from gaji.db.tenancy import Tenant, Transaction
from gaji.engine.payslip_input import PastDifference
from gaji.law.months import Month
from gaji.leave.days import queries as leave_days
from gaji.payroll.calculations import queries as calculations
from gaji.payroll.payment_runs import repository
from gaji.payroll.payment_runs.models import PaymentRun, load_run, raise_not_found
from gaji.payroll.payment_runs.overview import RunSummary
from gaji.payroll.payment_runs.payslips import OPEN_TASK, SYNCHRONOUS_LIMIT, RunKey
from gaji.payroll.payment_runs.schemas import MAX_LISTED_ERRORS, CorrectionRunInput
from gaji.payroll.payslips.calculation import calculate_drafts
from gaji.payroll.payslips.draft_periods import PeriodKey
from gaji.payroll.payslips.drafts import Draft, draft_from_row
from gaji.payroll.payslips.employment_context import load_context
from gaji.payroll.payslips.queries import load_payslip_periods
from gaji.payroll.payslips.repository import drafts as draft_repository
from gaji.payroll.payslips.repository import runs as payslip_repository
from gaji.payroll.retro_proposals import service as retro_proposals
from gaji.people.employees.queries import load_employee_numbers
from gaji.tasks.queue import enqueue

SYNCHRONOUS_CHUNK = 10
"""The employees compared at a time while the caller waits. Each may have the payslips of a whole year."""
MAX_CHECKED_PAYSLIPS = 1000
"""Pages do not look for changes of larger runs."""
NOTHING_TO_CORRECT = "There is nothing to correct: payment run {} paid what was due, or other proposals cover it"
NOT_IN_RUN = ErrorCode("not_in_run", "employee {employee_id} has no payslip in payment run {payment_run_id}")


@dataclass(frozen=True)
class CorrectionPreview:
    """What a correction run would pay, without opening it."""

    month: Month
    differences: dict[int, list[PastDifference]] | None
    """By employee. None if there are too many employees to compare while the caller waits."""
    pay_date: date
    """The day on which the correction would be paid, unless another payment date is set."""


async def open_correction(tx: Transaction, client_id: int, request: CorrectionRunInput) -> int:
    """Open a correction run, and compare the payslips of its employees; many in a task. Returns its id."""
    corrected = await _load_corrected(tx, client_id, request.corrects)
    await _require_in_run(tx, corrected, request.employee_ids or ())
    period = await _first_open_period(tx, corrected, request.employee_ids)
    end = (await load_pay_calendars(tx, client_id))[period.wave_id].period(period.offset, special=True).end
    run_id = await repository.insert(
        tx,
        client_id,
        *period,
        end,
        special=True,
        state="opening",
        corrects=corrected.id,
        employee_ids=request.employee_ids,
    )
    tx.emit(ResourceEvent(EventType.PAYMENT_RUN_OPENED, client_id, (run_id,)))
    run = RunKey(client_id, run_id, period, special=True, corrects=corrected.id)
    count = await _insert_drafts(tx, run, corrected.id, request.employee_ids)
    if await _compare_or_queue(tx, run, count):
        await require_differences(tx, run)
    return run_id


async def compare_again(tx: Transaction, run: RunKey) -> int:
    """Compare the payslips of an open correction run with what is known now; many in a task. Returns their number.

    Employees without a payslip in the run are compared too, unless it is limited to others.
    """
    if run.corrects is None:
        raise ValueError(f"payment run {run.id} corrects no other")
    employee_ids = await repository.load_employee_ids(tx, run.client_id, run.id)
    await retro_proposals.delete_corrections(tx, run.client_id, run.id)
    count = await payslip_repository.withdraw_corrections(tx, run.client_id, run.id)
    count += await _insert_drafts(tx, run, run.corrects, employee_ids)
    await _compare_or_queue(tx, run, count)
    return count


async def _insert_drafts(tx: Transaction, run: RunKey, corrected_id: int, employee_ids: Sequence[int] | None) -> int:
    """Insert drafts that are still to be compared, and return their number."""
    calendar = (await load_pay_calendars(tx, run.client_id))[run.period.wave_id]
    dates = calendar.period(run.period.offset, special=True)
    columns = (*run.period, dates.start, dates.end, dates.pay_date, run.id)
    return len(await payslip_repository.insert_corrections(tx, run.client_id, corrected_id, employee_ids, columns))


async def _compare_or_queue(tx: Transaction, run: RunKey, count: int) -> bool:
    """Compare the drafts of a run, or leave many to a task. Returns whether they were compared."""
    if count > SYNCHRONOUS_LIMIT:
        await repository.set_opening(tx, run.client_id, run.id)
        await enqueue(tx, OPEN_TASK, run.client_id)
        return False
    while drafts := await list_uncompared(tx, run, 0, SYNCHRONOUS_CHUNK):
        await add_differences(tx, run, drafts)
    await repository.set_ready(tx, run.client_id, run.id)
    tx.emit(ResourceEvent(EventType.PAYMENT_RUN_CALCULATED, run.client_id, (run.id,)))
    return True


async def preview_correction(tenant: Tenant, run_id: int) -> CorrectionPreview:
    """Return what a correction of a finalised run would pay."""
    async with tenant.snapshot() as tx:
        corrected = await load_run(tx, run_id)
        corrected.require_finalised("corrected")
        month = await _corrected_month(tx, corrected)
        period = await _first_open_period(tx, corrected, None)
        calendars = await load_pay_calendars(tx, corrected.client_id)
        pay_date = calendars[period.wave_id].period(period.offset, special=True).pay_date
        employee_ids = await payslip_repository.list_employees(tx, corrected.client_id, run_id)
        if len(employee_ids) > SYNCHRONOUS_LIMIT:
            return CorrectionPreview(month, None, pay_date)
        differences: dict[int, list[PastDifference]] = {}
        for first in range(0, len(employee_ids), SYNCHRONOUS_CHUNK):
            chunk = employee_ids[first : first + SYNCHRONOUS_CHUNK]
            differences |= await retro_proposals.load_corrections(tx, corrected.client_id, chunk, month)
        return CorrectionPreview(month, differences, pay_date)


@dataclass(frozen=True)
class UnpaidEmployees:
    """Employees of a finalised run who were paid other amounts than are recorded now."""

    employee_ids: frozenset[int] = frozenset()
    has_more: bool = False
    """Whether other employees with changes were not compared."""


def is_checked(run: RunSummary) -> bool:
    """Whether pages look for changes since a run was finalised."""
    return run.finalised_at is not None and run.corrects is None and (run.payslips or 0) <= MAX_CHECKED_PAYSLIPS


async def is_month_checked(tx: Transaction, client_id: int, month: Month) -> bool:
    """Whether pages compare the contributions of a month with its CPF files, for which they load all its payslips."""
    count = await repository.count_payslips_between(tx, client_id, month.first_day, month.last_day)
    return count <= MAX_CHECKED_PAYSLIPS


async def list_unpaid(tx: Transaction, run: RunSummary, client_id: int) -> UnpaidEmployees:
    """List the employees of a run whose pay items or leave were changed after it was finalised, and now differ from it.

    At most `SYNCHRONOUS_CHUNK` employees are compared, those with the latest changes.
    """
    if run.finalised_at is None or not is_checked(run):
        return UnpaidEmployees()
    changed = await calculations.load_changed_employees(tx, client_id, run.id, run.finalised_at)
    for employee_id, time in (await leave_days.load_changed_employees(tx, client_id, run.id, run.finalised_at)).items():
        changed[employee_id] = max(time, changed.get(employee_id, time))
    if not changed:
        return UnpaidEmployees()
    changed_ids = sorted(changed, key=lambda employee_id: (changed[employee_id], employee_id), reverse=True)
    month = Month.from_date(run.period_end_date)
    differences = await retro_proposals.load_corrections(tx, client_id, changed_ids[:SYNCHRONOUS_CHUNK], month)
    return UnpaidEmployees(frozenset(differences), has_more=len(changed_ids) > SYNCHRONOUS_CHUNK)


async def add_differences(tx: Transaction, run: RunKey, drafts: Sequence[Draft]) -> None:
    """Compare the payslips of employees, and delete the drafts of those without differences. Calculates the others."""
    periods = await load_payslip_periods(tx, run.client_id, [draft.corrects for draft in drafts[:1] if draft.corrects])
    [(_, end)] = periods.values()
    payslip_ids = {draft.employee_id: draft.id for draft in drafts}
    corrected = await retro_proposals.accept_corrections(tx, run.client_id, payslip_ids, Month.from_date(end))
    corrections = [draft for draft in drafts if draft.employee_id in corrected]
    if len(corrections) < len(drafts):
        deleted_ids = [draft.id for draft in drafts if draft.employee_id not in corrected]
        await payslip_repository.delete_drafts(tx, run.client_id, deleted_ids)
    if corrections:
        context = await load_context(tx, run.client_id, [draft.employee_id for draft in corrections])
        await calculate_drafts(tx, run.client_id, corrections, context)


async def list_uncompared(tx: Transaction, run: RunKey, after: int, limit: int) -> list[Draft]:
    """List the drafts of a run whose differences are not known yet, of the next employees after one."""
    rows = await payslip_repository.list_uncompared(tx, run.client_id, run.id, after, limit)
    return [draft_from_row(row) for row in rows]


async def count_uncompared(tx: Transaction, run: RunKey) -> int:
    """Count the drafts of a run whose differences are not known yet."""
    return await payslip_repository.count_uncompared(tx, run.client_id, run.id)


async def require_differences(tx: Transaction, run: RunKey) -> None:
    """Reject a correction run without payslips."""
    if not await payslip_repository.list_employees(tx, run.client_id, run.id):
        raise Conflict(NOTHING_TO_CORRECT.format(run.corrects))


async def _load_corrected(tx: Transaction, client_id: int, run_id: int) -> PaymentRun:
    run = await load_run(tx, run_id)
    if run.client_id != client_id:
        raise_not_found(run_id)
    run.require_finalised("corrected")
    return run


async def _require_in_run(tx: Transaction, run: PaymentRun, employee_ids: Sequence[int]) -> None:
    """Reject employees without a payslip in the run, all at once."""
    numbers = await load_employee_numbers(tx, run.client_id, employee_ids)
    in_run = set(await payslip_repository.list_employees(tx, run.client_id, run.id)) if employee_ids else set()
    errors = Errors()
    for index, employee_id in enumerate(employee_ids):
        path = f"employee_ids.{index}"
        if employee_id not in numbers:
            errors.add(path, UNKNOWN_ID, resource="employee", id=employee_id)
        elif employee_id not in in_run:
            errors.add(path, NOT_IN_RUN, employee_id=employee_id, payment_run_id=run.id)
    if errors:
        raise ValidationError(errors.first(MAX_LISTED_ERRORS))


async def _first_open_period(tx: Transaction, run: PaymentRun, employee_ids: Sequence[int] | None) -> PeriodKey:
    """The wave's first period that is not finalised, and not before any finalised payslip of the employees.

    The order of payslips is then the order in which they were finalised.
    """
    wave_id = run.key.period.wave_id
    schedule = (await load_pay_calendars(tx, run.client_id))[wave_id].schedule
    finalised = await draft_repository.last_finalised_of_waves(tx, run.client_id, [wave_id])
    last_day = await payslip_repository.load_last_finalised_day(tx, run.client_id, run.id, employee_ids)
    offset = max(finalised.get(wave_id, run.key.period.offset - 1) + 1, run.key.period.offset)
    return PeriodKey(wave_id, max(offset, schedule.offset_containing(last_day)) if last_day else offset)


async def _corrected_month(tx: Transaction, run: PaymentRun) -> Month:
    """The month whose payslips are corrected: that of the run which the corrections go back to."""
    while run.key.corrects is not None:
        run = await load_run(tx, run.key.corrects)
    return Month.from_date(run.period_end_date)
