"""The SQL of what the payslips of a run show."""

import asyncpg

from gaji.db.tenancy import Transaction


async def of_run(tx: Transaction, client_id: int, payment_run_id: int) -> list[asyncpg.Record]:
    """Employee, whether waiting for calculation, rules version and lines as JSON, of each payslip of a run."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT employee_id, dirty, rules_version, lines FROM payslips "
        "WHERE client_id = $1 AND payment_run_id = $2 AND NOT withdrawn ORDER BY id",
        client_id,
        payment_run_id,
    )
    return rows


async def ids_of_run(tx: Transaction, client_id: int, payment_run_id: int) -> list[int]:
    """The ids of the payslips of a run, in their order."""
    rows = await tx.fetch(
        "SELECT id FROM payslips WHERE client_id = $1 AND payment_run_id = $2 AND NOT withdrawn ORDER BY id",
        client_id,
        payment_run_id,
    )
    return [row[0] for row in rows]
