"""Changes of the account that a client pays wages from, which can need the approval of a second person."""

from typing import Any

import msgspec
from msgspec.structs import replace

from gaji.approvals.models import Approval, ApprovalKind, ApprovalRequest, ApprovalSubject, OutdatedRequest
from gaji.approvals.service import fingerprint, is_required, request_approval
from gaji.company.clients import repository
from gaji.company.clients.schemas import ClientInput, PayerBankAccount
from gaji.core.errors import NotFound
from gaji.core.validation import ValidatedInput
from gaji.db.tenancy import Transaction
from gaji.identity.roles import require_writer

ACCOUNT = "bank_account"
PENDING_WARNING = "is not changed yet: another person has to approve it (approval {id})"
CHANGED_SINCE = "the bank account of the company has changed since it was requested"


async def hold_account_change(
    tx: Transaction, client_id: int, current: ClientInput, validated: ValidatedInput[ClientInput]
) -> Approval | None:
    """Request approval of a new account if the client requires it. What is to be saved then keeps the current one."""
    if validated.data.bank_account == current.bank_account or not await is_required(tx, client_id):
        return None
    before, after = _account(current), _account(validated.data)
    request = ApprovalRequest(
        ApprovalSubject(ApprovalKind.CLIENT_BANK_ACCOUNT),
        {"before": before, "after": after},
        fingerprint(tx, client_id, before),
    )
    approval = await request_approval(tx, client_id, request)
    validated.data = replace(validated.data, bank_account=current.bank_account)
    validated.warnings[ACCOUNT] = PENDING_WARNING.format(id=approval.id)
    return approval


async def change_approved_account(tx: Transaction, approval: Approval) -> None:
    """Change the account of a client as it was approved."""
    client_id = approval.client_id
    await require_writer(tx, client_id)
    current = await repository.lock_client(tx, client_id)
    if current is None:
        raise NotFound(f"Client {client_id} does not exist")
    if fingerprint(tx, client_id, _account(current)) != approval.fingerprint:
        raise OutdatedRequest(CHANGED_SINCE)
    account = msgspec.convert(approval.details["after"][ACCOUNT], PayerBankAccount | None)
    await repository.update(tx, client_id, replace(current, bank_account=account), current)


def _account(client: ClientInput) -> dict[str, Any]:
    return {ACCOUNT: msgspec.to_builtins(client.bank_account)}
