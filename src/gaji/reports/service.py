"""What can be asked about reports: one at once, one that a job makes, and what that job made."""

import asyncio
import zlib
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import IO, Any

import asyncpg

from gaji.core.errors import GajiError, NotFound
from gaji.core.settings import Settings
from gaji.db.queue import enqueue
from gaji.db.tenancy import Tenant, Transaction
from gaji.reports import repository
from gaji.reports.registry import Report
from gaji.reports.builder import check, make
from gaji.tabular import WRITERS, new_file
from gaji.tasks.errands.asking import Queue, is_uuid

JOB = "make_reports"
"""The name of the job that makes the reports of a client."""
POLL_AGAIN_S = 10
QUEUE = Queue("report_runs", "report queue", "reports", POLL_AGAIN_S)
AT_ONCE = 4
"""Reports that a server process makes while their callers wait; others wait for their turn, and leave it room."""


@dataclass(frozen=True)
class Made:
    """A report in the form that was asked for."""

    report: str
    file: IO[bytes]
    rules_versions: Sequence[str]


@dataclass(frozen=True)
class Unfinished:
    """A report that is not there yet."""

    rows: int | None
    """How many rows are made; None before it is begun."""


async def make_now(tenant: Tenant, client_id: int, report: Report, body: Mapping[str, Any], media_type: str) -> Made:
    """Make a report while the caller waits."""
    async with _turns(), tenant.snapshot() as tx:
        table = await make(tx, client_id, report, body)
        versions: set[str] = set()

        async def rows() -> AsyncIterator[str]:
            async for piece in table.pieces:
                versions.update(piece.rules_versions)
                if piece.rows:
                    yield piece.text

        file = await _written(media_type, table.keys, rows())
    return Made(report.id, file, sorted(versions))


async def start(tenant: Tenant, client_id: int, report: Report, body: Mapping[str, Any], sent: bytes) -> str:
    """Have a report made by a job, for the body as it was sent, and give the uuid under which it will be found."""
    async with tenant.transaction() as tx:
        await check(tx, client_id, report, body)
        await QUEUE.check_room(tx, client_id, _most_queued())
        uuid = await repository.insert(tx, client_id, report.id, sent.decode())
        await enqueue(tx, JOB, client_id)
    return uuid


async def poll(tenant: Tenant, client_id: int, uuid: str, media_type: str) -> Made | Unfinished:
    """What became of a report that a job makes."""
    async with tenant.reading() as tx:
        found = await _run(tx, client_id, uuid)
    if found["state"] == "queued":
        return Unfinished(found["rows_made"])
    async with _turns(), tenant.snapshot() as tx:
        found = await _run(tx, client_id, uuid)
        file = await _written(media_type, found["keys"], _kept(tx, client_id, found["id"]))
    return Made(found["report"], file, found["rules_versions"])


async def _run(tx: Transaction, client_id: int, uuid: str) -> asyncpg.Record:
    """A report that is kept; raises GajiError for one that failed, with the reason."""
    found = await repository.run(tx, client_id, uuid) if is_uuid(uuid) else None
    if found is None:
        raise NotFound("There is no such report in this client; reports are kept for 24 hours")
    if found["state"] == "failed":
        raise GajiError(found["message"])
    return found


async def _kept(tx: Transaction, client_id: int, run_id: int) -> AsyncIterator[str]:
    async for piece in repository.pieces(tx, client_id, run_id):
        yield zlib.decompress(piece).decode()


async def _written(media_type: str, keys: Sequence[str], rows: AsyncIterator[str]) -> IO[bytes]:
    """The rows in a file of this type."""
    file = new_file()
    try:
        writer = WRITERS[media_type](file, list(keys))
        async for some in rows:
            await writer.write(some)
        await writer.end()
    except BaseException:
        file.close()
        raise
    return file


@cache
def _turns() -> asyncio.Semaphore:
    return asyncio.Semaphore(AT_ONCE)


@cache
def _most_queued() -> int:
    return Settings.from_environment().report_queue
