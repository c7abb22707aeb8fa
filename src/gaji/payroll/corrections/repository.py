"""SQL for corrections."""

from collections.abc import Sequence
from datetime import date

import asyncpg

from gaji.db.tenancy import Transaction
from gaji.engine.payslip_input import MonthToDate

FIGURES = MonthToDate.__struct_fields__
"""The columns with the figures of a month."""
IS_CHANGED_LATER = """
    SELECT EXISTS (SELECT FROM calculations c WHERE c.client_id = p.client_id AND c.employee_id = p.employee_id
            AND c.updated_at > p.finalised_at)
        OR EXISTS (SELECT FROM calculations c WHERE c.client_id = p.client_id AND c.profile_id IS NOT NULL
            AND c.updated_at > p.finalised_at)
        OR EXISTS (SELECT FROM inherited_calculations c WHERE c.client_id = p.client_id
            AND c.employee_id = p.employee_id AND c.updated_at > p.finalised_at)
        OR EXISTS (SELECT FROM last_changes l WHERE l.client_id = p.client_id AND l.resource = 'leave_day'
            AND l.employee_id = p.employee_id AND l.changed_at > p.finalised_at)
        OR EXISTS (SELECT FROM last_changes l WHERE l.client_id = p.client_id AND l.resource = 'employee'
            AND l.id = p.employee_id AND l.changed_at > p.finalised_at)
    FROM payslips p WHERE p.client_id = $1 AND p.id = $2"""


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


async def is_changed_later(tx: Transaction, client_id: int, payslip_id: int) -> bool:
    """Return whether records of the employee changed after a payslip was finalised. Those of profiles count for all."""
    return bool(await tx.fetchval(IS_CHANGED_LATER, client_id, payslip_id))
