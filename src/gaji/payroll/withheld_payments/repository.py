"""SQL for withheld payments."""

from collections.abc import Sequence
from datetime import date, datetime

import asyncpg

from gaji.db.tenancy import Transaction

PAYMENT_COLUMNS = """p.id AS payslip_id, p.payment_run_id, p.employee_id, p.start_date, p.date AS end_date, p.pay_date,
    coalesce(m.payment_date, p.pay_date) AS payment_date, p.nett_pay AS nett_cents, p.rules_version,
    m.paid_at IS NOT NULL AS is_marked_paid"""
PAYMENTS = "FROM payslips p JOIN payment_runs m ON m.client_id = p.client_id AND m.id = p.payment_run_id"
"""The payslips of runs. All finalised ones are."""
NOT_PAID_ON = "(m.paid_at IS NULL OR coalesce(m.payment_date, p.pay_date) > {})"
"""A run that is marked as paid on a later day is not paid yet."""
# The snapshot is looked up for each payslip: the database has no statistics for a run that was just finalised, so it
# can choose a join that takes minutes.
WAS_WITHHELD = """p.finalised AND p.nett_pay > 0
    AND (SELECT s.withheld FROM payslip_snapshots s WHERE s.client_id = p.client_id AND s.payslip_id = p.id)"""
"""Whether the payment of a payslip is, or was, withheld."""
WITHHELD_CENTS = f"""SELECT p.id, p.employee_id, p.nett_pay - coalesce((SELECT sum(r.amount) FROM payment_releases r
    WHERE r.client_id = p.client_id AND r.payslip_id = p.id), 0)::bigint AS cents
    FROM payslips p WHERE {WAS_WITHHELD}"""


async def load_releases(tx: Transaction, client_id: int, payslip_ids: Sequence[int]) -> list[asyncpg.Record]:
    """Load the releases of payslips, in the order in which they were made."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT id, payslip_id, amount, recipient, created_at FROM payment_releases "
        "WHERE client_id = $1 AND payslip_id = ANY ($2::bigint[]) ORDER BY id",
        client_id,
        payslip_ids,
    )
    return rows


async def find_payment(tx: Transaction, client_id: int, payslip_id: int) -> asyncpg.Record | None:
    """Load the payment of a finalised payslip, and whether it is, or was, withheld."""
    return await tx.fetchrow(
        f"SELECT {PAYMENT_COLUMNS}, s.withheld {PAYMENTS} JOIN payslip_snapshots s "
        "ON s.client_id = p.client_id AND s.payslip_id = p.id WHERE p.client_id = $1 AND p.id = $2 AND p.finalised",
        client_id,
        payslip_id,
    )


async def load_releases_by_method(
    tx: Transaction, client_ids: Sequence[int], recipient: str, payment_method: str, since: datetime
) -> list[asyncpg.Record]:
    """Load the releases of clients to a recipient since a time, of employees with a payment method, in order."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT r.client_id, p.payment_run_id, r.payslip_id, r.amount AS cents, r.created_at FROM payment_releases r "
        "JOIN payslips p ON p.client_id = r.client_id AND p.id = r.payslip_id "
        "JOIN payslip_snapshots s ON s.client_id = r.client_id AND s.payslip_id = r.payslip_id "
        "WHERE r.client_id = ANY ($1::bigint[]) AND r.recipient = $2 AND s.payment_method = $3 AND s.withheld "
        "AND r.created_at >= $4 ORDER BY r.id",
        client_ids,
        recipient,
        payment_method,
        since,
    )
    return rows


async def load_withheld_payments(tx: Transaction, client_id: int, employee_id: int) -> list[asyncpg.Record]:
    """Load the payments of an employee's finalised payslips that are, or were, withheld, ordered by pay date.

    Whether a payment is withheld is stored when its run is finalised.
    """
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT {PAYMENT_COLUMNS} {PAYMENTS} JOIN payslip_snapshots s "
        "ON s.client_id = p.client_id AND s.payslip_id = p.id "
        "WHERE p.client_id = $1 AND p.employee_id = $2 AND p.finalised AND p.nett_pay > 0 "
        "AND s.withheld ORDER BY p.pay_date, p.id",
        client_id,
        employee_id,
    )
    return rows


async def load_unpaid_payments(
    tx: Transaction, client_id: int, employee_id: int, first: date, since: date, today: date
) -> list[asyncpg.Record]:
    """Load the payments of finalised payslips that are not withheld, of runs that are not marked as paid up to today.

    Only those of periods that end on a day or later, and that were to be paid, or were finalised, since a day.
    """
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT {PAYMENT_COLUMNS} {PAYMENTS} JOIN payslip_snapshots s "
        "ON s.client_id = p.client_id AND s.payslip_id = p.id "
        "WHERE p.client_id = $1 AND p.employee_id = $2 AND p.date >= $3 AND p.finalised AND p.nett_pay > 0 "
        f"AND NOT s.withheld AND {NOT_PAID_ON.format('$5')} "
        "AND greatest(coalesce(m.payment_date, p.pay_date), m.finalised_at::date) >= $4 ORDER BY p.date, p.id",
        client_id,
        employee_id,
        first,
        since,
        today,
    )
    return rows


