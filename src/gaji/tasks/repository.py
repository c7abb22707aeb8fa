"""Queries over the tables of tasks, whatever their kind."""

from gaji.db.tenancy import Transaction


async def count_queued(tx: Transaction, client_id: int, table: str, lock: str) -> int:
    """Return the number of a client's queued tasks. No other task can be added until the transaction ends."""
    await tx.execute("SELECT pg_advisory_xact_lock(hashtextextended($1, $2))", lock, client_id)
    count: int = await tx.fetchval(f"SELECT count(*) FROM {table} WHERE client_id = $1 AND state = 'queued'", client_id)
    return count
