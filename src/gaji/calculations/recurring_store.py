"""The SQL of recurring inputs of some types."""

from collections.abc import Sequence

import asyncpg

from gaji.db.tenancy import Transaction


async def inputs(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], types: Sequence[str]
) -> list[asyncpg.Record]:
    """Profile, employee, type and inputs as JSON, of what the client, its profiles and these employees say."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT profile_id, employee_id, type, inputs FROM calculations WHERE client_id = $1 AND payslip_id IS NULL "
        "AND (employee_id IS NULL OR employee_id = ANY ($2::bigint[])) AND type = ANY ($3::text[])",
        client_id,
        employee_ids,
        types,
    )
    return rows
