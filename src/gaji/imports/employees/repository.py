"""SQL for queued imports."""

from dataclasses import dataclass

import asyncpg

from gaji.core.vault import SealedCell
from gaji.db.tenancy import Transaction

RETENTION = "24 hours"


@dataclass(frozen=True, slots=True)
class ClaimedImport:
    """An import that is locked by this transaction."""

    id: int
    user_id: int
    dry_run: bool
    content: bytes


async def insert_import(tx: Transaction, client_id: int, content: bytes, *, dry_run: bool) -> str:
    """Insert a queued import with its encrypted workbook and return its UUID."""
    import_id: int = await tx.fetchval("SELECT nextval(pg_get_serial_sequence('employee_imports', 'id'))")
    uuid: str = await tx.fetchval(
        "INSERT INTO employee_imports (client_id, id, uuid, dry_run, content_sealed, user_id) "
        "VALUES ($1, $2, gen_random_uuid(), $3, $4, current_user_id()) RETURNING uuid::text",
        client_id,
        import_id,
        dry_run,
        tx.vault.seal(content, _sealed_cell(client_id, import_id, "content_sealed")),
    )
    return uuid


async def find_import(tx: Transaction, client_id: int, uuid: str) -> asyncpg.Record | None:
    """Return an import that has not expired, with its progress."""
    return await tx.fetchrow(
        "SELECT i.id, i.state, i.dry_run, i.outcome_sealed, p.step, p.rows, p.done FROM employee_imports i "
        "LEFT JOIN employee_import_progress p ON p.client_id = i.client_id AND p.import_id = i.id "
        "WHERE i.client_id = $1 AND i.uuid = $2 "
        f"AND (i.finished_at IS NULL OR i.finished_at >= now() - interval '{RETENTION}')",
        client_id,
        uuid,
    )


def open_outcome(tx: Transaction, client_id: int, import_id: int, sealed: bytes) -> bytes:
    """Decrypt the outcome of an import."""
    return tx.vault.open_bytes(sealed, _sealed_cell(client_id, import_id, "outcome_sealed"))


async def load_failed_content(tx: Transaction, client_id: int, uuid: str) -> bytes | None:
    """Return the workbook of an import that failed and has not expired."""
    row = await tx.fetchrow(
        "SELECT id, content_sealed FROM employee_imports WHERE client_id = $1 AND uuid = $2 AND state = 'failed' "
        f"AND content_sealed IS NOT NULL AND finished_at >= now() - interval '{RETENTION}'",
        client_id,
        uuid,
    )
    if row is None:
        return None
    return tx.vault.open_bytes(row["content_sealed"], _sealed_cell(client_id, row["id"], "content_sealed"))


async def claim(tx: Transaction, client_id: int) -> ClaimedImport | None:
    """Lock the first queued import of a client that no other transaction has locked."""
    row = await tx.fetchrow(
        "SELECT id, user_id, dry_run, content_sealed FROM employee_imports WHERE client_id = $1 AND state = 'queued' "
        "ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED",
        client_id,
    )
    if row is None:
        return None
    content = tx.vault.open_bytes(row["content_sealed"], _sealed_cell(client_id, row["id"], "content_sealed"))
    return ClaimedImport(row["id"], row["user_id"], row["dry_run"], content)


async def set_audit_user(tx: Transaction, user_id: int) -> None:
    """Attribute the following changes to a user in the audit log."""
    await tx.execute("SELECT set_config('gaji.user', $1, true)", str(user_id))


async def begin_attempt(tx: Transaction, client_id: int, import_id: int) -> int:
    """Record that an import is running and return the number of attempts so far."""
    attempts: int = await tx.fetchval(
        "INSERT INTO employee_import_progress AS p (client_id, import_id) VALUES ($1, $2) "
        "ON CONFLICT (client_id, import_id) DO UPDATE "
        "SET attempts = p.attempts + 1, step = 'reading', rows = 0, done = 0, updated_at = now() RETURNING attempts",
        client_id,
        import_id,
    )
    return attempts


async def update_progress(tx: Transaction, client_id: int, import_id: int, step: str, rows: int, done: int) -> None:
    """Record the current step and the number of rows that are done."""
    await tx.execute(
        "UPDATE employee_import_progress SET step = $3, rows = $4, done = $5, updated_at = now() "
        "WHERE client_id = $1 AND import_id = $2",
        client_id,
        import_id,
        step,
        rows,
        done,
    )


async def finish_import(tx: Transaction, client_id: int, import_id: int, state: str, outcome: bytes) -> None:
    """Record the final state and outcome of an import. The workbook is kept only if it failed."""
    await tx.execute(
        "UPDATE employee_imports SET state = $3, finished_at = now(), outcome_sealed = $4, "
        "content_sealed = CASE WHEN $3 = 'failed' THEN content_sealed END "
        "WHERE client_id = $1 AND id = $2 AND state = 'queued'",
        client_id,
        import_id,
        state,
        tx.vault.seal(outcome, _sealed_cell(client_id, import_id, "outcome_sealed")),
    )


def _sealed_cell(client_id: int, import_id: int, column: str) -> SealedCell:
    return SealedCell(client_id, "employee_imports", import_id, column)
