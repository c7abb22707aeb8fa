"""The SQL of files with all payslips of a run."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

import asyncpg

from gaji.core.vault import Place
from gaji.db.chunks import chunks
from gaji.db.tenancy import Transaction

KEPT = "24 hours"
PIECES_AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class Claimed:
    """A file that this transaction is the only one to make."""

    id: int
    payment_run_id: int


async def insert(tx: Transaction, client_id: int, payment_run_id: int, payslips: int) -> str:
    """Add a file, and give its uuid."""
    uuid: str = await tx.fetchval(
        "INSERT INTO payslip_bundles (client_id, uuid, payment_run_id, payslips, user_id) "
        "VALUES ($1, gen_random_uuid(), $2, $3, current_user_id()) RETURNING uuid::text",
        client_id,
        payment_run_id,
        payslips,
    )
    return uuid


async def bundle(tx: Transaction, payment_run_id: int, uuid: str) -> asyncpg.Record | None:
    """A file that is still kept, and how far it is."""
    return await tx.fetchrow(
        "SELECT b.client_id, b.id, b.state, b.message, b.payslips, b.rules_versions, p.done FROM payslip_bundles b "
        "LEFT JOIN payslip_bundle_progress p ON p.client_id = b.client_id AND p.bundle_id = b.id "
        "WHERE b.payment_run_id = $1 AND b.uuid = $2 "
        f"AND (b.finished_at IS NULL OR b.finished_at >= now() - interval '{KEPT}')",
        payment_run_id,
        uuid,
    )


async def claim(tx: Transaction, client_id: int) -> Claimed | None:
    """The first file of a client that nobody makes; it is this transaction's until that ends."""
    row = await tx.fetchrow(
        "SELECT id, payment_run_id FROM payslip_bundles WHERE client_id = $1 AND state = 'queued' "
        "ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED",
        client_id,
    )
    return Claimed(*row) if row else None


async def begin(tx: Transaction, client_id: int, bundle_id: int) -> int:
    """Note that a file is being made, and give how often that was begun."""
    attempts: int = await tx.fetchval(
        "INSERT INTO payslip_bundle_progress AS p (client_id, bundle_id) VALUES ($1, $2) "
        "ON CONFLICT (client_id, bundle_id) "
        "DO UPDATE SET attempts = p.attempts + 1, done = 0, updated_at = now() RETURNING attempts",
        client_id,
        bundle_id,
    )
    return attempts


async def note_progress(tx: Transaction, client_id: int, bundle_id: int, done: int) -> None:
    """Note how many payslips are in it."""
    await tx.execute(
        "UPDATE payslip_bundle_progress SET done = $3, updated_at = now() WHERE client_id = $1 AND bundle_id = $2",
        client_id,
        bundle_id,
        done,
    )


async def add_piece(tx: Transaction, client_id: int, bundle_id: int, place: int, content: bytes) -> None:
    """Keep a piece, encrypted."""
    piece_id: int = await tx.fetchval("SELECT nextval(pg_get_serial_sequence('payslip_bundle_pieces', 'id'))")
    await tx.execute(
        "INSERT INTO payslip_bundle_pieces (client_id, id, bundle_id, place, content_sealed) "
        "VALUES ($1, $2, $3, $4, $5)",
        client_id,
        piece_id,
        bundle_id,
        place,
        tx.vault.seal(content, _place(client_id, piece_id)),
    )


async def pieces(tx: Transaction, client_id: int, bundle_id: int) -> AsyncIterator[bytes]:
    """The pieces in their order."""
    query = (
        "SELECT id, content_sealed FROM payslip_bundle_pieces WHERE client_id = $1 AND bundle_id = $2 ORDER BY place"
    )
    async for rows in chunks(tx, PIECES_AT_ONCE, query, client_id, bundle_id):
        for piece_id, sealed in rows:
            yield tx.vault.open_bytes(sealed, _place(client_id, piece_id))


async def complete(
    tx: Transaction, client_id: int, bundle_id: int, payslips: int, rules_versions: Sequence[str]
) -> None:
    """Note that a file is all there, with so many payslips."""
    await tx.execute(
        "UPDATE payslip_bundles SET state = 'complete', finished_at = now(), payslips = $3, rules_versions = $4 "
        "WHERE client_id = $1 AND id = $2 AND state = 'queued'",
        client_id,
        bundle_id,
        payslips,
        rules_versions,
    )


async def fail(tx: Transaction, client_id: int, bundle_id: int, message: str) -> None:
    """Note that a file cannot be made, and why."""
    await tx.execute(
        "UPDATE payslip_bundles SET state = 'failed', finished_at = now(), message = $3 "
        "WHERE client_id = $1 AND id = $2 AND state = 'queued'",
        client_id,
        bundle_id,
        message,
    )


def _place(client_id: int, piece_id: int) -> Place:
    return Place(client_id, "payslip_bundle_pieces", piece_id, "content_sealed")
