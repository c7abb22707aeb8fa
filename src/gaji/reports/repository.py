"""SQL for queued reports."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

import asyncpg

from gaji.core.vault import SealedCell
from gaji.db.chunks import fetch_chunks
from gaji.db.tenancy import Transaction

RETENTION = "24 hours"
CHUNKS_PER_FETCH = 8


@dataclass(frozen=True, slots=True)
class ClaimedReport:
    """A report that is locked by this transaction."""

    id: int
    report: str
    request: str
    """The request body, as JSON."""


async def insert_run(tx: Transaction, client_id: int, report: str, request: str) -> str:
    """Insert a queued report and return its UUID."""
    uuid: str = await tx.fetchval(
        "INSERT INTO report_runs (client_id, uuid, report, request, user_id) "
        "VALUES ($1, gen_random_uuid(), $2, $3, current_user_id()) RETURNING uuid::text",
        client_id,
        report,
        request,
    )
    return uuid


async def find_run(tx: Transaction, client_id: int, uuid: str) -> asyncpg.Record | None:
    """Return a report that has not expired, with its progress."""
    return await tx.fetchrow(
        "SELECT r.id, r.report, r.state, r.message, r.keys, r.rules_versions, p.rows_made FROM report_runs r "
        "LEFT JOIN report_progress p ON p.client_id = r.client_id AND p.run_id = r.id "
        "WHERE r.client_id = $1 AND r.uuid = $2 "
        f"AND (r.finished_at IS NULL OR r.finished_at >= now() - interval '{RETENTION}')",
        client_id,
        uuid,
    )


async def claim(tx: Transaction, client_id: int) -> ClaimedReport | None:
    """Lock the first queued report of a client that no other transaction has locked."""
    row = await tx.fetchrow(
        "SELECT id, report, request FROM report_runs WHERE client_id = $1 AND state = 'queued' "
        "ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED",
        client_id,
    )
    return ClaimedReport(id=row["id"], report=row["report"], request=row["request"]) if row else None


async def begin_attempt(tx: Transaction, client_id: int, run_id: int) -> int:
    """Record that a report is being built and return the number of attempts so far."""
    attempts: int = await tx.fetchval(
        "INSERT INTO report_progress AS p (client_id, run_id) VALUES ($1, $2) ON CONFLICT (client_id, run_id) "
        "DO UPDATE SET attempts = p.attempts + 1, rows_made = 0, started_at = now(), updated_at = now() "
        "RETURNING attempts",
        client_id,
        run_id,
    )
    return attempts


async def update_progress(tx: Transaction, client_id: int, run_id: int, rows: int) -> None:
    """Record the number of rows so far."""
    await tx.execute(
        "UPDATE report_progress SET rows_made = $3, updated_at = now() WHERE client_id = $1 AND run_id = $2",
        client_id,
        run_id,
        rows,
    )


async def insert_chunk(tx: Transaction, client_id: int, run_id: int, number: int, rows: bytes) -> None:
    """Store a chunk of rows, encrypted."""
    chunk_id: int = await tx.fetchval("SELECT nextval(pg_get_serial_sequence('report_pieces', 'id'))")
    await tx.execute(
        "INSERT INTO report_pieces (client_id, id, run_id, place, rows_sealed) VALUES ($1, $2, $3, $4, $5)",
        client_id,
        chunk_id,
        run_id,
        number,
        tx.vault.seal(rows, _sealed_cell(client_id, chunk_id)),
    )


async def iterate_chunks(tx: Transaction, client_id: int, run_id: int) -> AsyncIterator[bytes]:
    """Yield the stored chunks in order."""
    query = "SELECT id, rows_sealed FROM report_pieces WHERE client_id = $1 AND run_id = $2 ORDER BY place"
    async for rows in fetch_chunks(tx, CHUNKS_PER_FETCH, query, client_id, run_id):
        for row in rows:
            yield tx.vault.open_bytes(row["rows_sealed"], _sealed_cell(client_id, row["id"]))


async def mark_complete(
    tx: Transaction, client_id: int, run_id: int, keys: Sequence[str], rules_versions: Sequence[str]
) -> str:
    """Mark a report that this transaction has claimed as complete, and return its UUID."""
    uuid: str = await tx.fetchval(
        "UPDATE report_runs SET state = 'complete', finished_at = now(), keys = $3, rules_versions = $4 "
        "WHERE client_id = $1 AND id = $2 AND state = 'queued' RETURNING uuid::text",
        client_id,
        run_id,
        keys,
        rules_versions,
    )
    return uuid


async def mark_failed(tx: Transaction, client_id: int, run_id: int, message: str) -> str | None:
    """Mark a report as failed, with the reason, and return its UUID. None if it is no longer queued."""
    uuid: str | None = await tx.fetchval(
        "UPDATE report_runs SET state = 'failed', finished_at = now(), message = $3 "
        "WHERE client_id = $1 AND id = $2 AND state = 'queued' RETURNING uuid::text",
        client_id,
        run_id,
        message,
    )
    return uuid


def _sealed_cell(client_id: int, chunk_id: int) -> SealedCell:
    return SealedCell(client_id, "report_pieces", chunk_id, "rows_sealed")
