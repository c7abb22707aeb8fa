"""SQL for the totals of finalised payslips."""

from collections.abc import Sequence
from datetime import date

import asyncpg

from gaji.db.tenancy import Transaction
from gaji.payroll.payslips.repository.month_parts import (
    PAST_MONTHS_DATE,
    PAST_MONTHS_PART,
    PREVIOUS_MONTH_DATE,
    PREVIOUS_MONTH_PART,
    past_month_columns,
    previous_month_columns,
)

FIGURES = ("ordinary", "additional", "cpf_employee", "cpf_employer", "mbmf", "sinda", "cdac", "ecf", "levy", "sdl")
SUMS = ", ".join(
    f"sum({column})::bigint AS {name}"
    for name, column in {
        "ordinary": "ordinary",
        "additional": "additional",
        "cpf": "cpf_employee + cpf_employer",
        **{name: name for name in ("mbmf", "sinda", "cdac", "ecf", "levy", "sdl")},
    }.items()
)
CONTRIBUTIONS = ("cpf_employee", "cpf_employer", "mbmf", "sinda", "cdac", "ecf", "levy", "sdl")
COMMON = "p.employee_id, p.finalised_at, p.rules_version"
FINALISED = """WHERE p.client_id = $1 AND p.finalised
    AND p.date >= $2 AND p.date < ($2::date + interval '2 months')::date"""
SINCE = "WHERE p.client_id = $1 AND p.finalised AND p.date >= $2"


async def load_month_totals(tx: Transaction, client_id: int, first: date, last: date) -> list[asyncpg.Record]:
    """Load the sums of a month, by employee. Wages of the month on later payslips are included."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT employee_id, {SUMS}, max(finalised_at) AS finalised_at, "
        "coalesce(array_agg(DISTINCT rules_version) FILTER (WHERE rules_version IS NOT NULL), '{}') AS rules_versions "
        f"FROM ({_by_month(COMMON, FIGURES, FINALISED, SINCE)}) p "
        "WHERE p.date BETWEEN $2 AND $3 GROUP BY employee_id ORDER BY employee_id",
        client_id,
        first,
        last,
    )
    return rows


async def load_deduction_totals(
    tx: Transaction, client_id: int, item: str, first: date, last: date
) -> list[asyncpg.Record]:
    """Load the sum of a deduction on the finalised payslips of a month, by employee who has it."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT p.employee_id, (100 * sum((line ->> 1)::numeric))::bigint AS cents "
        "FROM payslips p CROSS JOIN LATERAL json_array_elements(p.lines -> 'deduction') line "
        "WHERE p.client_id = $1 AND p.finalised AND p.date BETWEEN $3 AND $4 "
        "AND position('\"' || $2 || '\"' IN p.lines::text) > 0 AND line ->> 0 = $2 GROUP BY p.employee_id ORDER BY 1",
        client_id,
        item,
        first,
        last,
    )
    return rows


async def load_open_drafts(tx: Transaction, client_id: int, first: date, last: date) -> list[asyncpg.Record]:
    """Load the drafts of periods with some of these days that no run has."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT id AS payslip_id, employee_id, date AS period_end FROM payslips WHERE client_id = $1 AND NOT finalised "
        "AND NOT withdrawn AND payment_run_id IS NULL AND date >= $2 AND start_date <= $3 ORDER BY employee_id, id",
        client_id,
        first,
        last,
    )
    return rows


async def load_open_periods(tx: Transaction, client_id: int, last: date) -> list[asyncpg.Record]:
    """Load the periods with drafts that start on a day or earlier, with the open run that has the drafts."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT wave_id, date AS period_end, payment_run_id, count(*) AS payslips FROM payslips "
        "WHERE client_id = $1 AND NOT finalised AND NOT withdrawn AND start_date <= $2 "
        "GROUP BY wave_id, date, payment_run_id ORDER BY wave_id, date, payment_run_id",
        client_id,
        last,
    )
    return rows


async def load_cpf_months(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], first: date, last: date
) -> list[asyncpg.Record]:
    """Load the wages of each month with CPF contributions, from finalised payslips, by employee and month.

    The first and the last day are those of months. Wages of a month on later payslips are included.
    """
    return await _load_months(
        tx,
        client_id,
        employee_ids,
        first,
        last,
        "sum(ordinary)::bigint AS ordinary, sum(additional)::bigint AS additional, "
        "array_agg(DISTINCT wave_id) AS wave_ids",
        "HAVING sum(cpf_employee + cpf_employer) > 0",
    )


