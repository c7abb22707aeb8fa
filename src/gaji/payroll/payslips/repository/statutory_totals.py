"""SQL for the totals of finalised payslips."""

from datetime import date

import asyncpg

from gaji.db.tenancy import Transaction

SUMS = ", ".join(
    f"sum({column})::bigint AS {name}"
    for name, column in {
        "ordinary": "ordinary",
        "additional": "additional",
        "cpf": "cpf_employee + cpf_employer",
        **{name: name for name in ("mbmf", "sinda", "cdac", "ecf", "levy", "sdl")},
    }.items()
)


async def load_month_totals(tx: Transaction, client_id: int, first: date, last: date) -> list[asyncpg.Record]:
    """Load the sums of finalised payslips dated from one day to another, by employee."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT employee_id, {SUMS}, max(finalised_at) AS finalised_at, "
        "coalesce(array_agg(DISTINCT rules_version) FILTER (WHERE rules_version IS NOT NULL), '{}') AS rules_versions "
        "FROM payslips WHERE client_id = $1 AND finalised AND date BETWEEN $2 AND $3 "
        "GROUP BY employee_id ORDER BY employee_id",
        client_id,
        first,
        last,
    )
    return rows


async def load_nett_pays(tx: Transaction, client_id: int, payment_run_id: int) -> list[asyncpg.Record]:
    """Load the payments of the finalised payslips of a run."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT p.id AS payslip_id, p.employee_id, p.nett_pay AS cents, p.pay_date, p.finalised_at, "
        "r.created_at AS released_at "
        "FROM payslips p LEFT JOIN payment_releases r ON r.client_id = p.client_id AND r.payslip_id = p.id "
        "WHERE p.client_id = $1 AND p.payment_run_id = $2 AND p.finalised ORDER BY p.employee_id, p.id",
        client_id,
        payment_run_id,
    )
    return rows


async def delete_releases(tx: Transaction, client_id: int, payment_run_id: int) -> None:
    """Delete the payment releases of a run."""
    await tx.execute(
        "DELETE FROM payment_releases r USING payslips p WHERE r.client_id = $1 AND p.client_id = $1 "
        "AND p.id = r.payslip_id AND p.payment_run_id = $2",
        client_id,
        payment_run_id,
    )


async def release_payment(tx: Transaction, client_id: int, payslip_id: int) -> None:
    """Record that a payment was released. Recording it twice has no effect."""
    await tx.execute(
        "INSERT INTO payment_releases (client_id, payslip_id) VALUES ($1, $2) ON CONFLICT DO NOTHING",
        client_id,
        payslip_id,
    )
