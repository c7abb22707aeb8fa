"""The SQL of profiles and their mappings."""

from collections.abc import Sequence

import asyncpg

from gaji.db.tenancy import Transaction


async def applied(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> list[asyncpg.Record]:
    """Employee, profile and which of its calculations apply, in the order in which the mappings were made."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT employee_id, profile_id, calculations FROM profile_mappings "
        "WHERE client_id = $1 AND employee_id = ANY ($2::bigint[]) ORDER BY id",
        client_id,
        employee_ids,
    )
    return rows
