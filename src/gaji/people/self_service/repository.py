"""Self-service repository: the caller's employee records and visible clients."""

from collections.abc import Sequence

import asyncpg

from gaji.db.tenancy import Transaction


async def load_caller_access(tx: Transaction) -> tuple[list[int], bool]:
    """Load the IDs of the caller's employee records, and whether the caller has a role in a client."""
    row = await tx.fetchrow(
        "SELECT coalesce(own_employees(), '{}') AS employee_ids, cardinality(allowed_clients()) > 0 AS has_clients"
    )
    return row["employee_ids"], bool(row["has_clients"])


async def is_caller(tx: Transaction, employee_id: int) -> bool:
    """Return whether the caller is this employee."""
    is_own: bool = await tx.fetchval("SELECT coalesce($1 = ANY (own_employees()), false)", employee_id)
    return is_own


async def load_employments(tx: Transaction, employee_ids: Sequence[int]) -> list[asyncpg.Record]:
    """Load ID, client, number and names of employees that the caller can see."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT id, client_id, number, first_name, last_name, name_format FROM employees "
        "WHERE id = ANY ($1::bigint[]) ORDER BY id",
        employee_ids,
    )
    return rows


async def load_client_name(tx: Transaction, client_id: int) -> str:
    """Load the name of a client that the transaction can see."""
    name: str = await tx.fetchval("SELECT name FROM clients WHERE id = $1", client_id)
    return name


async def load_visible_clients(tx: Transaction) -> str:
    """Return the setting with the clients that the transaction can see."""
    setting: str = await tx.fetchval("SELECT current_setting('gaji.clients')")
    return setting


async def set_visible_clients(tx: Transaction, setting: str) -> None:
    """Set the clients that the transaction can see."""
    await tx.execute("SELECT set_config('gaji.clients', $1, true)", setting)
