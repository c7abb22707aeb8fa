"""Use cases for the export and import of employees."""

from typing import Any

import msgspec

from gaji.company.clients.service import require_client
from gaji.core.errors import NotFound, ValidationError
from gaji.db.tenancy import Tenant
from gaji.identity.roles import require_writer
from gaji.imports.employees import repository
from gaji.imports.employees.export import export_employees, export_take_on
from gaji.imports.employees.import_workbook import import_workbook
from gaji.imports.employees.result import failure_json
from gaji.imports.employees.sheet_formats import WorkbookContent
from gaji.imports.employees.workbook_client import mark_cells, read_workbook
from gaji.tasks.queue import enqueue
from gaji.tasks.queue_limit import QueueLimit, is_uuid

__all__ = [
    "JOB",
    "export_employees",
    "export_take_on",
    "import_employees",
    "read_content",
    "read_progress",
    "start_import",
]

JOB = "import_employees"
"""The job that runs the queued imports of a client."""
MAX_QUEUED = 5
RETRY_AFTER_S = 2
QUEUE = QueueLimit("employee_imports", "employee import queue", "imports", RETRY_AFTER_S)

_decode = msgspec.json.Decoder(dict[str, Any]).decode


async def read_content(tenant: Tenant, client_id: int, content: bytes) -> WorkbookContent:
    """Read a workbook that is to be imported. It takes long, so no transaction may be open."""
    async with tenant.read_only() as tx:
        await require_writer(tx, client_id)
    return await read_workbook(tenant.caller.account_id, content)


async def import_employees(
    tenant: Tenant, client_id: int, workbook: WorkbookContent, *, dry_run: bool
) -> dict[str, Any]:
    """Import a workbook, all rows or none. A dry run reports the same errors and saves nothing."""
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        result = await import_workbook(tx, client_id, workbook, dry_run=dry_run)
        return result.to_json()


async def keep_failed_import(
    tenant: Tenant, client_id: int, content: bytes, error: ValidationError, *, dry_run: bool
) -> str:
    """Store a workbook with errors for a day, and return its UUID."""
    outcome = msgspec.json.encode(failure_json(error))
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        uuid = await repository.insert_import(tx, client_id, content, dry_run=dry_run)
        row = await repository.find_import(tx, client_id, uuid)
        await repository.finish_import(tx, client_id, row["id"] if row else 0, "failed", outcome)
    return uuid


async def mark_errors(tenant: Tenant, client_id: int, uuid: str) -> bytes:
    """Return the workbook of a failed import, with its invalid cells marked."""
    async with tenant.read_only() as tx:
        await require_writer(tx, client_id)
        content = await repository.load_failed_content(tx, client_id, uuid) if is_uuid(uuid) else None
    if content is None:
        raise NotFound("This client has no such workbook; workbooks with errors are deleted after 24 hours")
    progress = await read_progress(tenant, client_id, uuid)
    return await mark_cells(tenant.caller.account_id, content, progress["errors"])


async def start_import(tenant: Tenant, client_id: int, content: bytes, *, dry_run: bool) -> str:
    """Queue an import and return its UUID."""
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        await QUEUE.require_capacity(tx, client_id, MAX_QUEUED)
        uuid = await repository.insert_import(tx, client_id, content, dry_run=dry_run)
        await enqueue(tx, JOB, client_id)
    return uuid


async def read_progress(tenant: Tenant, client_id: int, uuid: str) -> dict[str, Any]:
    """Return the progress of an import, and its outcome when it is finished."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        row = await repository.find_import(tx, client_id, uuid) if is_uuid(uuid) else None
        if row is None:
            raise NotFound("This client has no such import; imports are deleted after 24 hours")
        sealed = row["outcome_sealed"]
        outcome = _decode(repository.open_outcome(tx, client_id, row["id"], sealed)) if sealed else None
    state = "running" if row["state"] == "queued" and row["step"] else row["state"]
    return {
        "state": state,
        "dry_run": row["dry_run"],
        "step": row["step"] if state == "running" else None,
        "rows": row["rows"] or 0,
        "done": row["done"] or 0,
        "message": outcome["message"] if outcome else None,
        "errors": outcome["errors"] if outcome and state == "failed" else {},
        "error_details": outcome.get("error_details", []) if outcome and state == "failed" else [],
        "outcome": outcome if state == "complete" else None,
    }
