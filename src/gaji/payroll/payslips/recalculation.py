"""Recalculation: what happens to drafts when something that they go by changes."""

from collections.abc import Sequence

from gaji.db.queue import enqueue
from gaji.db.tenancy import Transaction
from gaji.engine.payslip_input import decode_payslip_input
from gaji.payroll.payslips import employment_context
from gaji.payroll.payslips.calculation import FEW, calculate, calculate_anew
from gaji.payroll.payslips.drafts import Draft, draft_of, rebuild
from gaji.payroll.payslips.employment_context import Grounds
from gaji.periods.locks import lock_drafts_shared
from gaji.payroll.payslips.repository import drafts as store

JOB = "recalculate"
"""The name of the job that calculates the drafts of a client which wait for it."""
CHUNK = 2000


async def employee_changed(tx: Transaction, client_id: int, employee_id: int) -> None:
    """Give an employee the drafts they should have now, and calculate them in the same transaction."""
    await employees_changed(tx, client_id, [employee_id])


async def inputs_changed(tx: Transaction, client_id: int, employee_id: int) -> None:
    """Calculate the drafts of an employee again when nothing has changed but what is entered for them.

    What a draft was last calculated from still holds then: whatever else changes, changes it or marks the draft.
    """
    await lock_drafts_shared(tx, client_id)
    rows = await store.lock_with_cases(tx, client_id, employee_id)
    versions = {row["catalogue_version"] for row in rows}
    if len(versions) != 1 or any(row["dirty"] for row in rows):
        await employee_changed(tx, client_id, employee_id)
    else:
        drafts = [draft_of(row) for row in rows]
        await calculate_anew(tx, client_id, versions.pop(), drafts, [decode_payslip_input(row["inputs"]) for row in rows])


async def employees_changed(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> None:
    """The same for several employees, in one batch."""
    drafts, found = await _rebuilt(tx, client_id, employee_ids)
    await calculate(tx, client_id, drafts, found)


async def next_drafts(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> None:
    """Give employees whose payslips were finalised, or are so no more, the drafts they should have now.

    A few are calculated at once; many wait for a job that is asked for in the same transaction.
    """
    drafts, found = await _rebuilt(tx, client_id, employee_ids)
    if len(drafts) <= FEW:
        await calculate(tx, client_id, drafts, found)
    else:
        await store.mark(tx, client_id, [draft.id for draft in drafts])
        await enqueue(tx, JOB, client_id)


async def client_changed(tx: Transaction, client_id: int) -> None:
    """Calculate all drafts of a client again: a few at once, many in a job that is asked for in this transaction."""
    await lock_drafts_shared(tx, client_id)
    drafts = [draft_of(row) for row in await store.mark_client(tx, client_id)]
    if len(drafts) <= FEW:
        await _calculate(tx, client_id, drafts)
    else:
        await enqueue(tx, JOB, client_id)


async def calculate_some(tx: Transaction, client_id: int) -> int:
    """Calculate drafts that wait for it, as many as are taken at a time; says how many there were."""
    await lock_drafts_shared(tx, client_id)
    drafts = [draft_of(row) for row in await store.claim_dirty(tx, client_id, CHUNK)]
    await _calculate(tx, client_id, drafts)
    return len(drafts)


async def _rebuilt(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> tuple[list[Draft], Grounds]:
    """The drafts that these employees should have, and their grounds.

    The drafts are locked first: what is read after that is what everyone who held them before has left.
    """
    await lock_drafts_shared(tx, client_id)
    locked = await store.lock(tx, client_id, employee_ids)
    found = await employment_context.load(tx, client_id, employee_ids)
    return await rebuild(tx, client_id, employee_ids, locked, found), found


async def _calculate(tx: Transaction, client_id: int, drafts: Sequence[Draft]) -> None:
    if drafts:
        employee_ids = list({draft.employee_id for draft in drafts})
        await calculate(tx, client_id, drafts, await employment_context.load(tx, client_id, employee_ids))
