"""What can be asked about employees as a spreadsheet: the workbook of a client, and what one that is sent back does."""

import asyncio
from typing import Any

import msgspec

from gaji.company.clients.service import require_client
from gaji.core.errors import NotFound
from gaji.db.queue import enqueue
from gaji.db.tenancy import Tenant
from gaji.identity.service import require_writer
from gaji.imports.employees import xlsx_reader
from gaji.imports.employees import repository
from gaji.imports.employees.export import export_employees
from gaji.imports.employees.result import shown
from gaji.imports.employees.sheets import import_sheet
from gaji.tasks.errands.asking import Queue, is_uuid

__all__ = ["JOB", "export_employees", "import_employees", "progress", "start_import"]

JOB = "import_employees"
"""The name of the job that does the imports of a client."""
MOST_QUEUED = 5
POLL_AGAIN_S = 2
QUEUE = Queue("employee_imports", "employee import queue", "imports", POLL_AGAIN_S)
NO_IMPORT = "There is no such import in this client; imports are kept for 24 hours"

_decode = msgspec.json.Decoder(dict[str, Any]).decode


async def import_employees(tenant: Tenant, client_id: int, content: bytes, *, dry_run: bool) -> dict[str, Any]:
    """Do what a workbook asks for, all of it or nothing; a dry run finds the same faults and saves nothing."""
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
    sheet = await asyncio.to_thread(xlsx_reader.read, content)
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        return shown(await import_sheet(tx, client_id, sheet, dry_run=dry_run), dry_run=dry_run)


async def start_import(tenant: Tenant, client_id: int, content: bytes, *, dry_run: bool) -> str:
    """Have a workbook imported by a job, and give the uuid under which its progress is found."""
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        await QUEUE.check_room(tx, client_id, MOST_QUEUED)
        uuid = await repository.insert(tx, client_id, content, dry_run=dry_run)
        await enqueue(tx, JOB, client_id)
    return uuid


async def progress(tenant: Tenant, client_id: int, uuid: str) -> dict[str, Any]:
    """How far an import is, and what became of it once it is over."""
    async with tenant.reading() as tx:
        await require_client(tx, client_id)
        found = await repository.find(tx, client_id, uuid) if is_uuid(uuid) else None
        if found is None:
            raise NotFound(NO_IMPORT)
        over = found["outcome_sealed"] and _decode(repository.opened(tx, client_id, found["id"], found["outcome_sealed"]))
    state = "running" if found["state"] == "queued" and found["step"] else found["state"]
    return {
        "state": state,
        "dry_run": found["dry_run"],
        "step": found["step"] if state == "running" else None,
        "rows": found["rows"] or 0,
        "done": found["done"] or 0,
        "message": over["message"] if over else None,
        "errors": over["errors"] if over and state == "failed" else {},
        "outcome": over if state == "complete" else None,
    }
