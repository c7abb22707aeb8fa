"""SQL for the totals of earlier finalised payslips."""

from collections.abc import Sequence
from datetime import date

import asyncpg

from gaji.db.query_plans import each_id
from gaji.db.tenancy import Transaction
from gaji.engine.payslip_input import MonthToDate, YearToDate
from gaji.payroll.payslips.repository.month_parts import (
    PAST_MONTHS_DATE,
    PAST_MONTHS_PART,
    PREVIOUS_MONTH_DATE,
    PREVIOUS_MONTH_PART,
    past_month_columns,
    previous_month_columns,
)

MONTH_FIELDS = MonthToDate.__struct_fields__
MONTH = ", ".join(f"sum(p.{name}) FILTER (WHERE p.date >= s.month)::bigint AS {name}" for name in MONTH_FIELDS)
YEAR = ", ".join(
    f"sum(p.{name}) FILTER (WHERE p.date < s.month AND p.date >= s.year)::bigint AS year_{name}"
    for name in YearToDate.__struct_fields__
)
LAST_MONTH = "sum(p.ordinary) FILTER (WHERE p.date < s.month AND p.date >= s.last_month)::bigint AS last_month"
# OFFSET 0 keeps this a separate subquery, so that its dates are computed once for each payslip, not for each sum, and
# payslips are looked up by index as in `db.query_plans`.
SLIPS = """(SELECT $1::bigint AS client_id, employee_id, place,
               date_trunc('month', date)::date AS month, date_trunc('year', date)::date AS year,
               (date_trunc('month', date) - interval '1 month')::date AS last_month,
               least($4::date, (date_trunc('month', date) + interval '1 month')::date) AS until,
               least($4::date, (date_trunc('month', date) + interval '2 months')::date) AS until_next_month
        FROM unnest($2::bigint[], $3::date[]) WITH ORDINALITY AS t(employee_id, date, place) OFFSET 0) s"""
PAYSLIPS = """WHERE p.client_id = s.client_id AND p.employee_id = s.employee_id AND p.finalised
    AND p.date >= least(s.year, s.last_month)"""


async def load_prior_totals(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], dates: Sequence[date], before: date
) -> list[asyncpg.Record]:
    """Load the sums of month, year and last month for payslips of these employees and dates; `place` counts from 1.

    The parts of a payslip for other months than its own count for those months.
    """
    rows: list[asyncpg.Record] = await tx.fetch(
        # A lateral join looks up each payslip by index. A plain join may scan the table until it has been analysed.
        f"SELECT s.place, f.* FROM {SLIPS} CROSS JOIN LATERAL ("
        f"SELECT {MONTH}, {YEAR}, {LAST_MONTH}, count(*) AS payslips FROM ("
        f"SELECT p.date, {', '.join(MONTH_FIELDS)} FROM payslips p {PAYSLIPS} AND p.date < s.until UNION ALL "
        f"SELECT * FROM (SELECT {PREVIOUS_MONTH_DATE}, {previous_month_columns(MONTH_FIELDS)} FROM payslips p "
        f"{PREVIOUS_MONTH_PART} {PAYSLIPS} AND p.date < s.until_next_month AND p.previous_month IS NOT NULL UNION ALL "
        f"SELECT {PAST_MONTHS_DATE}, {past_month_columns(MONTH_FIELDS)} FROM payslips p {PAST_MONTHS_PART} "
        f"{PAYSLIPS} AND p.date < $4 AND p.past_months IS NOT NULL) q WHERE q.date < s.until"
        ") p) f WHERE f.payslips > 0",
        client_id,
        employee_ids,
        dates,
        before,
    )
    return rows


