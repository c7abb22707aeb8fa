"""Background task that builds payslip bundles. Each bundle is built from one snapshot of the database."""

from collections.abc import AsyncIterator

from gaji.core.errors import GajiError
from gaji.core.failpoints import failpoint
from gaji.db.tenancy import Transaction
from gaji.documents.payslips.bundles import repository
from gaji.documents.payslips.bundles.repository import ClaimedBundle
from gaji.documents.payslips.bundles.zip_stream import ZipStream
from gaji.documents.payslips.service import PayslipDocument, load_documents, render_document
from gaji.payroll.payslips.run_lines import load_payslip_ids
from gaji.tasks.pending_tasks import MAX_ATTEMPTS, TaskKind, TaskRun

BATCH_SIZE = 20
"""Payslips that are loaded together. Progress is recorded after each batch."""
CHUNK_BYTES = 1024 * 1024


async def _build(run: TaskRun, bundle: ClaimedBundle) -> None:
    """Build a bundle and store it in chunks."""
    client_id, tx = run.client_id, run.tx
    stream, rules_versions, done, chunks = ZipStream(), set[str](), 0, 0
    async for documents in _load_batches(run.source, client_id, bundle.payment_run_id):
        for document in documents:
            pdf = await render_document(tx.caller.account_id, document)
            stream.add(document.file_name, document.row["pay_date"], pdf)
            rules_versions.add(document.rules_version)
        done += len(documents)
        if stream.pending_bytes >= CHUNK_BYTES:
            chunks += 1
            await repository.insert_chunk(tx, client_id, bundle.id, chunks, stream.take())
        async with run.begin_progress() as progress_tx:
            await repository.update_progress(progress_tx, client_id, bundle.id, done)
        failpoint("payslip_bundle.after_some")
    await repository.insert_chunk(tx, client_id, bundle.id, chunks + 1, stream.finish())
    await repository.mark_complete(tx, client_id, bundle.id, done, sorted(rules_versions))


async def _load_batches(tx: Transaction, client_id: int, payment_run_id: int) -> AsyncIterator[list[PayslipDocument]]:
    payslip_ids = await load_payslip_ids(tx, client_id, payment_run_id)
    for start in range(0, len(payslip_ids), BATCH_SIZE):
        yield await load_documents(tx, payslip_ids[start : start + BATCH_SIZE])


async def _fail(tx: Transaction, client_id: int, bundle_id: int, error: GajiError) -> None:
    await repository.mark_failed(tx, client_id, bundle_id, error.message)


BUNDLE_TASKS = TaskKind(
    name="payslip_bundle",
    failure_message="The file failed because of an internal error, which has been logged",
    abandoned_message=f"The file failed: its worker stopped {MAX_ATTEMPTS} times before it was complete",
    claim=repository.claim,
    begin_attempt=repository.begin_attempt,
    run=_build,
    fail=_fail,
)
