"""Attach payslips to large runs that are being opened: in chunks, two transactions at a time.

One more transaction stays open meanwhile. It locks the run, so that a second worker finds nothing to do, and ends by
marking the run as ready. If the process dies, the chunks that were committed stay: an attached draft is no longer
waiting, so no draft is attached twice.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field

from gaji.core.failpoints import failpoint
from gaji.core.resource_events import EventType, ResourceEvent
from gaji.db.tenancy import Transaction
from gaji.payroll.payment_runs import payslips, repository
from gaji.payroll.payment_runs.correction_runs import add_differences, count_uncompared, list_uncompared
from gaji.payroll.payment_runs.models import run_from_row
from gaji.payroll.payment_runs.payslips import RunKey
from gaji.people.employees.access import lock_employees
from gaji.periods.locks import lock_drafts_shared

LANES = 2
"""While the database saves the payslips of one lane, those of the other are calculated."""
MIN_CHUNK_SIZE, MAX_CHUNK_SIZE = 100, 5000

Begin = Callable[[], AbstractAsyncContextManager[Transaction]]


async def populate_opening_runs(begin: Begin, client_id: int) -> None:
    """Attach payslips to all runs of a client that are being opened and that no other worker has claimed."""
    while await _populate_next(begin, client_id):
        pass


async def _populate_next(begin: Begin, client_id: int) -> bool:
    """Attach payslips to one such run. Returns whether there was one."""
    async with begin() as tx:
        row = await repository.claim_opening(tx, client_id)
        if row is None:
            return False
        run = run_from_row(row).key
        while waiting := await _count_waiting(tx, run):
            population = RunPopulation(begin, run, chunk_size(waiting))
            await asyncio.gather(*(population.run_lane() for _ in range(LANES)))
        await repository.set_ready(tx, client_id, run.id)
        tx.emit(ResourceEvent(EventType.PAYMENT_RUN_CALCULATED, client_id, (run.id,)))
        failpoint("ready.before_commit")
    failpoint("ready.after_commit")
    return True


async def _count_waiting(tx: Transaction, run: RunKey) -> int:
    if run.corrects is not None:
        return await count_uncompared(tx, run)
    return await payslips.count_waiting(tx, run.client_id, run.period)


def chunk_size(waiting: int) -> int:
    """Return how many payslips to attach in one transaction: enough to be worth it, few enough for lanes to alternate.

    >>> chunk_size(150), chunk_size(8_000), chunk_size(100_000)
    (100, 4000, 5000)
    """
    return min(max(-(-waiting // LANES), MIN_CHUNK_SIZE), MAX_CHUNK_SIZE)


@dataclass
class RunPopulation:
    """The work on one run, from the first employee to the last."""

    begin: Begin
    run: RunKey
    size: int
    after: int = 0
    """The last employee whose draft was claimed."""
    claiming: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def run_lane(self) -> None:
        """Attach drafts until none is left to claim."""
        while await self._chunk():
            failpoint("chunk.after_commit")

    async def _chunk(self) -> bool:
        if self.run.corrects is not None:
            return await self._correction_chunk()
        async with self.begin() as tx:
            await lock_drafts_shared(tx, self.run.client_id)
            async with self.claiming:
                drafts = await payslips.claim_drafts(tx, self.run, self.after, self.size)
                if not drafts:
                    return False
                self.after = max(draft.employee_id for draft in drafts)
            await payslips.attach_drafts(tx, self.run, drafts)
            failpoint("chunk.before_commit")
        return True

    async def _correction_chunk(self) -> bool:
        async with self.begin() as tx:
            async with self.claiming:
                drafts = await list_uncompared(tx, self.run, self.after, self.size)
                if not drafts:
                    return False
                self.after = max(draft.employee_id for draft in drafts)
            # The employees first, as every change of one does. The other order could deadlock.
            await lock_employees(tx, self.run.client_id, [draft.employee_id for draft in drafts])
            await lock_drafts_shared(tx, self.run.client_id)
            await add_differences(tx, self.run, drafts)
            failpoint("chunk.before_commit")
        return True
