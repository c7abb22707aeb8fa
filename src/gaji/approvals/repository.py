"""SQL that reads and writes approvals."""

from collections.abc import Sequence
from typing import Any

import asyncpg
import msgspec

from gaji.approvals.models import (
    Approval,
    ApprovalKind,
    ApprovalRequest,
    ApprovalStatus,
    ApprovalSubject,
    PendingCount,
)
from gaji.core.vault import SealedCell
from gaji.db.json_lists import Filters, ListPage, fetch_page, filter_rows
from gaji.db.query_plans import ids_condition
from gaji.db.tenancy import Transaction

NAME = "(SELECT coalesce(nullif(u.name, ''), u.email) FROM users u WHERE u.id = a.{})"
COLUMNS = f"""a.id, a.client_id, a.kind, a.employee_id, a.payment_run_id, a.file_name, a.details_sealed, a.fingerprint,
    a.status, a.requested_by, {NAME.format("requested_by")} AS requester, {NAME.format("decided_by")} AS decider,
    a.decided_at, a.reason, a.created_at, a.updated_at"""
CONDITIONS = {
    "ids": ids_condition("a.id"),
    "status": "a.status = {}",
    "kind": "a.kind = {}",
    "employee_id": "a.employee_id = {}",
    "employee_ids": ids_condition("a.employee_id"),
    "payment_run_id": "a.payment_run_id = {}",
    "file_name": "a.file_name = {}",
    "decided": "(a.status <> 'pending') = {}",
}
"""The SQL condition of each filter."""
SAME_SUBJECT = """a.client_id = $1 AND a.kind = $2 AND a.payment_run_id IS NOT DISTINCT FROM $3
    AND a.file_name = $4"""

_decode = msgspec.json.Decoder(dict[str, Any]).decode


async def list_approvals(
    tx: Transaction, client_id: int, page: ListPage | None, filters: Filters
) -> tuple[list[Approval], int]:
    """Load the approvals of a client, newest first, and their total number."""
    conditions, arguments = filter_rows(CONDITIONS, filters, client_id)
    source = f"approvals a WHERE a.client_id = $1{conditions}"
    rows, total = await fetch_page(tx, f"SELECT {COLUMNS} FROM {source} ORDER BY a.id DESC", source, page, *arguments)
    return [_approval(tx, row) for row in rows], total


async def find_approval(tx: Transaction, approval_id: int) -> Approval | None:
    """Load an approval that the caller may see."""
    row = await tx.fetchrow(f"SELECT {COLUMNS} FROM approvals a WHERE a.id = $1", approval_id)
    return _approval(tx, row) if row else None


async def lock_pending(tx: Transaction, client_id: int, subjects: Sequence[ApprovalSubject]) -> list[Approval]:
    """Lock and load the pending requests about some subjects, which differ in their employee only."""
    employee_ids = [subject.employee_id for subject in subjects if subject.employee_id is not None]
    rows = await tx.fetch(
        f"SELECT {COLUMNS} FROM approvals a WHERE {SAME_SUBJECT} AND a.status = 'pending' "
        "AND (a.employee_id IS NULL OR a.employee_id = ANY ($5::bigint[])) ORDER BY a.id FOR UPDATE OF a",
        client_id,
        subjects[0].kind,
        subjects[0].payment_run_id,
        subjects[0].file_name,
        employee_ids,
    )
    return [_approval(tx, row) for row in rows]


async def insert(tx: Transaction, client_id: int, requests: Sequence[ApprovalRequest]) -> list[int]:
    """Insert pending requests of the caller, and return their IDs in order."""
    rows = await tx.fetch(
        "SELECT nextval(pg_get_serial_sequence('approvals', 'id')) AS id FROM generate_series(1, $1)", len(requests)
    )
    ids: list[int] = [row["id"] for row in rows]
    await tx.executemany(
        "INSERT INTO approvals (client_id, id, kind, employee_id, payment_run_id, file_name, details_sealed, "
        "fingerprint, requested_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        [_columns(tx, client_id, *pair) for pair in zip(ids, requests, strict=True)],
    )
    return ids