async def find_followed_payslips(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], dates: Sequence[date]
) -> set[int]:
    """Return the indexes of the payslips, by employee and date, that a later regular one of the same month follows."""
    rows = await tx.fetch(
        "SELECT s.place FROM (SELECT $1::bigint AS client_id, slip.* FROM unnest($2::bigint[], $3::date[]) "
        "WITH ORDINALITY AS slip(employee_id, date, place) OFFSET 0) s WHERE EXISTS (SELECT FROM payslips p "
        "WHERE p.client_id = s.client_id AND p.employee_id = s.employee_id AND NOT p.special AND NOT p.withdrawn "
        "AND p.date > s.date AND p.date < date_trunc('month', s.date) + interval '1 month')",
        client_id,
        employee_ids,
        dates,
    )
    return {row["place"] - 1 for row in rows}


async def load_additional_by_month(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], years: Sequence[int], before: date
) -> list[asyncpg.Record]:
    """Load the additional wages of a year, and those subject to CPF, by employee and month. `place` counts from 1."""
    columns = ("additional", "additional_subject")
    payslips = "WHERE p.client_id = s.client_id AND p.employee_id = s.employee_id AND p.finalised AND p.date < $4"
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT s.place, to_char(f.date, 'YYYY-MM') AS month, f.paid, f.subject "
        "FROM (SELECT $1::bigint AS client_id, slip.* FROM unnest($2::bigint[], $3::integer[]) WITH ORDINALITY "
        "AS slip(employee_id, year, place) OFFSET 0) s CROSS JOIN LATERAL ("
        "SELECT date_trunc('month', p.date) AS date, sum(p.additional)::bigint AS paid, "
        "sum(p.additional_subject)::bigint AS subject FROM ("
        f"SELECT p.date, {', '.join(columns)} FROM payslips p {payslips} UNION ALL "
        f"SELECT {PREVIOUS_MONTH_DATE}, {previous_month_columns(columns)} FROM payslips p {PREVIOUS_MONTH_PART} "
        f"{payslips} AND p.previous_month IS NOT NULL UNION ALL "
        f"SELECT {PAST_MONTHS_DATE}, {past_month_columns(columns)} FROM payslips p {PAST_MONTHS_PART} {payslips} "
        "AND p.past_months IS NOT NULL) p "
        "WHERE p.date >= make_date(s.year, 1, 1) AND p.date <= make_date(s.year, 12, 31) GROUP BY 1) f "
        "WHERE f.paid <> 0 OR f.subject <> 0 ORDER BY s.place, month",
        client_id,
        employee_ids,
        years,
        before,
    )
    return rows


async def load_carried_forward(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], before: date
) -> list[asyncpg.Record]:
    """Load what could not be deducted yet, by employee and deduction.

    Each payslip deducts what those before it could not, so the latest one has all of it. Payslips of correction runs
    do not: what they add, the next other payslip deducts.
    """
    query = (
        "SELECT p.employee_id, p.carried FROM payslips p WHERE p.client_id = ids.client_id AND p.employee_id = ids.id "
        "AND p.finalised AND p.carried IS NOT NULL AND p.date < $3 AND NOT EXISTS (SELECT FROM payslips later "
        "WHERE later.client_id = p.client_id AND later.employee_id = p.employee_id AND later.finalised "
        "AND later.date < $3 AND later.corrects IS NULL "
        "AND (later.date, later.finalised_at, later.id) > (p.date, p.finalised_at, p.id))"
    )
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT p.employee_id, item.name, sum(item.cents::bigint)::bigint AS cents FROM {each_id('$2', query)} p "
        "CROSS JOIN LATERAL jsonb_each_text(p.carried) AS item(name, cents) GROUP BY 1, 2 ORDER BY 1, 2",
        client_id,
        employee_ids,
        before,
    )
    return rows


async def load_instalments(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], before: date
) -> list[asyncpg.Record]:
    """Load the instalments of tracked items that finalised payslips of these employees took."""
    query = (
        "SELECT employee_id, date, moved FROM payslips WHERE client_id = ids.client_id AND employee_id = ids.id "
        "AND finalised AND moved IS NOT NULL AND date < $3"
    )
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT p.* FROM {each_id('$2', query)} p", client_id, employee_ids, before
    )
    return rows
