"""The SQL of what finalised payslips come to, for files."""

from datetime import date

import asyncpg

from gaji.db.tenancy import Transaction

SUMS = ", ".join(
    f"sum({amount})::bigint"
    for amount in (
        *("ordinary", "additional", "cpf_employee + cpf_employer"),
        *("mbmf", "sinda", "cdac", "ecf", "levy", "sdl"),
    )
)


async def month_figures(tx: Transaction, client_id: int, first: date, last: date) -> list[asyncpg.Record]:
    """By employee, the sums of the finalised payslips of some days, the last time of one, and their rules versions."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT employee_id, {SUMS}, max(finalised_at), "
        "coalesce(array_agg(DISTINCT rules_version) FILTER (WHERE rules_version IS NOT NULL), '{}') "
        "FROM payslips WHERE client_id = $1 AND finalised AND date BETWEEN $2 AND $3 "
        "GROUP BY employee_id ORDER BY employee_id",
        client_id,
        first,
        last,
    )
    return rows


async def nett_pays(tx: Transaction, client_id: int, payment_run_id: int) -> list[asyncpg.Record]:
    """Payslip, employee, cents, pay date, when finalised and when released, of the finalised payslips of a run."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT p.id, p.employee_id, p.nett_pay, p.pay_date, p.finalised_at, r.created_at "
        "FROM payslips p LEFT JOIN payment_releases r ON r.client_id = p.client_id AND r.payslip_id = p.id "
        "WHERE p.client_id = $1 AND p.payment_run_id = $2 AND p.finalised ORDER BY p.employee_id, p.id",
        client_id,
        payment_run_id,
    )
    return rows


async def forget_releases(tx: Transaction, client_id: int, payment_run_id: int) -> None:
    """Take back what lets payslips of a run be paid."""
    await tx.execute(
        "DELETE FROM payment_releases r USING payslips p WHERE r.client_id = $1 AND p.client_id = $1 "
        "AND p.id = r.payslip_id AND p.payment_run_id = $2",
        client_id,
        payment_run_id,
    )


async def release_payment(tx: Transaction, client_id: int, payslip_id: int) -> None:
    """Note that a payslip may be paid; once is enough."""
    await tx.execute(
        "INSERT INTO payment_releases (client_id, payslip_id) VALUES ($1, $2) ON CONFLICT DO NOTHING",
        client_id,
        payslip_id,
    )