async def load_leaver_payments(
    tx: Transaction, client_id: int, payment_run_id: int, employee_ids: Sequence[int], since: date, today: date
) -> list[asyncpg.Record]:
    """Load the payments of employees in a run that is not marked as paid up to today, and that are not withheld so far.

    Only those that were to be paid, or were finalised, since a day.
    """
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT p.id AS payslip_id, p.employee_id, p.date AS end_date, p.pay_date, m.payment_date, "
        "p.nett_pay AS nett_cents "
        f"{PAYMENTS} LEFT JOIN payslip_snapshots s ON s.client_id = p.client_id AND s.payslip_id = p.id "
        "WHERE p.client_id = $1 AND p.payment_run_id = $2 AND p.employee_id = ANY ($3::bigint[]) "
        f"AND NOT p.withdrawn AND p.nett_pay > 0 AND s.withheld IS NOT TRUE AND {NOT_PAID_ON.format('$5')} "
        "AND greatest(coalesce(m.payment_date, p.pay_date), m.finalised_at::date) >= $4 ORDER BY p.id",
        client_id,
        payment_run_id,
        employee_ids,
        since,
        today,
    )
    return rows


async def load_withheld_nett_pay(tx: Transaction, client_id: int, payslip_ids: Sequence[int]) -> dict[int, int]:
    """Load the nett pay of payslips whose payment is, or was, withheld. Others are left out."""
    rows = await tx.fetch(
        f"SELECT p.id, p.nett_pay FROM payslips p WHERE {WAS_WITHHELD} "
        "AND p.client_id = $1 AND p.id = ANY ($2::bigint[])",
        client_id,
        payslip_ids,
    )
    return {row["id"]: row["nett_pay"] for row in rows}


async def load_withheld_cents_of_run(tx: Transaction, client_id: int, payment_run_id: int) -> dict[int, int]:
    """Load what is withheld of a run and not released, by payslip. Payslips of which nothing is are left out."""
    rows = await tx.fetch(
        f"SELECT w.id, w.cents FROM ({WITHHELD_CENTS} AND p.client_id = $1 AND p.payment_run_id = $2) w "
        "WHERE w.cents > 0",
        client_id,
        payment_run_id,
    )
    return {row["id"]: row["cents"] for row in rows}


async def load_withheld_cents_of_employees(tx: Transaction, employee_ids: Sequence[int]) -> dict[int, int]:
    """Load what is withheld of employees and not released, by employee. Others are left out."""
    rows = await tx.fetch(
        f"SELECT w.employee_id, sum(w.cents)::bigint AS cents FROM ({WITHHELD_CENTS} AND (p.client_id, p.employee_id) "
        "IN (SELECT client_id, id FROM employees WHERE id = ANY ($1::bigint[]))) w WHERE w.cents > 0 "
        "GROUP BY w.employee_id",
        employee_ids,
    )
    return {row["employee_id"]: row["cents"] for row in rows}


async def load_withheld_states(tx: Transaction, employee_ids: Sequence[int]) -> dict[int, bool]:
    """Load whether something is still to be withheld or released, of leavers with such payments or with a draft."""
    rows = await tx.fetch(
        "SELECT p.employee_id, bool_or(NOT p.finalised OR p.nett_pay > coalesce((SELECT sum(r.amount) "
        "FROM payment_releases r WHERE r.client_id = p.client_id AND r.payslip_id = p.id), 0)) AS is_withheld "
        "FROM payslips p LEFT JOIN payslip_snapshots s ON s.client_id = p.client_id AND s.payslip_id = p.id "
        "WHERE (p.client_id, p.employee_id) IN (SELECT client_id, id FROM employees WHERE id = ANY ($1::bigint[])) "
        "AND CASE WHEN p.finalised THEN p.nett_pay > 0 AND s.withheld ELSE NOT p.withdrawn END GROUP BY p.employee_id",
        employee_ids,
    )
    return {row["employee_id"]: row["is_withheld"] for row in rows}


async def find_last_payment(tx: Transaction, client_id: int, employee_id: int) -> asyncpg.Record | None:
    """Load the last payment of an employee's finalised payslips."""
    return await tx.fetchrow(
        f"SELECT {PAYMENT_COLUMNS} {PAYMENTS} "
        "WHERE p.client_id = $1 AND p.employee_id = $2 AND p.finalised AND p.nett_pay > 0 "
        "ORDER BY p.pay_date DESC, p.id DESC LIMIT 1",
        client_id,
        employee_id,
    )


async def lock_payslip(tx: Transaction, client_id: int, payslip_id: int) -> None:
    """Lock a payslip until the transaction ends, so that two releases cannot exceed what is withheld."""
    await tx.execute("SELECT FROM payslips WHERE client_id = $1 AND id = $2 FOR NO KEY UPDATE", client_id, payslip_id)


async def insert_release(tx: Transaction, client_id: int, payslip_id: int, amount: int, recipient: str) -> None:
    """Record a release."""
    await tx.execute(
        "INSERT INTO payment_releases (client_id, payslip_id, amount, recipient) VALUES ($1, $2, $3, $4)",
        client_id,
        payslip_id,
        amount,
        recipient,
    )


async def insert_withholding(tx: Transaction, client_id: int, payslip_id: int) -> None:
    """Record that the caller withholds a payment."""
    await tx.execute("INSERT INTO payment_withholdings (client_id, payslip_id) VALUES ($1, $2)", client_id, payslip_id)


async def delete_withholdings(tx: Transaction, client_id: int, payment_run_id: int) -> None:
    """Delete the records of payments of a run that users withheld."""
    await tx.execute(
        "DELETE FROM payment_withholdings w USING payslips p WHERE w.client_id = $1 AND p.client_id = $1 "
        "AND p.id = w.payslip_id AND p.payment_run_id = $2",
        client_id,
        payment_run_id,
    )


async def delete_releases(tx: Transaction, client_id: int, payment_run_id: int) -> None:
    """Delete the releases of a run."""
    await tx.execute(
        "DELETE FROM payment_releases r USING payslips p WHERE r.client_id = $1 AND p.client_id = $1 "
        "AND p.id = r.payslip_id AND p.payment_run_id = $2",
        client_id,
        payment_run_id,
    )
