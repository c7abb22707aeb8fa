"""SQL for retro proposals."""

from collections.abc import Sequence

import asyncpg
import msgspec

from gaji.core.threads import run_in_thread_if_many
from gaji.db.tenancy import Transaction
from gaji.engine.payslip_input import PastDifference

COLUMNS = """r.id, r.employee_id, r.treatment, r.includes_pay, r.status, r.payslip_id, r.differences, r.created_at,
    r.updated_at, coalesce(p.finalised, false) AS paid, p.corrects IS NOT NULL AS is_correction"""
SOURCE = "retro_proposals r LEFT JOIN payslips p ON p.client_id = r.client_id AND p.id = r.payslip_id"


async def list_of_employees(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> list[asyncpg.Record]:
    """Load the proposals of employees."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT {COLUMNS} FROM {SOURCE} WHERE r.client_id = $1 AND r.employee_id = ANY ($2::bigint[]) ORDER BY r.id",
        client_id,
        employee_ids,
    )
    return rows


async def find(tx: Transaction, client_id: int, employee_id: int, proposal_id: int) -> asyncpg.Record | None:
    """Load a proposal of an employee."""
    return await tx.fetchrow(
        f"SELECT {COLUMNS} FROM {SOURCE} WHERE r.client_id = $1 AND r.employee_id = $2 AND r.id = $3",
        client_id,
        employee_id,
        proposal_id,
    )


async def insert(
    tx: Transaction,
    client_id: int,
    employee_id: int,
    treatment: str,
    includes_pay: bool,
    differences: Sequence[PastDifference],
) -> int:
    """Save a proposal and return its id."""
    proposal_id: int = await tx.fetchval(
        "INSERT INTO retro_proposals (client_id, employee_id, treatment, includes_pay, differences) "
        "VALUES ($1, $2, $3, $4, $5) RETURNING id",
        client_id,
        employee_id,
        treatment,
        includes_pay,
        msgspec.json.encode(differences).decode(),
    )
    return proposal_id


async def insert_accepted(
    tx: Transaction, client_id: int, proposals: Sequence[tuple[int, int, Sequence[PastDifference]]]
) -> None:
    """Save accepted proposals of missed pay: the employee, the payslip that pays it, and the differences of each."""

    def encode() -> list[str]:
        return [msgspec.json.encode(differences).decode() for _, _, differences in proposals]

    await tx.execute(
        "INSERT INTO retro_proposals "
        "(client_id, employee_id, treatment, includes_pay, status, payslip_id, differences) "
        "SELECT $1, n.employee_id, 'missed', true, 'accepted', n.payslip_id, n.differences::json "
        "FROM unnest($2::bigint[], $3::bigint[], $4::text[]) AS n(employee_id, payslip_id, differences)",
        client_id,
        [employee_id for employee_id, _, _ in proposals],
        [payslip_id for _, payslip_id, _ in proposals],
        await run_in_thread_if_many(len(proposals), encode),
    )


async def set_status(tx: Transaction, client_id: int, proposal_id: int, status: str, payslip_id: int | None) -> None:
    """Save the status of a proposal, and the payslip that pays it."""
    await tx.execute(
        "UPDATE retro_proposals SET status = $3, payslip_id = $4, updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        proposal_id,
        status,
        payslip_id,
    )


async def set_differences(
    tx: Transaction, client_id: int, proposal_id: int, differences: Sequence[PastDifference]
) -> None:
    """Replace the differences of a proposal."""
    await tx.execute(
        "UPDATE retro_proposals SET differences = $3::json WHERE client_id = $1 AND id = $2",
        client_id,
        proposal_id,
        msgspec.json.encode(differences).decode(),
    )


async def delete(tx: Transaction, client_id: int, proposal_id: int) -> None:
    """Delete a proposal."""
    await tx.execute("DELETE FROM retro_proposals WHERE client_id = $1 AND id = $2", client_id, proposal_id)


async def delete_paid_by_run(tx: Transaction, client_id: int, payment_run_id: int) -> None:
    """Delete the proposals that payslips of a run pay."""
    await tx.execute(
        "DELETE FROM retro_proposals WHERE client_id = $1 AND payslip_id IN "
        "(SELECT id FROM payslips WHERE client_id = $1 AND payment_run_id = $2)",
        client_id,
        payment_run_id,
    )


async def delete_of_run(tx: Transaction, client_id: int, payment_run_id: int) -> None:
    """Delete the proposals about payslips of a run."""
    await tx.execute(
        "WITH payslip AS (SELECT id, employee_id FROM payslips WHERE client_id = $1 AND payment_run_id = $2) "
        "DELETE FROM retro_proposals r WHERE client_id = $1 AND employee_id IN (SELECT employee_id FROM payslip) "
        "AND EXISTS (SELECT FROM json_array_elements(r.differences) d "
        "JOIN payslip ON payslip.id = (d ->> 'payslip_id')::bigint)",
        client_id,
        payment_run_id,
    )
