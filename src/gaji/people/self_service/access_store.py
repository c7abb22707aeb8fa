"""The SQL of who asks about leave."""

from gaji.db.tenancy import Transaction


async def is_own(tx: Transaction, employee_id: int) -> bool:
    """Whether the caller is this employee."""
    found: bool = await tx.fetchval("SELECT coalesce($1 = ANY (own_employees()), false)", employee_id)
    return found


async def seen_clients(tx: Transaction) -> str:
    """The clients that the transaction sees."""
    found: str = await tx.fetchval("SELECT current_setting('gaji.clients')")
    return found


async def see_clients(tx: Transaction, clients: str) -> None:
    """Let the transaction see these clients and no others."""
    await tx.execute("SELECT set_config('gaji.clients', $1, true)", clients)