async def load_employer_cpf(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], first: date, last: date
) -> list[asyncpg.Record]:
    """Load the employer's CPF of each month with a finalised payslip, by employee and month.

    The first and the last day are those of months. CPF of a month on later payslips is included.
    """
    return await _load_months(
        tx, client_id, employee_ids, first, last, "sum(cpf_employer)::bigint AS cpf_employer_cents", ""
    )


async def _load_months(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], first: date, last: date, columns: str, having: str
) -> list[asyncpg.Record]:
    """Load sums over the finalised payslips of each month, whichever payslips they are on, by employee and month."""
    figures = ("ordinary", "additional", "cpf_employee", "cpf_employer")
    since = "WHERE p.client_id = $1 AND p.employee_id = ANY ($2::bigint[]) AND p.finalised AND p.date >= $3"
    payslips = f"{since} AND p.date <= $4::date + 31"
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT employee_id, date_trunc('month', date)::date AS month, {columns} "
        f"FROM ({_by_month('p.employee_id, p.wave_id', figures, payslips, since)}) p WHERE date BETWEEN $3 AND $4 "
        f"GROUP BY 1, 2 {having} ORDER BY 1, 2",
        client_id,
        employee_ids,
        first,
        last,
    )
    return rows


async def load_run_contributions(
    tx: Transaction, client_ids: Sequence[int], run_ids: Sequence[int]
) -> list[asyncpg.Record]:
    """Load the contributions on the payslips of finalised runs of these clients, by run and month."""
    of_runs = "WHERE p.client_id = ANY ($1::bigint[]) AND p.payment_run_id = ANY ($2::bigint[]) AND p.finalised"
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT payment_run_id, date_trunc('month', date)::date AS month, "
        "sum(cpf_employee)::bigint AS cpf_employee, sum(cpf_employer)::bigint AS cpf_employer, "
        "sum(mbmf + sinda + cdac + ecf)::bigint AS funds, sum(levy)::bigint AS levy, sum(sdl)::bigint AS sdl "
        f"FROM ({_by_month('p.payment_run_id', CONTRIBUTIONS, of_runs, of_runs)}) p GROUP BY 1, 2",
        client_ids,
        run_ids,
    )
    return rows


def _by_month(columns: str, figures: Sequence[str], payslips: str, corrections: str) -> str:
    """Return a query for the figures of payslips, with a date in the month that each part of them belongs to.

    `payslips` and `corrections` are the conditions for payslips, and for those whose parts correct earlier months.
    """
    return (
        f"SELECT p.date, {columns}, {', '.join(figures)} FROM payslips p {payslips} UNION ALL "
        f"SELECT {PREVIOUS_MONTH_DATE}, {columns}, {previous_month_columns(figures)} FROM payslips p "
        f"{PREVIOUS_MONTH_PART} {payslips} AND p.previous_month IS NOT NULL UNION ALL "
        f"SELECT {PAST_MONTHS_DATE}, {columns}, {past_month_columns(figures)} FROM payslips p "
        f"{PAST_MONTHS_PART} {corrections} AND p.past_months IS NOT NULL"
    )


async def load_draft_nett_pays(tx: Transaction, client_id: int, payment_run_id: int) -> list[asyncpg.Record]:
    """Load what the drafts of a run would pay."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT id AS payslip_id, employee_id, nett_pay AS cents, date AS period_end, pay_date, now() AS finalised_at "
        "FROM payslips WHERE client_id = $1 AND payment_run_id = $2 AND NOT finalised AND NOT withdrawn "
        "AND nett_pay > 0 ORDER BY employee_id, id",
        client_id,
        payment_run_id,
    )
    return rows


async def load_nett_pays(tx: Transaction, client_id: int, payment_run_id: int) -> list[asyncpg.Record]:
    """Load the payments of the finalised payslips of a run."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT id AS payslip_id, employee_id, nett_pay AS cents, date AS period_end, pay_date, finalised_at "
        "FROM payslips WHERE client_id = $1 AND payment_run_id = $2 AND finalised ORDER BY employee_id, id",
        client_id,
        payment_run_id,
    )
    return rows
