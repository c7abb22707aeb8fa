"""Finalise payment runs, completely or not at all, and unfinalise them."""

from dataclasses import dataclass
from typing import Any

from gaji.approvals.models import Approval, ApprovalKind, ApprovalRequest, ApprovalSubject, OutdatedRequest
from gaji.approvals.service import is_required, request_approval
from gaji.core.errors import Conflict, ErrorCode, Errors, InProgress
from gaji.core.failpoints import failpoint
from gaji.core.resource_events import EventType, ResourceEvent
from gaji.db.tenancy import Tenant, Transaction
from gaji.engine.money import decimal_text
from gaji.payroll.payment_runs import payslips, repository
from gaji.payroll.payment_runs.correction_runs import require_differences
from gaji.payroll.payment_runs.events import FinalisedRunChanged
from gaji.payroll.payment_runs.models import PaymentRun, lock_run
from gaji.payroll.payment_runs.run_order import require_first
from gaji.payroll.retro_proposals import service as retro_proposals
from gaji.payroll.snapshots.take_snapshots import reopen, take_snapshots
from gaji.payroll.withheld_payments import service as withheld_payments
from gaji.people.employees.queries import load_employee_numbers

MAX_LISTED_PAYSLIPS = 1000
"""Blocked payslips that an error lists. The message has their total number."""

NOT_CALCULATED = ErrorCode("not_calculated", "employee {employee}: is not calculated yet")
NEEDS_ATTENTION = ErrorCode("needs_attention", "employee {employee}: {reasons}")


@dataclass(frozen=True)
class FinalisedRun:
    """A run that was just finalised."""

    payslips: int
    differences: dict[str, Any] | None
    """What differs from the previous finalisation. None for the first one."""


class ChangedSinceReview(Conflict):
    """The payslips are not those that the caller has reviewed."""


async def finalise_run(tenant: Tenant, run_id: int, fingerprint: str | None = None) -> FinalisedRun | Approval:
    """Finalise a run whose payslips are all ready, or request the approval that the client requires for it.

    `fingerprint` is that of the payslips that the caller has reviewed. Raises ChangedSinceReview if they have changed.
    """
    async with tenant.transaction() as tx:
        outcome = await finalise_reviewed(tx, run_id, fingerprint)
        failpoint("finalise.before_commit")
    failpoint("finalise.after_commit")
    return outcome


async def finalise_reviewed(tx: Transaction, run_id: int, fingerprint: str | None) -> FinalisedRun | Approval:
    """Like `finalise_run`, in a transaction of the caller."""
    run = await _lock_ready(tx, run_id)
    if fingerprint is not None and (await payslips.load_content(tx, run.key)).fingerprint != fingerprint:
        raise ChangedSinceReview("The payslips have changed since they were reviewed")
    if await is_required(tx, run.client_id):
        return await request_approval(tx, run.client_id, await _approval_request(tx, run))
    return await _finalise(tx, run)


async def finalise_approved(tx: Transaction, approval: Approval) -> None:
    """Finalise a run as it was approved."""
    run = await _lock_ready(tx, approval.subject.payment_run_id or 0)
    if (await payslips.load_content(tx, run.key)).fingerprint != approval.fingerprint:
        raise OutdatedRequest("the payslips of the payment run have changed since it was requested")
    await _finalise(tx, run)


async def _lock_ready(tx: Transaction, run_id: int) -> PaymentRun:
    """Lock a run with its drafts, and check that it can be finalised."""
    run = await lock_run(tx, run_id, lock_drafts=True)
    run.require_open("finalised again" if run.finalised else "finalised")
    if run.key.corrects is not None:
        await require_differences(tx, run.key)
    if not run.key.special:
        await require_first(tx, run.client_id, run.key.period)
    await _require_ready(tx, run)
    await _require_latest(tx, run, "finalised")
    return run


