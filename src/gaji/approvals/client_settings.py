"""Whether a client requires the approval of a second person."""

from collections.abc import Mapping
from typing import Any

from gaji.approvals import repository
from gaji.approvals.models import Approval, ApprovalKind, ApprovalRequest, ApprovalSubject, OutdatedRequest
from gaji.approvals.schemas import SETTINGS
from gaji.approvals.service import cancel_pending, has_approver, request_approval
from gaji.core.errors import Conflict, NotFound
from gaji.db.tenancy import Tenant, Transaction
from gaji.identity.members import lock_roles

TURN_OFF = ApprovalRequest(ApprovalSubject(ApprovalKind.APPROVAL_SETTINGS), {"required": False}, "required")
NO_SECOND_PERSON = "Approval needs a second person: give another user the role owner or payroll first"


async def read_settings(tenant: Tenant, client_id: int) -> dict[str, Any]:
    """Return the settings of a client."""
    async with tenant.read_only() as tx:
        if not await repository.is_visible(tx, client_id):
            raise NotFound(f"Client {client_id} does not exist")
        return {"required": await repository.is_required(tx, client_id)}


async def change_settings(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> Approval | None:
    """Change the settings of a client as its owner.

    Turning approval off needs approval itself, which is returned, as long as there is a second person.
    """
    async with tenant.transaction() as tx:
        await lock_roles(tx, client_id, "change its approval settings")
        required = SETTINGS.parse_create(body).data.required
        if required == await repository.is_required(tx, client_id):
            return None
        if not await has_approver(tx, client_id):
            if required:
                raise Conflict(NO_SECOND_PERSON)
        elif not required:
            return await request_approval(tx, client_id, TURN_OFF)
        await _set_required(tx, client_id, required)
    return None


async def turn_off(tx: Transaction, approval: Approval) -> None:
    """Turn approval off, as it was approved. Pending requests are cancelled."""
    if not await repository.lock_required(tx, approval.client_id):
        raise OutdatedRequest("approval is turned off already")
    await _set_required(tx, approval.client_id, False, except_id=approval.id)


async def _set_required(tx: Transaction, client_id: int, required: bool, except_id: int = 0) -> None:
    await repository.set_required(tx, client_id, required)
    if not required:
        await cancel_pending(tx, client_id, except_id)
