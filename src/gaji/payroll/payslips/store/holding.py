"""The SQL of holding the drafts of a client."""

from gaji.db.tenancy import Transaction

OPEN = "pg_advisory_xact_lock_shared(hashtextextended('drafts', {}))"
ALONE = "pg_advisory_xact_lock(hashtextextended('drafts', {}))"


async def hold_open(tx: Transaction, client_id: int) -> None:
    """Hold the drafts of a client until the transaction ends, side by side with others."""
    await tx.execute(f"SELECT {OPEN.format('$1')}", client_id)


async def hold_alone(tx: Transaction, client_id: int) -> None:
    """Hold them alone."""
    await tx.execute(f"SELECT {ALONE.format('$1')}", client_id)
