"""Making the files of a client that wait, as a job: in one transaction each, with the progress noted beside it.

It goes as with reports (`gaji.reports.running`): a worker that dies takes all of its file back with it, the claim
included, and another one finds the file as it was.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager

import asyncpg

from gaji.db.reach import is_unreachable
from gaji.db.tenancy import Transaction
from gaji.documents.payslips.bundles import store
from gaji.documents.payslips.bundles.archive import Archive
from gaji.documents.payslips.bundles.store import Claimed
from gaji.documents.payslips.service import Paper, papers, pdf
from gaji.errors import GajiError
from gaji.failpoints import failpoint
from gaji.payslips.run_lines import payslip_ids

MOST_ATTEMPTS = 3
AT_ONCE = 20
"""Payslips that are read together, and after which progress is noted."""
PIECE_BYTES = 1024 * 1024
NOT_MADE = "The file could not be made, by a fault of ours that was logged"
GIVEN_UP = f"The file could not be made: {MOST_ATTEMPTS} times its worker ended before it was complete"

Begin = Callable[[], AbstractAsyncContextManager[Transaction]]
"""Begins a transaction that sees one client."""


class NotMade(Exception):
    """A file cannot be made; what was made of it is not to be kept."""

    def __init__(self, bundle_id: int, message: str) -> None:
        super().__init__(message)
        self.bundle_id = bundle_id
        self.message = message


async def make_waiting(alone: Begin, beside: Begin, client_id: int) -> None:
    """Make the files of a client that nobody makes, one after the other, until there are none.

    `alone` begins a transaction that sees one state throughout, `beside` a short one whose outcome others see at once.
    """
    while True:
        try:
            if not await _make_one(alone, beside, client_id):
                return
        except asyncpg.SerializationError:
            continue  # someone else completed the same file in this very moment
        except NotMade as error:
            async with beside() as tx:
                await store.fail(tx, client_id, error.bundle_id, error.message)
            if error.__cause__ is not None:
                raise error.__cause__ from None


async def _make_one(alone: Begin, beside: Begin, client_id: int) -> bool:
    async with alone() as tx:
        claimed = await store.claim(tx, client_id)
        if claimed is None:
            return False
        async with beside() as other:
            attempts = await store.begin(other, client_id, claimed.id)
        if attempts > MOST_ATTEMPTS:
            raise NotMade(claimed.id, GIVEN_UP)
        try:
            await _make(tx, beside, client_id, claimed)
        except GajiError as error:
            raise NotMade(claimed.id, error.message) from None
        except Exception as error:
            if is_unreachable(error):
                raise
            raise NotMade(claimed.id, NOT_MADE) from error
        failpoint("payslip_bundle.before_commit")
    return True


async def _make(tx: Transaction, beside: Begin, client_id: int, claimed: Claimed) -> None:
    """Make a file and keep it."""
    archive, versions, done, place = Archive(), set[str](), 0, 0
    async for some in _papers(tx, client_id, claimed.payment_run_id):
        for paper in some:
            archive.add(paper.file_name, paper.row["pay_date"], await pdf(paper))
            versions.add(paper.rules_version)
        done += len(some)
        if archive.waiting >= PIECE_BYTES:
            place += 1
            await store.add_piece(tx, client_id, claimed.id, place, archive.take())
        async with beside() as other:
            await store.note_progress(other, client_id, claimed.id, done)
        failpoint("payslip_bundle.after_some")
    await store.add_piece(tx, client_id, claimed.id, place + 1, archive.end())
    await store.complete(tx, client_id, claimed.id, done, sorted(versions))


async def _papers(tx: Transaction, client_id: int, payment_run_id: int) -> AsyncIterator[list[Paper]]:
    """The payslips of a run, some at a time."""
    ids = await payslip_ids(tx, client_id, payment_run_id)
    for start in range(0, len(ids), AT_ONCE):
        yield await papers(tx, ids[start : start + AT_ONCE])
