"""The SQL of holding the drafts of a client."""

from gaji.db.tenancy import Transaction


async def hold(tx: Transaction, client_id: int, *, alone: bool) -> None:
    """Hold the drafts of a client until the transaction ends, alone or side by side with others."""
    shared = "" if alone else "_shared"
    await tx.execute(f"SELECT pg_advisory_xact_lock{shared}(hashtextextended('drafts', $1))", client_id)
