"""Use cases of reissued payments: make payments again that the bank returned, and list them."""

from collections.abc import Mapping
from typing import Any

from gaji.core.errors import Conflict
from gaji.core.validation import ValidatedInput
from gaji.db.tenancy import Tenant, Transaction
from gaji.payroll.payment_reissues import queries, repository
from gaji.payroll.payment_reissues.queries import PaymentReissue
from gaji.payroll.payment_reissues.schemas import REISSUE, ReissueInput, payable_rule
from gaji.payroll.payment_runs.models import load_run, lock_run


async def list_reissues(tenant: Tenant, run_id: int) -> list[PaymentReissue]:
    """List the reissues of a run, in order."""
    async with tenant.read_only() as tx:
        run = await load_run(tx, run_id)
        return await queries.load_reissues(tx, run.client_id, run_id)


async def reissue_payments(
    tenant: Tenant, run_id: int, body: Mapping[str, Any]
) -> tuple[int, ValidatedInput[ReissueInput]]:
    """Reissue payments of a run that is marked as paid. Return the ID of the reissue, which has a file of its own."""
    async with tenant.transaction() as tx:
        run = await lock_run(tx, run_id, lock_drafts=False)
        if not run.paid:
            raise Conflict(f"Payment run {run_id} is not marked as paid, so its payments cannot be reissued")
        rows = await repository.load_payable_payslips(tx, run.client_id, run_id)
        withheld = {row["id"]: row["withheld"] for row in rows}
        validated = REISSUE.parse_create(body, payable_rule(withheld))
        reissue_id = await repository.insert_reissue(tx, run.client_id, run_id, validated.data.payslip_ids)
    return reissue_id, validated


async def delete_reissues(tx: Transaction, client_id: int, payment_run_id: int) -> None:
    """Delete the reissues of a run that was not paid after all."""
    await repository.delete_reissues(tx, client_id, payment_run_id)
