"""The SQL of errands, whatever they are."""

from gaji.db.tenancy import Transaction


async def queued(tx: Transaction, client_id: int, table: str, lock: str) -> int:
    """How many errands of a client wait or are being done; until the transaction ends, nobody else adds one."""
    await tx.execute("SELECT pg_advisory_xact_lock(hashtextextended($1, $2))", lock, client_id)
    found: int = await tx.fetchval(f"SELECT count(*) FROM {table} WHERE client_id = $1 AND state = 'queued'", client_id)
    return found
