"""Background task that runs queued imports."""

import msgspec

from gaji.core.errors import GajiError
from gaji.db.tenancy import Caller, Transaction
from gaji.identity.roles import require_writer
from gaji.imports.employees import repository
from gaji.imports.employees.import_workbook import import_workbook
from gaji.imports.employees.repository import ClaimedImport
from gaji.imports.employees.result import failure_json
from gaji.imports.employees.workbook_client import read_workbook
from gaji.tasks.pending_tasks import MAX_ATTEMPTS, TaskKind, TaskRun


async def _import(run: TaskRun, claimed: ClaimedImport) -> None:
    """Run an import as the user who started it. Raises Forbidden if the user is no longer allowed to."""
    client_id, tx = run.client_id, run.tx
    user = Caller(user_id=claimed.user_id, account_id=tx.caller.account_id, access_version=0, administrator=False)
    user_tx = Transaction(tx.connection, user, tx.vault)
    await require_writer(user_tx, client_id)
    await repository.set_audit_user(user_tx, claimed.user_id)

    async def save_progress(step: str, rows: int, done: int) -> None:
        async with run.begin_progress() as progress_tx:
            await repository.update_progress(progress_tx, client_id, claimed.id, step, rows, done)

    workbook = await read_workbook(tx.caller.account_id, claimed.content)
    result = await import_workbook(user_tx, client_id, workbook, dry_run=claimed.dry_run, on_progress=save_progress)
    outcome = msgspec.json.encode(result.to_json())
    await repository.finish_import(tx, client_id, claimed.id, "complete", outcome)
    await user_tx.finish()


async def _fail(tx: Transaction, client_id: int, import_id: int, error: GajiError) -> None:
    outcome = msgspec.json.encode(failure_json(error))
    await repository.finish_import(tx, client_id, import_id, "failed", outcome)


IMPORT_TASKS = TaskKind(
    name="import",
    failure_message="The import failed because of an internal error, which has been logged",
    abandoned_message=f"The import failed: its worker stopped {MAX_ATTEMPTS} times before it was complete",
    claim=repository.claim,
    begin_attempt=repository.begin_attempt,
    run=_import,
    fail=_fail,
)
