"""Background task that builds queued reports. Each report is built from one snapshot of the database."""

import zlib

import msgspec

from gaji.core.errors import GajiError, ValidationError
from gaji.core.failpoints import failpoint
from gaji.core.resource_events import EventType, ResourceEvent
from gaji.db.tenancy import Transaction
from gaji.reports import repository
from gaji.reports.builder import build_report
from gaji.reports.registry import get_report
from gaji.reports.repository import ClaimedReport
from gaji.tasks.pending_tasks import MAX_ATTEMPTS, TaskKind, TaskRun

COMPRESSION_LEVEL = 1
"""The lowest level saves most of the space. Higher levels mostly cost time."""

_decode = msgspec.json.Decoder().decode


async def _build(run: TaskRun, claimed: ClaimedReport) -> None:
    """Build a report and store it in chunks."""
    client_id, tx = run.client_id, run.tx
    table = await build_report(run.source, client_id, get_report(claimed.report), _decode(claimed.request))
    rules_versions: set[str] = set()
    rows = chunks = 0
    async for chunk in table.chunks:
        rules_versions |= chunk.rules_versions
        if not chunk.rows:
            continue
        chunks += 1
        rows += len(chunk.rows)
        content = zlib.compress(chunk.text.encode(), COMPRESSION_LEVEL)
        await repository.insert_chunk(tx, client_id, claimed.id, chunks, content)
        async with run.begin_progress() as progress_tx:
            await repository.update_progress(progress_tx, client_id, claimed.id, rows)
        failpoint("report.after_piece")
    uuid = await repository.mark_complete(tx, client_id, claimed.id, table.keys, sorted(rules_versions))
    tx.emit(ResourceEvent(EventType.REPORT_READY, client_id, (uuid,)))


async def _fail(tx: Transaction, client_id: int, run_id: int, error: GajiError) -> None:
    uuid = await repository.mark_failed(tx, client_id, run_id, _format_error(error))
    if uuid is not None:
        tx.emit(ResourceEvent(EventType.REPORT_FAILED, client_id, (uuid,)))


def _format_error(error: GajiError) -> str:
    """Return the message of an error, with the error of each field."""
    if isinstance(error, ValidationError):
        return "; ".join(f"{path}: {message}" for path, message in error.errors.messages().items())
    return error.message


REPORT_TASKS = TaskKind(
    name="report",
    failure_message="The report failed because of an internal error, which has been logged",
    abandoned_message=f"The report failed: its worker stopped {MAX_ATTEMPTS} times before it was complete",
    claim=repository.claim,
    begin_attempt=repository.begin_attempt,
    run=_build,
    fail=_fail,
)
