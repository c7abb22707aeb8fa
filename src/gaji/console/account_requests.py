"""Changes of how employees are paid that await approval."""

from collections.abc import Mapping, Sequence

from gaji.approvals.models import Approval, ApprovalKind, ApprovalStatus
from gaji.approvals.service import find_approvals
from gaji.core.errors import FieldError
from gaji.db.tenancy import Tenant, Transaction
from gaji.people.employees.account_changes import HELD_BACK

KINDS = (ApprovalKind.EMPLOYEE_BANK_ACCOUNT, ApprovalKind.EMPLOYEE_DETAILS)


async def load_requests_of_errors(
    tenant: Tenant, client_id: int, errors: Mapping[str, FieldError]
) -> dict[int, Approval]:
    """Load the pending requests about employees whom the file for the bank cannot pay, by employee.

    The paths of `errors` end with the IDs of the employees.
    """
    if not errors:
        return {}
    async with tenant.read_only() as tx:
        return await load_account_requests(tx, client_id, [int(path.rpartition(".")[2]) for path in errors])


async def load_account_requests(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, Approval]:
    """Load the pending requests that change how employees are paid, by employee."""
    if not employee_ids:
        return {}
    filters = {"status": ApprovalStatus.PENDING, "employee_ids": employee_ids}
    approvals, _ = await find_approvals(tx, client_id, filters)
    return {approval.subject.employee_id or 0: approval for approval in approvals if changes_account(approval)}


def changes_account(approval: Approval) -> bool:
    """Return whether a request changes how an employee is paid."""
    if approval.kind not in KINDS:
        return False
    before, after = approval.details["before"], approval.details["after"]
    return any(before[name] != after[name] for name in HELD_BACK)
