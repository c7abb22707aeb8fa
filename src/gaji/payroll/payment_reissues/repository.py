"""SQL for reissued payments."""

from collections.abc import Sequence

import asyncpg

from gaji.db.tenancy import Transaction


async def load_reissues(tx: Transaction, client_id: int, payment_run_id: int) -> list[asyncpg.Record]:
    """Load the reissues of a run, in order."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT i.id, i.payslip_ids, i.created_at, coalesce(nullif(u.name, ''), u.email) AS created_by "
        "FROM payment_reissues i LEFT JOIN users u ON u.id = i.created_by "
        "WHERE i.client_id = $1 AND i.payment_run_id = $2 ORDER BY i.id",
        client_id,
        payment_run_id,
    )
    return rows


async def insert_reissue(tx: Transaction, client_id: int, payment_run_id: int, payslip_ids: Sequence[int]) -> int:
    """Record a reissue by the caller and return its ID."""
    reissue_id: int = await tx.fetchval(
        "INSERT INTO payment_reissues (client_id, payment_run_id, payslip_ids, created_by) VALUES ($1, $2, $3, $4) "
        "RETURNING id",
        client_id,
        payment_run_id,
        payslip_ids,
        tx.caller.user_id,
    )
    return reissue_id


async def load_payable_payslips(tx: Transaction, client_id: int, payment_run_id: int) -> list[asyncpg.Record]:
    """Load the payslips of a finalised run that pay something, and whether their payment is withheld."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT p.id, s.withheld FROM payslips p JOIN payslip_snapshots s ON s.client_id = p.client_id "
        "AND s.payslip_id = p.id WHERE p.client_id = $1 AND p.payment_run_id = $2 AND p.nett_pay > 0",
        client_id,
        payment_run_id,
    )
    return rows


async def delete_reissues(tx: Transaction, client_id: int, payment_run_id: int) -> None:
    """Delete the reissues of a run."""
    await tx.execute(
        "DELETE FROM payment_reissues WHERE client_id = $1 AND payment_run_id = $2", client_id, payment_run_id
    )
