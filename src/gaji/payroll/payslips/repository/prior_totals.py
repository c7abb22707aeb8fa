"""SQL for the totals of earlier finalised payslips."""

from collections.abc import Sequence
from datetime import date

import asyncpg

from gaji.db.tenancy import Transaction
from gaji.engine.payslip_input import MonthToDate, YearToDate

MONTH = ", ".join(
    f"sum(p.{name}) FILTER (WHERE p.date >= s.month)::bigint AS {name}" for name in MonthToDate.__struct_fields__
)
YEAR = ", ".join(
    f"sum(p.{name}) FILTER (WHERE p.date < s.month AND p.date >= s.year)::bigint AS year_{name}"
    for name in YearToDate.__struct_fields__
)
LAST_MONTH = "sum(p.ordinary) FILTER (WHERE p.date < s.month AND p.date >= s.last_month)::bigint AS last_month"
# OFFSET 0 keeps this a separate subquery, so that its dates are computed once for each payslip, not for each sum.
SLIPS = """(SELECT employee_id, place, date_trunc('month', date)::date AS month, date_trunc('year', date)::date AS year,
               (date_trunc('month', date) - interval '1 month')::date AS last_month,
               least($4::date, (date_trunc('month', date) + interval '1 month')::date) AS until
        FROM unnest($2::bigint[], $3::date[]) WITH ORDINALITY AS t(employee_id, date, place) OFFSET 0) s"""


async def load_prior_totals(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], dates: Sequence[date], before: date
) -> list[asyncpg.Record]:
    """Load the sums of month, year and last month for payslips of these employees and dates; `place` counts from 1."""
    rows: list[asyncpg.Record] = await tx.fetch(
        # A lateral join looks up each payslip by index. A plain join may scan the table until it has been analysed.
        f"SELECT s.place, f.* FROM {SLIPS} CROSS JOIN LATERAL ("
        f"SELECT {MONTH}, {YEAR}, {LAST_MONTH}, count(*) AS payslips FROM payslips p "
        "WHERE p.client_id = $1 AND p.employee_id = s.employee_id AND p.finalised "
        "AND p.date >= least(s.year, s.last_month) AND p.date < s.until) f WHERE f.payslips > 0",
        client_id,
        employee_ids,
        dates,
        before,
    )
    return rows


async def load_carried_forward(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], before: date
) -> list[asyncpg.Record]:
    """Load what the latest finalised payslip could not deduct, by employee."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT p.employee_id, p.carried FROM payslips p WHERE p.client_id = $1 AND p.employee_id = ANY ($2::bigint[]) "
        "AND p.finalised AND p.carried IS NOT NULL AND p.date < $3 AND NOT EXISTS (SELECT FROM payslips later "
        "WHERE later.client_id = $1 AND later.employee_id = p.employee_id AND later.finalised AND later.date < $3 "
        "AND (later.date, later.finalised_at, later.id) > (p.date, p.finalised_at, p.id))",
        client_id,
        employee_ids,
        before,
    )
    return rows


async def load_instalments(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], before: date
) -> list[asyncpg.Record]:
    """Load the instalments of tracked items that finalised payslips of these employees took."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT employee_id, date, moved FROM payslips WHERE client_id = $1 AND employee_id = ANY ($2::bigint[]) "
        "AND finalised AND moved IS NOT NULL AND date < $3",
        client_id,
        employee_ids,
        before,
    )
    return rows
