"""What can be asked about files with all payslips of a run."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import IO, Any

import asyncpg

from gaji.core.errors import Conflict, NotFound
from gaji.core.settings import Settings
from gaji.db.queue import enqueue
from gaji.db.tenancy import Tenant, Transaction
from gaji.documents.payslips.bundles import repository
from gaji.payroll.payment_runs.models import load_run
from gaji.payroll.payment_runs.payslips import load_counts
from gaji.tasks.errands.asking import Queue, is_uuid

JOB = "bundle_payslips"
"""The name of the job that makes the files of a client."""
POLL_AGAIN_S = 10
QUEUE = Queue("payslip_bundles", "payslip bundle queue", "files of payslips", POLL_AGAIN_S)
MOST_IN_MEMORY = 1024 * 1024


@dataclass(frozen=True)
class Bundle:
    """A file that is complete."""

    file: IO[bytes]
    rules_versions: Sequence[str]


async def start(tenant: Tenant, payment_run_id: int) -> str:
    """Have the payslips of a run put into one file by a job, and give the uuid under which it will be found."""
    async with tenant.transaction() as tx:
        run = await load_run(tx, payment_run_id)
        if run.opening:
            raise Conflict(f"Payment run {run.id} of {run.period_end_date} is still being opened; try again shortly")
        await QUEUE.check_room(tx, run.client_id, _most_queued())
        found = await load_counts(tx, run.key)
        uuid = await repository.insert(tx, run.client_id, run.id, found.payslips)
        await enqueue(tx, JOB, run.client_id)
    return uuid


async def progress(tenant: Tenant, payment_run_id: int, uuid: str) -> dict[str, Any]:
    """How far a file is."""
    async with tenant.reading() as tx:
        found = await _bundle(tx, payment_run_id, uuid)
    state, done = found["state"], found["done"] or 0
    if state == "queued" and found["done"] is not None:
        state = "running"
    return {
        "state": state,
        "payslips": found["payslips"],
        "done": found["payslips"] if state == "complete" else done,
        "message": found["message"],
    }


async def read(tenant: Tenant, payment_run_id: int, uuid: str) -> Bundle:
    """A file that is complete."""
    async with tenant.snapshot() as tx:
        found = await _bundle(tx, payment_run_id, uuid)
        if found["state"] == "queued":
            raise Conflict("The file is still being made", headers={"Retry-After": str(POLL_AGAIN_S)})
        if found["state"] == "failed":
            raise Conflict(found["message"])
        file = await _file(tx, found)
    return Bundle(file, found["rules_versions"])


async def _bundle(tx: Transaction, payment_run_id: int, uuid: str) -> asyncpg.Record:
    found = await repository.bundle(tx, payment_run_id, uuid) if is_uuid(uuid) else None
    if found is None:
        raise NotFound("There is no such file of this payment run; files are kept for 24 hours")
    return found


async def _file(tx: Transaction, found: asyncpg.Record) -> IO[bytes]:
    """The pieces in one file, which is laid on disk where it is large."""
    file = _new_file()
    try:
        async for piece in repository.pieces(tx, found["client_id"], found["id"]):
            file.write(piece)
    except BaseException:
        file.close()
        raise
    return file


def _new_file() -> IO[bytes]:
    return tempfile.SpooledTemporaryFile(MOST_IN_MEMORY)


@cache
def _most_queued() -> int:
    return Settings.from_environment().report_queue
