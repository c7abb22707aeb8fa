"""Background task that does queued steps, for each client completely or not at all."""

from collections.abc import Awaitable, Callable, Mapping

from gaji.approvals.models import Approval
from gaji.core.errors import Conflict, Forbidden, GajiError, InProgress, NotFound, ValidationError
from gaji.db.tenancy import Caller, Transaction
from gaji.identity.roles import require_writer
from gaji.payroll.payment_runs import service
from gaji.payroll.payment_runs.finalise import ChangedSinceReview, finalise_reviewed
from gaji.payroll.payment_runs.open_run import open_in_transaction
from gaji.payroll.run_steps import repository
from gaji.payroll.run_steps.models import CompanyStep, StepFailure, StepItem, StepResult
from gaji.payroll.run_steps.repository import ClaimedStep
from gaji.tasks.pending_tasks import MAX_ATTEMPTS, TaskKind, TaskRun


class ApprovalRequired(Conflict):
    """The client requires approval of the step, which has to be requested in the payment run."""


FAILURES: tuple[tuple[type[GajiError], StepFailure], ...] = (
    (ChangedSinceReview, StepFailure.CHANGED),
    (ApprovalRequired, StepFailure.NEEDS_APPROVAL),
    (InProgress, StepFailure.IN_PROGRESS),
    (Conflict, StepFailure.CONFLICT),
    (Forbidden, StepFailure.NO_ACCESS),
    (NotFound, StepFailure.NO_ACCESS),
    (ValidationError, StepFailure.NOT_VALID),
)
"""The first matching class gives the reason."""


async def _run(run: TaskRun, claimed: ClaimedStep) -> None:
    """Do a step as the user who started it. Raises Forbidden or NotFound if the user is no longer allowed to."""
    user = Caller(user_id=claimed.user_id, account_id=run.tx.caller.account_id, access_version=0, administrator=False)
    user_tx = Transaction(run.tx.connection, user, run.tx.vault)
    await require_writer(user_tx, run.client_id)
    await repository.set_audit_user(user_tx, claimed.user_id)
    results = [await ACTIONS[claimed.step](user_tx, run.client_id, item) for item in claimed.items]
    await repository.complete(run.tx, run.client_id, claimed.id, results)
    await user_tx.finish()


async def _open(tx: Transaction, client_id: int, item: StepItem) -> StepResult:
    if item.run_id is not None:
        return StepResult(item.run_id, await service.calculate_in_transaction(tx, item.run_id))
    body = {"wave_id": item.wave_id, "period_end_date": str(item.period_end_date)}
    run_id, _ = await open_in_transaction(tx, client_id, body)
    return StepResult(run_id, item.payslips)


async def _finalise(tx: Transaction, _: int, item: StepItem) -> StepResult:
    run_id = item.run_id or 0
    outcome = await finalise_reviewed(tx, run_id, item.fingerprint)
    if isinstance(outcome, Approval):
        raise ApprovalRequired("A second person has to approve the payment run")
    return StepResult(run_id, outcome.payslips)


async def _mark_paid(tx: Transaction, _: int, item: StepItem) -> StepResult:
    run_id = item.run_id or 0
    await service.mark_paid_in_transaction(tx, run_id, {"payment_date": str(item.payment_date)})
    return StepResult(run_id, item.payslips)


async def _release(tx: Transaction, _: int, item: StepItem) -> StepResult:
    run_id = item.run_id or 0
    await service.release_in_transaction(tx, run_id)
    return StepResult(run_id, item.payslips)


ACTIONS: Mapping[CompanyStep, Callable[[Transaction, int, StepItem], Awaitable[StepResult]]] = {
    CompanyStep.OPEN: _open,
    CompanyStep.FINALISE: _finalise,
    CompanyStep.MARK_PAID: _mark_paid,
    CompanyStep.RELEASE: _release,
}


async def _fail(tx: Transaction, client_id: int, step_id: int, error: GajiError) -> None:
    reason = next((reason for kind, reason in FAILURES if isinstance(error, kind)), StepFailure.INTERNAL)
    await repository.fail(tx, client_id, step_id, reason)


STEP_TASKS = TaskKind(
    name="run_step",
    failure_message="The step failed because of an internal error, which has been logged",
    abandoned_message=f"The step failed: its worker stopped {MAX_ATTEMPTS} times before it was complete",
    claim=repository.claim,
    begin_attempt=repository.begin_attempt,
    run=_run,
    fail=_fail,
)
