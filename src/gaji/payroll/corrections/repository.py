"""SQL for corrections."""

from collections.abc import Sequence
from datetime import date

import asyncpg

from gaji.db.tenancy import Transaction
from gaji.engine.payslip_input import MonthToDate

FIGURES = MonthToDate.__struct_fields__
"""The columns with the figures of a month."""


async def load_last_finalised(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], first: date, last: date, limit: int | None
) -> list[asyncpg.Record]:
    """Load the last finalised payslips of each employee between two dates, by employee and in order of time."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT p.* FROM unnest($2::bigint[]) AS e(id) CROSS JOIN LATERAL ("
        "SELECT id, employee_id, wave_id, period_offset, special, date, finalised_at, inputs, lines, "
        f"catalogue_version, previous_month, past_months, {', '.join(FIGURES)} FROM payslips "
        "WHERE client_id = $1 AND employee_id = e.id AND finalised AND inputs IS NOT NULL AND date BETWEEN $4 AND $5 "
        "ORDER BY date DESC, finalised_at DESC, id DESC LIMIT $3) p "
        "ORDER BY p.employee_id, p.date, p.finalised_at, p.id",
        client_id,
        employee_ids,
        limit,
        first,
        last,
    )
    return rows
