"""The SQL of imports that are done by a job."""

from dataclasses import dataclass

import asyncpg

from gaji.core.vault import Place
from gaji.db.tenancy import Transaction

KEPT = "24 hours"


@dataclass(frozen=True, slots=True)
class Claimed:
    """An import that this transaction is the only one to do."""

    id: int
    user_id: int
    dry_run: bool
    content: bytes


async def insert(tx: Transaction, client_id: int, content: bytes, *, dry_run: bool) -> str:
    """Add an import with its workbook, encrypted, and give its uuid."""
    import_id: int = await tx.fetchval("SELECT nextval(pg_get_serial_sequence('employee_imports', 'id'))")
    uuid: str = await tx.fetchval(
        "INSERT INTO employee_imports (client_id, id, uuid, dry_run, content_sealed, user_id) "
        "VALUES ($1, $2, gen_random_uuid(), $3, $4, current_user_id()) RETURNING uuid::text",
        client_id,
        import_id,
        dry_run,
        tx.vault.seal(content, _place(client_id, import_id, "content_sealed")),
    )
    return uuid


async def find(tx: Transaction, client_id: int, uuid: str) -> asyncpg.Record | None:
    """An import that is still kept, and how far it is."""
    return await tx.fetchrow(
        "SELECT i.id, i.state, i.dry_run, i.outcome_sealed, p.step, p.rows, p.done FROM employee_imports i "
        "LEFT JOIN employee_import_progress p ON p.client_id = i.client_id AND p.import_id = i.id "
        "WHERE i.client_id = $1 AND i.uuid = $2 "
        f"AND (i.finished_at IS NULL OR i.finished_at >= now() - interval '{KEPT}')",
        client_id,
        uuid,
    )


def opened(tx: Transaction, client_id: int, import_id: int, outcome: bytes) -> bytes:
    """The outcome of an import in clear."""
    return tx.vault.open_bytes(outcome, _place(client_id, import_id, "outcome_sealed"))


async def claim(tx: Transaction, client_id: int) -> Claimed | None:
    """The first import of a client that nobody does; it is this transaction's until that ends."""
    row = await tx.fetchrow(
        "SELECT id, user_id, dry_run, content_sealed FROM employee_imports WHERE client_id = $1 AND state = 'queued' "
        "ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED",
        client_id,
    )
    if row is None:
        return None
    content = tx.vault.open_bytes(row["content_sealed"], _place(client_id, row["id"], "content_sealed"))
    return Claimed(row["id"], row["user_id"], row["dry_run"], content)


async def act_for(tx: Transaction, user_id: int) -> None:
    """Let what follows be recorded as done by a user."""
    await tx.execute("SELECT set_config('gaji.user', $1, true)", str(user_id))


async def begin(tx: Transaction, client_id: int, import_id: int) -> int:
    """Note that an import is being done, and give how often that was begun."""
    attempts: int = await tx.fetchval(
        "INSERT INTO employee_import_progress AS p (client_id, import_id) VALUES ($1, $2) "
        "ON CONFLICT (client_id, import_id) DO UPDATE "
        "SET attempts = p.attempts + 1, step = 'reading', rows = 0, done = 0, updated_at = now() RETURNING attempts",
        client_id,
        import_id,
    )
    return attempts


async def note_progress(tx: Transaction, client_id: int, import_id: int, step: str, rows: int, done: int) -> None:
    """Note how far an import is."""
    await tx.execute(
        "UPDATE employee_import_progress SET step = $3, rows = $4, done = $5, updated_at = now() "
        "WHERE client_id = $1 AND import_id = $2",
        client_id,
        import_id,
        step,
        rows,
        done,
    )


async def finish(tx: Transaction, client_id: int, import_id: int, state: str, outcome: bytes) -> None:
    """Note what became of an import, and forget the workbook."""
    await tx.execute(
        "UPDATE employee_imports SET state = $3, finished_at = now(), outcome_sealed = $4, content_sealed = NULL "
        "WHERE client_id = $1 AND id = $2 AND state = 'queued'",
        client_id,
        import_id,
        state,
        tx.vault.seal(outcome, _place(client_id, import_id, "outcome_sealed")),
    )


def _place(client_id: int, import_id: int, column: str) -> Place:
    return Place(client_id, "employee_imports", import_id, column)
