"""The SQL of reports that are made by a job."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

import asyncpg

from gaji.core.vault import Place
from gaji.db.chunks import chunks
from gaji.db.tenancy import Transaction

KEPT = "24 hours"
PIECES_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Claimed:
    """A report that this transaction is the only one to make."""

    id: int
    report: str
    request: str
    """What it was asked for with, as JSON."""


async def insert(tx: Transaction, client_id: int, report: str, request: str) -> str:
    """Add a report, and give its uuid."""
    uuid: str = await tx.fetchval(
        "INSERT INTO report_runs (client_id, uuid, report, request, user_id) "
        "VALUES ($1, gen_random_uuid(), $2, $3, current_user_id()) RETURNING uuid::text",
        client_id,
        report,
        request,
    )
    return uuid


async def run(tx: Transaction, client_id: int, uuid: str) -> asyncpg.Record | None:
    """A report that is still kept: id, report, state, message, keys, rules versions, and how many rows are made."""
    return await tx.fetchrow(
        "SELECT r.id, r.report, r.state, r.message, r.keys, r.rules_versions, p.rows_made FROM report_runs r "
        "LEFT JOIN report_progress p ON p.client_id = r.client_id AND p.run_id = r.id "
        "WHERE r.client_id = $1 AND r.uuid = $2 "
        f"AND (r.finished_at IS NULL OR r.finished_at >= now() - interval '{KEPT}')",
        client_id,
        uuid,
    )


async def claim(tx: Transaction, client_id: int) -> Claimed | None:
    """The first report of a client that nobody makes; it is this transaction's until that ends."""
    row = await tx.fetchrow(
        "SELECT id, report, request FROM report_runs WHERE client_id = $1 AND state = 'queued' "
        "ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED",
        client_id,
    )
    return Claimed(*row) if row else None


async def begin(tx: Transaction, client_id: int, run_id: int) -> int:
    """Note that a report is being made, and give how often that was begun."""
    attempts: int = await tx.fetchval(
        "INSERT INTO report_progress AS p (client_id, run_id) VALUES ($1, $2) ON CONFLICT (client_id, run_id) "
        "DO UPDATE SET attempts = p.attempts + 1, rows_made = 0, started_at = now(), updated_at = now() "
        "RETURNING attempts",
        client_id,
        run_id,
    )
    return attempts


async def note_progress(tx: Transaction, client_id: int, run_id: int, rows: int) -> None:
    """Note how many rows are made."""
    await tx.execute(
        "UPDATE report_progress SET rows_made = $3, updated_at = now() WHERE client_id = $1 AND run_id = $2",
        client_id,
        run_id,
        rows,
    )


async def add_piece(tx: Transaction, client_id: int, run_id: int, place: int, rows: bytes) -> None:
    """Keep some rows, encrypted."""
    piece_id: int = await tx.fetchval("SELECT nextval(pg_get_serial_sequence('report_pieces', 'id'))")
    await tx.execute(
        "INSERT INTO report_pieces (client_id, id, run_id, place, rows_sealed) VALUES ($1, $2, $3, $4, $5)",
        client_id,
        piece_id,
        run_id,
        place,
        tx.vault.seal(rows, _place(client_id, piece_id)),
    )


async def pieces(tx: Transaction, client_id: int, run_id: int) -> AsyncIterator[bytes]:
    """The rows that are kept, in their order."""
    query = "SELECT id, rows_sealed FROM report_pieces WHERE client_id = $1 AND run_id = $2 ORDER BY place"
    async for rows in chunks(tx, PIECES_AT_ONCE, query, client_id, run_id):
        for piece_id, sealed in rows:
            yield tx.vault.open_bytes(sealed, _place(client_id, piece_id))


async def complete(
    tx: Transaction, client_id: int, run_id: int, keys: Sequence[str], rules_versions: Sequence[str]
) -> None:
    """Note that a report is all there."""
    await tx.execute(
        "UPDATE report_runs SET state = 'complete', finished_at = now(), keys = $3, rules_versions = $4 "
        "WHERE client_id = $1 AND id = $2 AND state = 'queued'",
        client_id,
        run_id,
        keys,
        rules_versions,
    )


async def fail(tx: Transaction, client_id: int, run_id: int, message: str) -> None:
    """Note that a report cannot be made, and why."""
    await tx.execute(
        "UPDATE report_runs SET state = 'failed', finished_at = now(), message = $3 "
        "WHERE client_id = $1 AND id = $2 AND state = 'queued'",
        client_id,
        run_id,
        message,
    )


def _place(client_id: int, piece_id: int) -> Place:
    return Place(client_id, "report_pieces", piece_id, "rows_sealed")
