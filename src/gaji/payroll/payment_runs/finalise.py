"""Finalising payment runs, all or nothing, and taking that back."""

from gaji.core.errors import Conflict
from gaji.core.failpoints import failpoint
from gaji.db.tenancy import Tenant, Transaction
from gaji.payroll.payment_runs import repository
from gaji.payroll.payment_runs.events import FinalisedRunChanged
from gaji.payroll.payment_runs.open_run import require_first
from gaji.payroll.payment_runs.models import PaymentRun, run_for_change
from gaji.payroll.payslips import statutory_totals
from gaji.payroll.payment_runs import payslips as runs
from gaji.people.employees import facts as employees

MOST_NAMED = 1000
"""Of the payslips that keep a run from being finalised; the message says how many there are."""
DIRTY = "is not calculated yet"


async def finalise_run(tenant: Tenant, run_id: int) -> int:
    """Finalise a run whose payslips are all in order; gives how many they are."""
    async with tenant.transaction() as tx:
        run = await run_for_change(tx, run_id, alone=True)
        run.require_open("finalised again" if run.finalised else "finalised")
        if not run.of.special:
            await require_first(tx, run.client_id, run.of.place)
        await _require_ready(tx, run)
        await _require_not_overtaken(tx, run, "finalised")
        done = await runs.finalise(tx, run.of)
        await _require_ready(tx, run)  # unless one was marked for calculation since it was looked at
        await repository.finalise(tx, run.client_id, run_id, done.payslips, done.total)
        tx.emit(FinalisedRunChanged(run.client_id, run_id))
        failpoint("finalise.before_commit")
    failpoint("finalise.after_commit")
    return done.payslips


async def unfinalise_run(tenant: Tenant, run_id: int) -> int:
    """Make the payslips of a finalised run drafts again; gives how many they are."""
    async with tenant.transaction() as tx:
        run = await run_for_change(tx, run_id, alone=True)
        run.require_finalised("unfinalised")
        await _require_not_overtaken(tx, run, "unfinalised")
        await repository.unfinalise(tx, run.client_id, run_id)
        tx.emit(FinalisedRunChanged(run.client_id, run_id))
        await tx.dispatch_events()  # the handlers read the payslips of the run, which are about to change
        await statutory_totals.forget_releases(tx, run.client_id, run_id)
        payslips = await runs.unfinalise(tx, run.of)
        failpoint("unfinalise.before_commit")
    failpoint("unfinalise.after_commit")
    return payslips


async def _require_ready(tx: Transaction, run: PaymentRun) -> None:
    """Refuse while payslips wait for calculation or need attention; each is named, with its employee and why."""
    unready, in_all = await runs.unready(tx, run.of, MOST_NAMED)
    if not unready:
        return
    numbers = await employees.numbers(tx, run.client_id, [one.employee_id for one in unready])
    errors = {
        str(one.id): f"employee {numbers[one.employee_id]}: {DIRTY if one.dirty else '; '.join(one.attention)}"
        for one in unready
    }
    subject = "1 payslip is" if in_all == 1 else f"{in_all:,} payslips are"
    raise Conflict(f"{subject} not ready, so payment run {run.id} cannot be finalised", errors=errors)


async def _require_not_overtaken(tx: Transaction, run: PaymentRun, wish: str) -> None:
    """Refuse when an employee of the run has a later finalised payslip, which went by what this run was."""
    later = await runs.overtaken(tx, run.of)
    if later is None:
        return
    [number] = (await employees.numbers(tx, run.client_id, [later.employee_id])).values()
    raise Conflict(
        f"Employee {number} has the finalised payslip {later.id} of {later.date} in payment run "
        f"{later.payment_run_id}, which comes after this run, so it cannot be {wish}"
    )
