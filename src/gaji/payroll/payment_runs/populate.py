"""Taking up the payslips of large runs that are being opened: many in each transaction, two transactions at a time.

One transaction stays open beside them for as long as it takes. It holds the run, so that whoever else comes to do the
same finds nothing to do; it ends by noting that the run is ready. When the process dies, it ends without, and what the
others have saved stays: a draft that a run has taken up waits no more, and so none is taken up twice.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field

from gaji.core.failpoints import failpoint
from gaji.db.tenancy import Transaction
from gaji.payroll.payment_runs import repository
from gaji.payroll.payment_runs.models import run_of
from gaji.payroll.payment_runs import payslips
from gaji.periods.locks import lock_drafts_shared
from gaji.payroll.payment_runs.payslips import Run

JOB = "open_payment_runs"
"""The name of the job that does it for a client."""
LANES = 2
"""While the database saves the payslips of one, those of the other are calculated."""
CHUNKS, LEAST, MOST = LANES, 100, 5000

Begin = Callable[[], AbstractAsyncContextManager[Transaction]]


async def take_up_waiting(begin: Begin, client_id: int) -> None:
    """Take up the payslips of all runs of a client that are being opened and that nobody else works on."""
    while await _take_up_next(begin, client_id):
        pass


async def _take_up_next(begin: Begin, client_id: int) -> bool:
    """Take up the payslips of one such run; says whether there was any."""
    async with begin() as tx:
        row = await repository.claim_opening(tx, client_id)
        if row is None:
            return False
        run = run_of(row).of
        while waiting := await payslips.waiting(tx, client_id, run.place):
            work = Work(begin, run, chunk_size(waiting))
            await asyncio.gather(*(work.lane() for _ in range(LANES)))
        await repository.set_ready(tx, client_id, run.id)
        failpoint("ready.before_commit")
    failpoint("ready.after_commit")
    return True


def chunk_size(waiting: int) -> int:
    """How many payslips are taken up in one transaction: so many that each is worth it, so few that lanes alternate.

    >>> chunk_size(150), chunk_size(8_000), chunk_size(100_000)
    (100, 4000, 5000)
    """
    return min(max(-(-waiting // CHUNKS), LEAST), MOST)


@dataclass
class Work:
    """The drafts of one run, from the first employee to the last."""

    begin: Begin
    run: Run
    size: int
    after: int = 0
    """The last employee whose draft was claimed."""
    claiming: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def lane(self) -> None:
        """Take up drafts until none is left to claim."""
        while await self._chunk():
            failpoint("chunk.after_commit")

    async def _chunk(self) -> bool:
        async with self.begin() as tx:
            await lock_drafts_shared(tx, self.run.client_id)
            async with self.claiming:
                drafts = await payslips.claim(tx, self.run, self.after, self.size)
                if not drafts:
                    return False
                self.after = max(draft.employee_id for draft in drafts)
            await payslips.take_up(tx, self.run, drafts)
            failpoint("chunk.before_commit")
        return True
