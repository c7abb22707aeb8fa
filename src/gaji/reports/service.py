"""Report use cases: run a report, queue one, and poll for its result."""

import zlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import IO, Any

import asyncpg

from gaji.core.errors import GajiError, NotFound
from gaji.core.fair_queue import FairQueue
from gaji.core.settings import Settings
from gaji.core.temporary_files import new_temporary_file
from gaji.core.threads import REPORTS
from gaji.db.tenancy import Tenant, Transaction
from gaji.reports import repository
from gaji.reports.builder import build_report, resolve_query
from gaji.reports.registry import Report
from gaji.tabular import WRITERS, XLSX
from gaji.tabular.xlsx_writer import XlsxRowWriter
from gaji.tasks.queue import enqueue
from gaji.tasks.queue_limit import QueueLimit, is_uuid

JOB = "make_reports"
"""The job that builds the queued reports of a client."""
RETRY_AFTER_S = 10
QUEUE = QueueLimit("report_runs", "report queue", "reports", RETRY_AFTER_S)
SLOTS = FairQueue("reports", slots=4, max_waiting=20, slots_per_owner=2)
"""The reports that a server process builds at a time, for one account at most half of them. Others wait, without a
connection to the database."""


@dataclass(frozen=True)
class ReportFile:
    """A report in the requested media type."""

    report: str
    file: IO[bytes]
    rules_versions: Sequence[str]


@dataclass(frozen=True)
class PendingReport:
    """A report that is not complete."""

    rows: int | None
    """The number of rows so far. None before the report was started."""


async def run_report(
    tenant: Tenant,
    client_id: int,
    report: Report,
    body: Mapping[str, Any],
    media_type: str,
    heading_text: Callable[[str], str] | None = None,
) -> ReportFile:
    """Build a report while the caller waits.

    With `heading_text`, which returns the heading of a key, a spreadsheet is one for people.
    """
    async with SLOTS.slot(tenant.caller.account_id), tenant.snapshot() as tx:
        table = await build_report(tx, client_id, report, body)
        rules_versions: set[str] = set()

        async def iterate_rows() -> AsyncIterator[str]:
            async for chunk in table.chunks:
                rules_versions.update(chunk.rules_versions)
                if chunk.rows:
                    yield chunk.text

        headings = [heading_text(key) for key in table.keys] if heading_text else None
        file = await _write_file(media_type, table.keys, iterate_rows(), headings)
    return ReportFile(report.id, file, sorted(rules_versions))


async def start_report(tenant: Tenant, client_id: int, report: Report, body: Mapping[str, Any], raw_body: bytes) -> str:
    """Queue a report and return its UUID. The raw body is stored, so that the task parses it as it was sent."""
    async with tenant.transaction() as tx:
        await resolve_query(tx, client_id, report, body)
        await QUEUE.require_capacity(tx, client_id, _max_queued())
        uuid = await repository.insert_run(tx, client_id, report.id, raw_body.decode())
        await enqueue(tx, JOB, client_id)
    return uuid


async def poll_report(tenant: Tenant, client_id: int, uuid: str, media_type: str) -> ReportFile | PendingReport:
    """Return a queued report, or its progress if it is not complete."""
    async with tenant.read_only() as tx:
        run = await _load_run(tx, client_id, uuid)
    if run["state"] == "queued":
        return PendingReport(run["rows_made"])
    async with SLOTS.slot(tenant.caller.account_id), tenant.snapshot() as tx:
        run = await _load_run(tx, client_id, uuid)
        file = await _write_file(media_type, run["keys"], _iterate_stored_rows(tx, client_id, run["id"]))
    return ReportFile(run["report"], file, run["rules_versions"])


async def _load_run(tx: Transaction, client_id: int, uuid: str) -> asyncpg.Record:
    """Return a stored run. Raises GajiError with the reason if it failed."""
    run = await repository.find_run(tx, client_id, uuid) if is_uuid(uuid) else None
    if run is None:
        raise NotFound("This client has no such report; reports are deleted after 24 hours")
    if run["state"] == "failed":
        raise GajiError(run["message"])
    return run


async def _iterate_stored_rows(tx: Transaction, client_id: int, run_id: int) -> AsyncIterator[str]:
    async for chunk in repository.iterate_chunks(tx, client_id, run_id):
        yield (await REPORTS.run(zlib.decompress, chunk)).decode()


async def _write_file(
    media_type: str, keys: Sequence[str], chunks: AsyncIterator[str], headings: Sequence[str] | None = None
) -> IO[bytes]:
    """Write rows to a file of this media type."""
    file = new_temporary_file()
    try:
        is_for_people = headings is not None and media_type == XLSX
        writer = XlsxRowWriter(file, list(keys), headings) if is_for_people else WRITERS[media_type](file, list(keys))
        async for rows in chunks:
            await writer.write(rows)
        await writer.finish()
    except BaseException:
        file.close()
        raise
    return file


@cache
def _max_queued() -> int:
    return Settings.from_environment().report_queue
