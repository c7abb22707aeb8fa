"""The SQL of drafts."""

from collections.abc import Sequence

import asyncpg

from gaji.db.tenancy import Transaction

DRAFT_COLUMNS = "id, employee_id, wave_id, period_offset, special, withdrawn"
PERIOD_COLUMNS = ("wave_id", "period_offset", "start_date", "date", "pay_date", "payment_run_id")
TYPES = ("bigint", "integer", "date", "date", "date", "bigint")
ARRAYS = ", ".join(f"${number}::{kind}[]" for number, kind in enumerate(TYPES, start=3))

Rows = Sequence[tuple[object, ...]]
"""Each an id, and where a draft stands: wave, offset, first day, last day, pay date and payment run."""


async def lock_drafts(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> list[asyncpg.Record]:
    """All drafts of these employees; nobody else changes or calculates them until the transaction ends."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT {DRAFT_COLUMNS} FROM payslips WHERE client_id = $1 AND employee_id = ANY ($2::bigint[]) AND NOT finalised "
        "ORDER BY id FOR UPDATE",
        client_id,
        employee_ids,
    )
    return rows


async def lock_drafts_with_inputs(tx: Transaction, client_id: int, employee_id: int) -> list[asyncpg.Record]:
    """The drafts of an employee with what they were last calculated from, locked in the same way."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT {DRAFT_COLUMNS}, dirty, inputs, catalogue_version FROM payslips WHERE client_id = $1 AND employee_id = $2 "
        "AND NOT finalised AND NOT withdrawn ORDER BY id FOR UPDATE",
        client_id,
        employee_id,
    )
    return rows


async def claim_dirty(tx: Transaction, client_id: int, most: int) -> list[asyncpg.Record]:
    """Some drafts that wait for calculation and that nobody else is about to change or to calculate."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT {DRAFT_COLUMNS} FROM payslips WHERE client_id = $1 AND NOT finalised AND NOT withdrawn AND dirty "
        "ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED",
        client_id,
        most,
    )
    return rows


async def mark_client_dirty(tx: Transaction, client_id: int) -> list[asyncpg.Record]:
    """All drafts of a client, marked as waiting for calculation."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"UPDATE payslips SET dirty = true WHERE client_id = $1 AND NOT finalised AND NOT withdrawn RETURNING {DRAFT_COLUMNS}",
        client_id,
    )
    return rows


async def mark_dirty(tx: Transaction, client_id: int, payslip_ids: Sequence[int]) -> None:
    """Mark drafts as waiting for calculation, those that do not wait already."""
    await tx.execute(
        "UPDATE payslips SET dirty = true WHERE client_id = $1 AND id = ANY ($2::bigint[]) AND NOT dirty",
        client_id,
        payslip_ids,
    )


async def withdraw(tx: Transaction, client_id: int, payslip_ids: Sequence[int]) -> None:
    """Put drafts aside."""
    await tx.execute(
        "UPDATE payslips SET withdrawn = true WHERE client_id = $1 AND id = ANY ($2::bigint[])",
        client_id,
        payslip_ids,
    )


async def move_drafts(tx: Transaction, client_id: int, rows: Rows) -> None:
    """Let drafts stand elsewhere."""
    changes = ", ".join(f"{name} = n.{name}" for name in PERIOD_COLUMNS)
    await tx.execute(
        f"UPDATE payslips p SET {changes}, withdrawn = false, dirty = true "
        f"FROM unnest($2::bigint[], {ARRAYS}) AS n(id, {', '.join(PERIOD_COLUMNS)}) WHERE p.client_id = $1 AND p.id = n.id",
        client_id,
        *zip(*rows, strict=True),
    )


async def insert_drafts(tx: Transaction, client_id: int, rows: Rows) -> list[asyncpg.Record]:
    """Save new drafts; gives their ids and employees."""
    inserted: list[asyncpg.Record] = await tx.fetch(
        f"INSERT INTO payslips (client_id, employee_id, {', '.join(PERIOD_COLUMNS)}) "
        f"SELECT $1, * FROM unnest($2::bigint[], {ARRAYS}) RETURNING id, employee_id",
        client_id,
        *zip(*rows, strict=True),
    )
    return inserted


async def last_finalised(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> list[asyncpg.Record]:
    """By employee and wave, the latest finalised regular payslip."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT employee_id, wave_id, max(period_offset) AS period_offset FROM payslips "
        "WHERE client_id = $1 AND employee_id = ANY ($2::bigint[]) AND finalised AND NOT special GROUP BY 1, 2",
        client_id,
        employee_ids,
    )
    return rows


async def last_finalised_of_waves(tx: Transaction, client_id: int, wave_ids: Sequence[int]) -> dict[int, int]:
    """By wave, the latest period of which a regular payslip is finalised."""
    rows = await tx.fetch(
        "SELECT w.id, (SELECT max(period_offset) FROM payslips p WHERE p.client_id = $1 AND p.wave_id = w.id "
        "AND p.finalised AND NOT p.special) FROM unnest($2::bigint[]) AS w(id)",
        client_id,
        wave_ids,
    )
    return {wave_id: offset for wave_id, offset in rows if offset is not None}