async def set_status(
    tx: Transaction, client_id: int, ids: Sequence[int], status: ApprovalStatus, reason: str | None = None
) -> int:
    """Decide pending requests as the caller. Return how many were still pending."""
    rows = await tx.fetch(
        "UPDATE approvals SET status = $3, reason = $4, decided_by = $5, decided_at = now(), updated_at = now() "
        "WHERE client_id = $1 AND id = ANY ($2::bigint[]) AND status = 'pending' RETURNING id",
        client_id,
        ids,
        status,
        reason,
        tx.caller.user_id,
    )
    return len(rows)


async def list_pending_ids(tx: Transaction, client_id: int) -> list[int]:
    """Return the IDs of the pending requests of a client, without those of employees."""
    query = "SELECT id FROM approvals WHERE client_id = $1 AND status = 'pending' AND kind <> $2 ORDER BY id"
    return [row["id"] for row in await tx.fetch(query, client_id, ApprovalKind.EMPLOYEE_DETAILS)]


async def count_pending(tx: Transaction, client_ids: Sequence[int]) -> dict[int, PendingCount]:
    """Count the pending requests of clients. Clients without any are left out."""
    rows = await tx.fetch(
        "SELECT client_id, count(*) FILTER (WHERE requested_by = $2) AS own_requests, "
        "count(*) FILTER (WHERE requested_by IS DISTINCT FROM $2) AS other_requests FROM approvals "
        "WHERE client_id = ANY ($1::bigint[]) AND status = 'pending' GROUP BY client_id",
        client_ids,
        tx.caller.user_id,
    )
    return {row["client_id"]: PendingCount(row["own_requests"], row["other_requests"]) for row in rows}


async def is_required(tx: Transaction, client_id: int) -> bool:
    """Return whether a client requires approval."""
    query = "SELECT EXISTS (SELECT FROM clients WHERE id = $1 AND requires_approval)"
    return bool(await tx.fetchval(query, client_id))


async def lock_required(tx: Transaction, client_id: int) -> bool:
    """Lock a client, and return whether it requires approval."""
    query = "SELECT requires_approval FROM clients WHERE id = $1 FOR NO KEY UPDATE"
    return bool(await tx.fetchval(query, client_id))


async def set_required(tx: Transaction, client_id: int, required: bool) -> None:
    """Set whether a client requires approval."""
    await tx.execute("UPDATE clients SET requires_approval = $2, updated_at = now() WHERE id = $1", client_id, required)


async def list_roles_of_others(tx: Transaction, client_id: int, user_id: int) -> set[str]:
    """Return the roles with which users other than one can change a client. Disabled users are left out."""
    rows = await tx.fetch(
        "SELECT DISTINCT m.role FROM memberships m JOIN users u ON u.id = m.user_id "
        "WHERE m.client_id = $1 AND m.role IN ('owner', 'payroll') AND u.disabled_at IS NULL AND u.id <> $2",
        client_id,
        user_id,
    )
    return {row["role"] for row in rows}


async def is_visible(tx: Transaction, client_id: int) -> bool:
    """Return whether the caller can see a client."""
    return bool(await tx.fetchval("SELECT EXISTS (SELECT FROM clients WHERE id = $1)", client_id))


def _columns(tx: Transaction, client_id: int, approval_id: int, request: ApprovalRequest) -> tuple[object, ...]:
    subject = request.subject
    sealed = tx.vault.seal(msgspec.json.encode(request.details), _cell(client_id, approval_id))
    return (
        client_id,
        approval_id,
        subject.kind,
        subject.employee_id,
        subject.payment_run_id,
        subject.file_name,
        sealed,
        request.fingerprint,
        tx.caller.user_id,
    )


def _approval(tx: Transaction, row: asyncpg.Record) -> Approval:
    details = tx.vault.open_bytes(row["details_sealed"], _cell(row["client_id"], row["id"]))
    return Approval(
        id=row["id"],
        client_id=row["client_id"],
        subject=ApprovalSubject(ApprovalKind(row["kind"]), row["employee_id"], row["payment_run_id"], row["file_name"]),
        details=_decode(details),
        fingerprint=row["fingerprint"],
        status=ApprovalStatus(row["status"]),
        requested_by_id=row["requested_by"],
        requested_by=row["requester"] or "",
        decided_by=row["decider"],
        decided_at=row["decided_at"],
        reason=row["reason"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )


def _cell(client_id: int, approval_id: int) -> SealedCell:
    return SealedCell(client_id, "approvals", approval_id, "details_sealed")
