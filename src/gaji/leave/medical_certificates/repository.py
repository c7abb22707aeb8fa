"""SQL for medical certificates."""

import asyncio
from dataclasses import dataclass
from datetime import date

import asyncpg

from gaji.core.vault import SealedCell
from gaji.db.json_lists import Filters, ListPage, fetch_page, filter_rows
from gaji.db.query_plans import ids_condition
from gaji.db.tenancy import Transaction

TABLE, CONTENT = "medical_certificates", "content_sealed"
ELEMENT = """row_to_json((SELECT e FROM (SELECT c.id, c.employee_id, c.leave_request_id, c.leave_day_id, c.media_type,
        c.size_bytes, shown(c.created_at) AS created_at) e))::text AS element"""
CONDITIONS = {"ids": ids_condition("c.id")}
"""The SQL condition of each filter."""


@dataclass(frozen=True, slots=True)
class CertifiedLeave:
    """The leave that a certificate is for: a request or a leave day."""

    client_id: int
    employee_id: int
    request_id: int | None
    day_id: int | None


async def list_elements(
    tx: Transaction, client_id: int, employee_id: int, page: ListPage | None, filters: Filters
) -> tuple[list[str], int]:
    """List the certificates of an employee as JSON, ordered by ID, and their total number."""
    conditions, arguments = filter_rows(CONDITIONS, filters, client_id, employee_id)
    source = f"medical_certificates c WHERE c.client_id = $1 AND c.employee_id = $2{conditions}"
    rows, total = await fetch_page(tx, f"SELECT {ELEMENT} FROM {source} ORDER BY c.id", source, page, *arguments)
    return [row["element"] for row in rows], total


async def count_certificates(tx: Transaction, leave: CertifiedLeave) -> int:
    """Count the certificates of a request or a leave day."""
    count: int = await tx.fetchval(
        "SELECT count(*) FROM medical_certificates WHERE client_id = $1 "
        "AND (leave_request_id = $2 OR leave_day_id = $3)",
        leave.client_id,
        leave.request_id,
        leave.day_id,
    )
    return count


async def insert(
    tx: Transaction, leave: CertifiedLeave, media_type: str, content: bytes, *, added_by_employee: bool
) -> int:
    """Insert an encrypted certificate and return its ID."""
    certificate_id: int = await tx.fetchval("SELECT nextval(pg_get_serial_sequence('medical_certificates', 'id'))")
    cell = _sealed_cell(leave.client_id, certificate_id)
    await tx.execute(
        "INSERT INTO medical_certificates (client_id, id, employee_id, leave_request_id, leave_day_id, media_type, "
        "size_bytes, content_sealed, added_by_employee) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        leave.client_id,
        certificate_id,
        leave.employee_id,
        leave.request_id,
        leave.day_id,
        media_type,
        len(content),
        await asyncio.to_thread(tx.vault.seal, content, cell),
        added_by_employee,
    )
    return certificate_id


async def load_undecided_dates(tx: Transaction, client_id: int, employee_id: int) -> dict[int, list[date]]:
    """Load the dates of leave by certificate: those that the employee added and after which nothing was decided."""
    rows = await tx.fetch(
        "SELECT c.id, CASE WHEN q.id IS NULL THEN ARRAY[d.date] "
        "ELSE ARRAY(SELECT r.date FROM jsonb_to_recordset(q.dates) AS r (date date)) END AS dates "
        "FROM medical_certificates c "
        "LEFT JOIN leave_requests q ON q.client_id = c.client_id AND q.id = c.leave_request_id "
        "LEFT JOIN leave_days d ON d.client_id = c.client_id AND d.id = c.leave_day_id "
        "WHERE c.client_id = $1 AND c.employee_id = $2 AND c.added_by_employee "
        "AND (q.id IS NULL OR q.status IN ('pending', 'cancelled') OR q.decided_at < c.created_at)",
        client_id,
        employee_id,
    )
    return {row["id"]: row["dates"] for row in rows}


async def load_certificate(tx: Transaction, certificate_id: int) -> asyncpg.Record | None:
    """Load a certificate that the caller may see, without its content."""
    return await tx.fetchrow(
        "SELECT client_id, employee_id, media_type, added_by_employee FROM medical_certificates WHERE id = $1",
        certificate_id,
    )


async def load_content(tx: Transaction, client_id: int, certificate_id: int) -> bytes:
    """Load and decrypt the content of a certificate."""
    sealed: bytes = await tx.fetchval(
        "SELECT content_sealed FROM medical_certificates WHERE client_id = $1 AND id = $2", client_id, certificate_id
    )
    return await asyncio.to_thread(tx.vault.open_bytes, sealed, _sealed_cell(client_id, certificate_id))


async def delete(tx: Transaction, client_id: int, certificate_id: int) -> None:
    """Delete a certificate."""
    await tx.execute("DELETE FROM medical_certificates WHERE client_id = $1 AND id = $2", client_id, certificate_id)


def _sealed_cell(client_id: int, certificate_id: int) -> SealedCell:
    return SealedCell(client_id, TABLE, certificate_id, CONTENT)
