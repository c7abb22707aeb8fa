"""Payslip bundle use cases."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import IO, Any

import asyncpg

from gaji.core.errors import Conflict, InProgress, NotFound
from gaji.core.settings import Settings
from gaji.core.temporary_files import new_temporary_file
from gaji.db.tenancy import Tenant, Transaction
from gaji.documents.payslips.bundles import repository
from gaji.payroll.payment_runs.models import load_run
from gaji.payroll.payment_runs.payslips import load_counts
from gaji.tasks.queue import enqueue
from gaji.tasks.queue_limit import QueueLimit, is_uuid

JOB = "bundle_payslips"
"""The job that builds the bundles of a client."""
RETRY_AFTER_S = 10
QUEUE = QueueLimit("payslip_bundles", "payslip bundle queue", "payslip files", RETRY_AFTER_S)


@dataclass(frozen=True)
class PayslipBundle:
    """A bundle that is complete."""

    file: IO[bytes]
    rules_versions: Sequence[str]


async def start_bundle(tenant: Tenant, payment_run_id: int) -> str:
    """Queue a bundle of the payslips of a run and return its UUID."""
    async with tenant.transaction() as tx:
        run = await load_run(tx, payment_run_id)
        run.require_opened()
        await QUEUE.require_capacity(tx, run.client_id, _max_queued())
        counts = await load_counts(tx, run.key)
        uuid = await repository.insert_bundle(tx, run.client_id, run.id, counts.payslips)
        await enqueue(tx, JOB, run.client_id)
    return uuid


async def read_progress(tenant: Tenant, payment_run_id: int, uuid: str) -> dict[str, Any]:
    """Return the progress of a bundle."""
    async with tenant.read_only() as tx:
        row = await _load_bundle(tx, payment_run_id, uuid)
    state, done = row["state"], row["done"] or 0
    if state == "queued" and row["done"] is not None:
        state = "running"
    return {
        "state": state,
        "payslips": row["payslips"],
        "done": row["payslips"] if state == "complete" else done,
        "message": row["message"],
    }


async def read_bundle(tenant: Tenant, payment_run_id: int, uuid: str) -> PayslipBundle:
    """Return a bundle that is complete. Raises InProgress while it is being built, and Conflict if it failed."""
    async with tenant.snapshot() as tx:
        row = await _load_bundle(tx, payment_run_id, uuid)
        if row["state"] == "queued":
            raise InProgress("The file is still being generated", retry_after_s=RETRY_AFTER_S)
        if row["state"] == "failed":
            raise Conflict(row["message"])
        file = await _load_file(tx, row)
    return PayslipBundle(file, row["rules_versions"])


async def _load_bundle(tx: Transaction, payment_run_id: int, uuid: str) -> asyncpg.Record:
    row = await repository.find_bundle(tx, payment_run_id, uuid) if is_uuid(uuid) else None
    if row is None:
        raise NotFound("This payment run has no such file; files are deleted after 24 hours")
    return row


async def _load_file(tx: Transaction, row: asyncpg.Record) -> IO[bytes]:
    """Return the chunks as one file."""
    file = new_temporary_file()
    try:
        async for chunk in repository.iterate_chunks(tx, row["client_id"], row["id"]):
            file.write(chunk)
    except BaseException:
        file.close()
        raise
    return file


@cache
def _max_queued() -> int:
    return Settings.from_environment().report_queue
