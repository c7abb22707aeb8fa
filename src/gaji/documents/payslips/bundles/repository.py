"""SQL for payslip bundles."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

import asyncpg

from gaji.core.vault import SealedCell
from gaji.db.chunks import fetch_chunks
from gaji.db.tenancy import Transaction

RETENTION = "24 hours"
CHUNKS_PER_FETCH = 2


@dataclass(frozen=True, slots=True)
class ClaimedBundle:
    """A bundle that is locked by this transaction."""

    id: int
    payment_run_id: int


async def insert_bundle(tx: Transaction, client_id: int, payment_run_id: int, payslips: int) -> str:
    """Insert a queued bundle and return its UUID."""
    uuid: str = await tx.fetchval(
        "INSERT INTO payslip_bundles (client_id, uuid, payment_run_id, payslips, user_id) "
        "VALUES ($1, gen_random_uuid(), $2, $3, current_user_id()) RETURNING uuid::text",
        client_id,
        payment_run_id,
        payslips,
    )
    return uuid


async def find_bundle(tx: Transaction, payment_run_id: int, uuid: str) -> asyncpg.Record | None:
    """Return a bundle that has not expired, with its progress."""
    return await tx.fetchrow(
        "SELECT b.client_id, b.id, b.state, b.message, b.payslips, b.rules_versions, p.done FROM payslip_bundles b "
        "LEFT JOIN payslip_bundle_progress p ON p.client_id = b.client_id AND p.bundle_id = b.id "
        "WHERE b.payment_run_id = $1 AND b.uuid = $2 "
        f"AND (b.finished_at IS NULL OR b.finished_at >= now() - interval '{RETENTION}')",
        payment_run_id,
        uuid,
    )


async def claim(tx: Transaction, client_id: int) -> ClaimedBundle | None:
    """Lock the first queued bundle of a client that no other transaction has locked."""
    row = await tx.fetchrow(
        "SELECT id, payment_run_id FROM payslip_bundles WHERE client_id = $1 AND state = 'queued' "
        "ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED",
        client_id,
    )
    return ClaimedBundle(id=row["id"], payment_run_id=row["payment_run_id"]) if row else None


async def begin_attempt(tx: Transaction, client_id: int, bundle_id: int) -> int:
    """Record that a bundle is being built and return the number of attempts so far."""
    attempts: int = await tx.fetchval(
        "INSERT INTO payslip_bundle_progress AS p (client_id, bundle_id) VALUES ($1, $2) "
        "ON CONFLICT (client_id, bundle_id) "
        "DO UPDATE SET attempts = p.attempts + 1, done = 0, updated_at = now() RETURNING attempts",
        client_id,
        bundle_id,
    )
    return attempts


async def update_progress(tx: Transaction, client_id: int, bundle_id: int, done: int) -> None:
    """Record the number of payslips in the bundle so far."""
    await tx.execute(
        "UPDATE payslip_bundle_progress SET done = $3, updated_at = now() WHERE client_id = $1 AND bundle_id = $2",
        client_id,
        bundle_id,
        done,
    )


async def insert_chunk(tx: Transaction, client_id: int, bundle_id: int, number: int, content: bytes) -> None:
    """Store a chunk of the file, encrypted."""
    chunk_id: int = await tx.fetchval("SELECT nextval(pg_get_serial_sequence('payslip_bundle_pieces', 'id'))")
    await tx.execute(
        "INSERT INTO payslip_bundle_pieces (client_id, id, bundle_id, place, content_sealed) "
        "VALUES ($1, $2, $3, $4, $5)",
        client_id,
        chunk_id,
        bundle_id,
        number,
        tx.vault.seal(content, _sealed_cell(client_id, chunk_id)),
    )


async def iterate_chunks(tx: Transaction, client_id: int, bundle_id: int) -> AsyncIterator[bytes]:
    """Yield the chunks of the file in order."""
    query = (
        "SELECT id, content_sealed FROM payslip_bundle_pieces WHERE client_id = $1 AND bundle_id = $2 ORDER BY place"
    )
    async for rows in fetch_chunks(tx, CHUNKS_PER_FETCH, query, client_id, bundle_id):
        for row in rows:
            yield tx.vault.open_bytes(row["content_sealed"], _sealed_cell(client_id, row["id"]))


async def mark_complete(
    tx: Transaction, client_id: int, bundle_id: int, payslips: int, rules_versions: Sequence[str]
) -> None:
    """Mark a bundle as complete, with the number of its payslips."""
    await tx.execute(
        "UPDATE payslip_bundles SET state = 'complete', finished_at = now(), payslips = $3, rules_versions = $4 "
        "WHERE client_id = $1 AND id = $2 AND state = 'queued'",
        client_id,
        bundle_id,
        payslips,
        rules_versions,
    )


async def mark_failed(tx: Transaction, client_id: int, bundle_id: int, message: str) -> None:
    """Mark a bundle as failed, with the reason."""
    await tx.execute(
        "UPDATE payslip_bundles SET state = 'failed', finished_at = now(), message = $3 "
        "WHERE client_id = $1 AND id = $2 AND state = 'queued'",
        client_id,
        bundle_id,
        message,
    )


def _sealed_cell(client_id: int, chunk_id: int) -> SealedCell:
    return SealedCell(client_id, "payslip_bundle_pieces", chunk_id, "content_sealed")
