"""Opening payment runs: in the order of their periods, small ones while the caller waits, large ones in a job."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from gaji.company.waves.facts import waves
from gaji.core.errors import INVALID, Conflict, ValidationError
from gaji.core.failpoints import failpoint
from gaji.core.validation import ValidatedInput
from gaji.db.queue import enqueue
from gaji.db.tenancy import Tenant, Transaction
from gaji.identity.service import require_writer
from gaji.payroll.payment_runs import repository
from gaji.payroll.payment_runs.rules import MOST_NAMED, PAYMENT_RUN, period_of, place_of
from gaji.payroll.payment_runs.populate import JOB
from gaji.payroll.payslips import employment_context
from gaji.payroll.payment_runs import payslips
from gaji.periods.locks import lock_drafts_exclusive
from gaji.payroll.payslips.rules import Place
from gaji.payroll.payment_runs.payslips import AT_ONCE, Run
from gaji.people.employees import facts as employees


async def open_run(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> tuple[int, ValidatedInput]:
    """Open a run and calculate it: a regular one over the drafts of its period, or a special one for some employees."""
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        await lock_drafts_exclusive(tx, client_id)
        known = await waves(tx, client_id)
        reading = PAYMENT_RUN.parse_create(body, period_of(known))
        record = reading.record
        place, end = place_of(record, known), record["period_end_date"]
        if record["special"]:
            run_id = await _open_special(tx, client_id, place, end, record["employee_ids"])
        else:
            run_id = await _open_regular(tx, client_id, place, end)
        failpoint("open.before_commit")
    failpoint("open.after_commit")
    return run_id, reading


async def require_first(tx: Transaction, client_id: int, place: Place) -> None:
    """Refuse a run while an earlier period of its wave is still to be paid."""
    run = await repository.first_open_before(tx, client_id, *place)
    draft = await payslips.first_draft_before(tx, client_id, place)
    if run is not None and (draft is None or run <= draft):
        raise Conflict(f"The payment run of {run} is not finalised yet; the runs of a wave follow each other in order")
    if draft is None:
        return
    if await repository.is_finalised(tx, client_id, place.wave_id, draft):
        raise Conflict(
            f"There are payslips of {draft} that came after the payment run of {draft} was finalised; "
            "unfinalise that run and they join it"
        )
    raise Conflict(f"There are payslips of {draft} to be paid before; open the payment run of {draft} first")


async def _open_regular(tx: Transaction, client_id: int, place: Place, end: date) -> int:
    await require_first(tx, client_id, place)
    if existing := await repository.regular_run(tx, client_id, *place):
        raise Conflict(f"There is a payment run of {end} for wave {place.wave_id} already: {existing['id']}")
    count = await payslips.waiting(tx, client_id, place)
    if not count:
        raise Conflict(f"Wave {place.wave_id} has nobody to be paid for the period that ends on {end}")
    large = count > AT_ONCE
    run_id = await repository.insert(tx, client_id, *place, end, special=False, state="opening" if large else "ready")
    if large:
        await enqueue(tx, JOB, client_id)
    else:
        run = Run(client_id, run_id, place, special=False)
        await payslips.take_up(tx, run, await payslips.claim(tx, run))
    return run_id


async def _open_special(tx: Transaction, client_id: int, place: Place, end: date, employee_ids: list[int]) -> int:
    numbers = await employees.numbers(tx, client_id, employee_ids)
    found = await employment_context.load(tx, client_id, list(numbers))
    errors = {}
    for position, employee_id in enumerate(employee_ids):
        if employee_id not in numbers:
            errors.add(f"employee_ids.{position}", INVALID, reason=f"there is no employee {employee_id} in this client")
        elif not payslips.serves(found, employee_id, place):
            elsewhere = payslips.serves(found, employee_id, place, any_wave=True)
            why = "is paid by another wave" if elsewhere else "is not in service"
            errors.add(
                f"employee_ids.{position}",
                INVALID,
                reason=f"employee {employee_id} {why} in the period that ends on {end}",
            )
    if errors:
        raise ValidationError(dict(list(errors.items())[:MOST_NAMED]))
    run_id = await repository.insert(tx, client_id, *place, end, special=True, state="ready")
    await payslips.add_special(tx, Run(client_id, run_id, place, special=True), employee_ids, found)
    return run_id
