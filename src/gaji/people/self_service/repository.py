"""The SQL of who someone is among the employees."""

from collections.abc import Sequence

import asyncpg

from gaji.db.tenancy import Transaction


async def own_ids(tx: Transaction) -> tuple[list[int], bool]:
    """The employees that the caller is, and whether the caller also works with clients as a whole."""
    row = await tx.fetchrow(
        "SELECT coalesce(own_employees(), '{}') AS own, cardinality(allowed_clients()) > 0 AS works_with_clients"
    )
    return row["own"], bool(row["works_with_clients"])


async def records(tx: Transaction, employee_ids: Sequence[int]) -> list[asyncpg.Record]:
    """Id, client, number and the parts of the names of employees whom the caller may see."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT id, client_id, number, first_name, last_name, name_format FROM employees "
        "WHERE id = ANY ($1::bigint[]) ORDER BY id",
        employee_ids,
    )
    return rows


async def client_name(tx: Transaction, client_id: int) -> str:
    """The name of a client that the transaction sees."""
    found: str = await tx.fetchval("SELECT name FROM clients WHERE id = $1", client_id)
    return found
