"""SQL for drafts."""

from collections.abc import Sequence

import asyncpg

from gaji.db.query_plans import each_id
from gaji.db.tenancy import Transaction

DRAFT_COLUMNS = "id, employee_id, wave_id, period_offset, special, withdrawn, corrects"
PERIOD_COLUMNS = ("wave_id", "period_offset", "start_date", "date", "pay_date", "payment_run_id")
TYPES = ("bigint", "integer", "date", "date", "date", "bigint")
ARRAYS = ", ".join(f"${number}::{kind}[]" for number, kind in enumerate(TYPES, start=3))

Rows = Sequence[tuple[object, ...]]
"""Each row is an id followed by PERIOD_COLUMNS."""


async def lock_drafts(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> list[asyncpg.Record]:
    """Lock all drafts of these employees."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT {DRAFT_COLUMNS} FROM payslips WHERE client_id = $1 AND employee_id = ANY ($2::bigint[]) "
        "AND NOT finalised ORDER BY id FOR UPDATE",
        client_id,
        employee_ids,
    )
    return rows


async def lock_drafts_with_inputs(tx: Transaction, client_id: int, employee_id: int) -> list[asyncpg.Record]:
    """Lock the drafts of an employee that entries are for, and load their stored inputs."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT {DRAFT_COLUMNS}, dirty, inputs, catalogue_version FROM payslips WHERE client_id = $1 "
        "AND employee_id = $2 AND NOT finalised AND NOT withdrawn AND corrects IS NULL ORDER BY id FOR UPDATE",
        client_id,
        employee_id,
    )
    return rows


async def claim_dirty(tx: Transaction, client_id: int, limit: int) -> list[asyncpg.Record]:
    """Lock dirty drafts that no other transaction has locked."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT {DRAFT_COLUMNS} FROM payslips WHERE client_id = $1 AND NOT finalised AND NOT withdrawn AND dirty "
        "ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED",
        client_id,
        limit,
    )
    return rows


async def mark_client_dirty(tx: Transaction, client_id: int) -> list[asyncpg.Record]:
    """Mark all drafts of a client as dirty, and return them."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "UPDATE payslips SET dirty = true WHERE client_id = $1 AND NOT finalised AND NOT withdrawn "
        f"RETURNING {DRAFT_COLUMNS}",
        client_id,
    )
    return rows


async def mark_dirty(tx: Transaction, client_id: int, payslip_ids: Sequence[int]) -> None:
    """Mark drafts as dirty."""
    await tx.execute(
        "UPDATE payslips SET dirty = true WHERE client_id = $1 AND id = ANY ($2::bigint[]) AND NOT dirty",
        client_id,
        payslip_ids,
    )


async def withdraw(tx: Transaction, client_id: int, payslip_ids: Sequence[int]) -> None:
    """Withdraw drafts."""
    await tx.execute(
        "UPDATE payslips SET withdrawn = true WHERE client_id = $1 AND id = ANY ($2::bigint[])",
        client_id,
        payslip_ids,
    )


async def move_drafts(tx: Transaction, client_id: int, rows: Rows) -> None:
    """Move drafts to other periods."""
    changes = ", ".join(f"{name} = n.{name}" for name in PERIOD_COLUMNS)
    await tx.execute(
        f"UPDATE payslips p SET {changes}, withdrawn = false, dirty = true "
        f"FROM unnest($2::bigint[], {ARRAYS}) AS n(id, {', '.join(PERIOD_COLUMNS)}) "
        "WHERE p.client_id = $1 AND p.id = n.id",
        client_id,
        *zip(*rows, strict=True),
    )


async def insert_drafts(tx: Transaction, client_id: int, rows: Rows) -> list[asyncpg.Record]:
    """Insert drafts, and return their ids and employees."""
    inserted: list[asyncpg.Record] = await tx.fetch(
        f"INSERT INTO payslips (client_id, employee_id, {', '.join(PERIOD_COLUMNS)}) "
        f"SELECT $1, * FROM unnest($2::bigint[], {ARRAYS}) RETURNING id, employee_id",
        client_id,
        *zip(*rows, strict=True),
    )
    return inserted


async def last_finalised(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> list[asyncpg.Record]:
    """Load the latest finalised regular payslip, by employee and wave."""
    # With `finalised` as a condition, PostgreSQL would read all finalised payslips of the client for each employee as
    # long as it expects few of them, which is so in the first pay run of a new installation.
    query = (
        "SELECT employee_id, wave_id, max(period_offset) FILTER (WHERE finalised AND NOT special) AS period_offset "
        "FROM payslips WHERE client_id = ids.client_id AND employee_id = ids.id GROUP BY 1, 2 "
        "HAVING bool_or(finalised AND NOT special)"
    )
    rows: list[asyncpg.Record] = await tx.fetch(f"SELECT p.* FROM {each_id('$2', query)} p", client_id, employee_ids)
    return rows


async def last_finalised_of_waves(tx: Transaction, client_id: int, wave_ids: Sequence[int]) -> dict[int, int]:
    """Return the latest period with a finalised regular payslip, by wave."""
    rows = await tx.fetch(
        "SELECT w.id, (SELECT max(period_offset) FROM payslips p WHERE p.client_id = $1 AND p.wave_id = w.id "
        "AND p.finalised AND NOT p.special) AS period_offset FROM unnest($2::bigint[]) AS w(id)",
        client_id,
        wave_ids,
    )
    return {row["id"]: row["period_offset"] for row in rows if row["period_offset"] is not None}
