"""External IDs and metadata of payment runs."""

from collections.abc import Mapping
from typing import Any

from gaji.core.external_references import external_id_rule
from gaji.core.validation import Rule
from gaji.db.external_references import is_external_id_taken
from gaji.db.tenancy import Transaction
from gaji.payroll.payment_runs import repository
from gaji.payroll.payment_runs.schemas import CorrectionRunInput, PaymentRunInput


async def load_external_id_rule(
    tx: Transaction, client_id: int, attributes: Mapping[str, Any], run_id: int = 0
) -> Rule:
    """Return the check that no other run of the client has the external ID of a body."""
    scope = {"client_id": client_id}
    is_taken = await is_external_id_taken(tx, "payment_runs", scope, attributes.get("external_id"), run_id)
    return external_id_rule(is_taken)


async def save_references(
    tx: Transaction, client_id: int, run_id: int, run: PaymentRunInput | CorrectionRunInput
) -> None:
    """Save the external ID and the metadata of a new run, if it has any."""
    if run.external_id is not None or run.metadata:
        await repository.set_references(tx, client_id, run_id, run.external_id, run.metadata)
