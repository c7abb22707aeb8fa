"""Hashes of earlier versions, which were not bound to a client or not keyed, are replaced once, after the migrations.

The secret is not in the database, so a migration cannot do it. It happens in one transaction before any process serves
the database, so every hash that a server reads is of the new form, and identifiers stay unique throughout.
"""

import asyncpg

from gaji.core.vault import SealedCell, Vault
from gaji.db import schema
from gaji.db.presence import require_exclusive_use
from gaji.db.schema import quote_identifier
from gaji.db.sealed_columns import begin_resealing, reseal_table, sealed_columns
from gaji.db.secret_key import BOUND_HASHES_CELL, CHECK, load_marks

PURPOSE = "bound_hashes"
PLAIN_REQUESTS = "SELECT id, request_sealed FROM idempotent_answers"


async def ensure_bound_hashes(connection: asyncpg.Connection, vault: Vault) -> None:
    """Replace the hashes of an earlier version. The caller has locked `secret_marks`. Raises DatabaseInUse."""
    if PURPOSE in await load_marks(connection):
        return
    await require_exclusive_use(connection, "this upgrade", ignore=("gaji maintenance",))
    await begin_resealing(connection)
    await connection.execute("SELECT begin_maintenance()")
    await _bind_identifiers(connection, vault)
    await _seal_requests(connection, vault)
    await connection.execute(
        "INSERT INTO secret_marks (purpose, mark_sealed) VALUES ($1, $2)", PURPOSE, vault.seal(CHECK, BOUND_HASHES_CELL)
    )


async def _bind_identifiers(connection: asyncpg.Connection, vault: Vault) -> None:
    for columns in map(sealed_columns, await schema.load_tables(connection)):
        if columns.lookups:
            await connection.execute(f"LOCK TABLE {quote_identifier(columns.table)} IN SHARE ROW EXCLUSIVE MODE")
            await reseal_table(connection, columns, vault, vault)


async def _seal_requests(connection: asyncpg.Connection, vault: Vault) -> None:
    """Encrypt the digests of requests with an Idempotency-Key, so that they can still be repeated."""
    await connection.execute("LOCK TABLE idempotent_answers IN SHARE ROW EXCLUSIVE MODE")
    rows = await connection.fetch(PLAIN_REQUESTS)
    await connection.executemany(
        "UPDATE idempotent_answers SET request_sealed = $2 WHERE id = $1",
        [(row["id"], vault.seal(row["request_sealed"], _request_cell(row["id"]))) for row in rows],
    )


def _request_cell(row_id: int) -> SealedCell:
    return SealedCell(0, "idempotent_answers", row_id, "request_sealed")