async def _finalise(tx: Transaction, run: PaymentRun) -> FinalisedRun:
    result = await payslips.finalise(tx, run.key)
    await _require_ready(tx, run)  # a payslip may have become dirty since the first check
    await repository.finalise(tx, run.client_id, run.id, result.payslips, result.total, result.rules_versions)
    differences = await take_snapshots(tx, run.client_id, run.id, run.payment_date)
    tx.emit(FinalisedRunChanged(run.client_id, run.id))
    tx.emit(ResourceEvent(EventType.PAYMENT_RUN_FINALISED, run.client_id, (run.id,)))
    return FinalisedRun(result.payslips, differences)


async def _approval_request(tx: Transaction, run: PaymentRun) -> ApprovalRequest:
    content = await payslips.load_content(tx, run.key)
    details = {
        "period_end_date": run.period_end_date.isoformat(),
        "payslips": content.payslips,
        "total": decimal_text(content.total),
    }
    subject = ApprovalSubject(ApprovalKind.PAYMENT_RUN_FINALISATION, payment_run_id=run.id)
    return ApprovalRequest(subject, details, content.fingerprint)


async def unfinalise_run(tenant: Tenant, run_id: int) -> int:
    """Turn the payslips of a finalised run into drafts again. Returns their number."""
    async with tenant.transaction() as tx:
        run = await lock_run(tx, run_id, lock_drafts=True)
        run.require_finalised("unfinalised")
        run.require_not_paid("unfinalised")
        await _require_uncorrected(tx, run)
        await _require_latest(tx, run, "unfinalised")
        await repository.unfinalise(tx, run.client_id, run_id)
        tx.emit(FinalisedRunChanged(run.client_id, run_id))
        tx.emit(ResourceEvent(EventType.PAYMENT_RUN_REOPENED, run.client_id, (run_id,)))
        await tx.dispatch_events()  # the handlers read the payslips of the run, which are about to change
        await retro_proposals.delete_of_run(tx, run.client_id, run_id)
        await reopen(tx, run.client_id, run_id)
        count = await payslips.unfinalise(tx, run.key)
        # Afterwards, because a payment can be released until the payslips are locked.
        await withheld_payments.delete_releases(tx, run.client_id, run_id)
        await withheld_payments.delete_withholdings(tx, run.client_id, run_id)
        failpoint("unfinalise.before_commit")
    failpoint("unfinalise.after_commit")
    return count


async def _require_ready(tx: Transaction, run: PaymentRun) -> None:
    """Reject a run with payslips that are not calculated or need attention, and list them."""
    blocked, total = await payslips.load_blocked(tx, run.key, MAX_LISTED_PAYSLIPS)
    if not blocked:
        return
    numbers = await load_employee_numbers(tx, run.client_id, [payslip.employee_id for payslip in blocked])
    errors = Errors()
    for payslip in blocked:
        number = numbers[payslip.employee_id]
        if payslip.dirty:
            errors.add(str(payslip.id), NOT_CALCULATED, employee=number)
        else:
            errors.add(str(payslip.id), NEEDS_ATTENTION, employee=number, reasons="; ".join(payslip.attention))
    subject = "1 payslip is" if total == 1 else f"{total:,} payslips are"
    message = f"{subject} not ready, so payment run {run.id} cannot be finalised"
    if all(payslip.dirty for payslip in blocked):
        raise InProgress(message, errors=errors)
    raise Conflict(message, errors=errors)


async def _require_uncorrected(tx: Transaction, run: PaymentRun) -> None:
    """Reject a run that another run corrects."""
    correction_id = await repository.find_correction(tx, run.client_id, run.id)
    if correction_id is not None:
        raise Conflict(
            f"Payment run {run.id} cannot be unfinalised: payment run {correction_id} corrects it; "
            "unfinalise and delete that run first"
        )


async def _require_latest(tx: Transaction, run: PaymentRun, action: str) -> None:
    """Reject a run if one of its employees has a later finalised payslip, which was based on this run."""
    later = await payslips.find_later_finalised(tx, run.key)
    if later is None:
        return
    [number] = (await load_employee_numbers(tx, run.client_id, [later.employee_id])).values()
    correction = f", which corrects the period that ends on {later.corrected_end}" if later.corrected_end else ""
    raise Conflict(
        f"Payment run {run.id} cannot be {action}: employee {number} has the later finalised payslip {later.id} of "
        f"{later.date} in payment run {later.payment_run_id}{correction}"
    )
