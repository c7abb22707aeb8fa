"""Making the files of a client that wait, as errands: each sees one state of the database throughout."""

from collections.abc import AsyncIterator

from gaji.core.errors import GajiError
from gaji.core.failpoints import failpoint
from gaji.db.tenancy import Transaction
from gaji.documents.payslips.bundles import repository
from gaji.documents.payslips.bundles.archive import Archive
from gaji.documents.payslips.bundles.repository import Claimed
from gaji.documents.payslips.service import PayslipDocument, load_documents, pdf
from gaji.payroll.payslips.run_lines import load_payslip_ids
from gaji.tasks.errands.doing import MOST_ATTEMPTS, Begin, Errand

AT_ONCE = 20
"""Payslips that are read together, and after which progress is noted."""
PIECE_BYTES = 1024 * 1024


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
            await repository.add_piece(tx, client_id, claimed.id, place, archive.take())
        async with beside() as other:
            await repository.note_progress(other, client_id, claimed.id, done)
        failpoint("payslip_bundle.after_some")
    await repository.add_piece(tx, client_id, claimed.id, place + 1, archive.end())
    await repository.complete(tx, client_id, claimed.id, done, sorted(versions))


async def _papers(tx: Transaction, client_id: int, payment_run_id: int) -> AsyncIterator[list[PayslipDocument]]:
    """The payslips of a run, some at a time."""
    ids = await load_payslip_ids(tx, client_id, payment_run_id)
    for start in range(0, len(ids), AT_ONCE):
        yield await load_documents(tx, ids[start : start + AT_ONCE])


async def _fail(tx: Transaction, client_id: int, bundle_id: int, refusal: GajiError) -> None:
    await repository.fail(tx, client_id, bundle_id, refusal.message)


BUNDLE_TASKS = Errand(
    name="payslip_bundle",
    not_done="The file could not be made, by a fault of ours that was logged",
    given_up=f"The file could not be made: {MOST_ATTEMPTS} times its worker ended before it was complete",
    claim=repository.claim,
    begin=repository.begin,
    do=_make,
    fail=_fail,
)
