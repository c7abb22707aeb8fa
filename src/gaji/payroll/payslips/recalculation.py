"""Recalculate drafts when their inputs change."""

from collections.abc import Sequence

from gaji.core.resource_events import EventType, ResourceEvent
from gaji.db.tenancy import Transaction
from gaji.engine.payslip_input import decode_payslip_input
from gaji.payroll.payslips.calculation import THREAD_THRESHOLD, calculate_drafts, recalculate_entries
from gaji.payroll.payslips.drafts import Draft, draft_from_row, sync_drafts
from gaji.payroll.payslips.employment_context import EmploymentContext, load_context
from gaji.payroll.payslips.repository import drafts as repository
from gaji.payroll.payslips.repository import runs as run_repository
from gaji.periods.locks import lock_drafts_shared
from gaji.tasks.queue import enqueue

TASK = "recalculate"
"""The name of the task that calculates the dirty drafts of a client."""
CHUNK_SIZE = 2000


async def recalculate_employee(tx: Transaction, client_id: int, employee_id: int) -> None:
    """Give an employee the drafts they should have, and calculate them in the same transaction."""
    await recalculate_employees(tx, client_id, [employee_id])


async def recalculate_entries_of(tx: Transaction, client_id: int, employee_id: int) -> None:
    """Calculate an employee's drafts again when only their entries have changed.

    The stored inputs of a draft are still valid then: any other change recalculates the draft or marks it dirty.
    """
    await lock_drafts_shared(tx, client_id)
    rows = await repository.lock_drafts_with_inputs(tx, client_id, employee_id)
    versions = {row["catalogue_version"] for row in rows}
    if len(versions) != 1 or any(row["dirty"] for row in rows):
        await recalculate_employee(tx, client_id, employee_id)
    else:
        drafts = [draft_from_row(row) for row in rows]
        inputs = [decode_payslip_input(row["inputs"]) for row in rows]
        await recalculate_entries(tx, client_id, versions.pop(), drafts, inputs)


async def recalculate_employees(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> None:
    """Give employees the drafts they should have, and calculate them in one batch."""
    drafts, context = await _lock_and_sync(tx, client_id, employee_ids)
    await calculate_drafts(tx, client_id, drafts, context)


async def create_next_drafts(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> None:
    """Give employees whose payslips were finalised or unfinalised the drafts they should have.

    A few drafts are calculated at once. Many are calculated by a task that is queued in the same transaction.
    """
    drafts, context = await _lock_and_sync(tx, client_id, employee_ids)
    if len(drafts) <= THREAD_THRESHOLD:
        await calculate_drafts(tx, client_id, drafts, context)
    else:
        await repository.mark_dirty(tx, client_id, [draft.id for draft in drafts])
        await enqueue(tx, TASK, client_id)


async def recalculate_client(tx: Transaction, client_id: int) -> None:
    """Calculate all drafts of a client again: a few at once, many in a queued task."""
    await lock_drafts_shared(tx, client_id)
    drafts = [draft_from_row(row) for row in await repository.mark_client_dirty(tx, client_id)]
    if len(drafts) <= THREAD_THRESHOLD:
        await _calculate(tx, client_id, drafts)
    else:
        await enqueue(tx, TASK, client_id)


async def calculate_dirty_chunk(tx: Transaction, client_id: int) -> int:
    """Calculate up to CHUNK_SIZE dirty drafts, and return how many there were."""
    await lock_drafts_shared(tx, client_id)
    drafts = [draft_from_row(row) for row in await repository.claim_dirty(tx, client_id, CHUNK_SIZE)]
    await _calculate(tx, client_id, drafts)
    if not drafts:
        run_ids = await run_repository.delete_completed_calculations(tx, client_id)
        tx.emit(ResourceEvent(EventType.PAYMENT_RUN_CALCULATED, client_id, tuple(run_ids)))
    return len(drafts)


async def _lock_and_sync(
    tx: Transaction, client_id: int, employee_ids: Sequence[int]
) -> tuple[list[Draft], EmploymentContext]:
    """Return the drafts that these employees should have, and their context.

    The drafts are locked before anything else is read, so that no concurrent change is missed.
    """
    await lock_drafts_shared(tx, client_id)
    locked = await repository.lock_drafts(tx, client_id, employee_ids)
    context = await load_context(tx, client_id, employee_ids)
    return await sync_drafts(tx, client_id, employee_ids, locked, context), context


async def _calculate(tx: Transaction, client_id: int, drafts: Sequence[Draft]) -> None:
    if drafts:
        employee_ids = list({draft.employee_id for draft in drafts})
        await calculate_drafts(tx, client_id, drafts, await load_context(tx, client_id, employee_ids))
