"""Members of a client: use cases of owners who manage roles."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gaji.core.error_codes import UNKNOWN_ID
from gaji.core.errors import Conflict, Errors, Forbidden, NotFound
from gaji.core.field_types import MAX_ID, parse_integer
from gaji.core.validation import Record, Rule
from gaji.db.json_lists import ListPage
from gaji.db.tenancy import Tenant, Transaction
from gaji.identity import member_repository as repository
from gaji.identity.roles import OWNER
from gaji.identity.schemas import ROLE

LAST_OWNER = "{email} is the only owner of this company; make someone else an owner first"
ORDERS = repository.ORDERS
"""What members can be ordered by."""
ADMINISTRATOR = "{email} is an administrator of the account, and therefore owns all its companies"


@dataclass(frozen=True)
class ClientMember:
    """A user with a role for a client."""

    user_id: int
    email: str
    name: str
    role: str
    employee_id: int | None
    """The user's employee record, for the role `employee`."""
    administrator: bool
    disabled: bool


async def list_members(
    tenant: Tenant,
    client_id: int,
    page: ListPage,
    *,
    role: str = "",
    text: str = "",
    order: str = "",
    descending: bool = False,
) -> tuple[list[ClientMember], int]:
    """Return a page of the members that the caller may see, and their total number.

    They are ordered by email, or by one of `ORDERS`.
    """
    async with tenant.read_only() as tx:
        rows, total = await repository.list_members(tx, client_id, role, text, page, order, descending=descending)
    return [ClientMember(**row) for row in rows], total


async def find_member(tenant: Tenant, client_id: int, user_id: int) -> ClientMember:
    """Return a member of a client. Raises NotFound."""
    async with tenant.read_only() as tx:
        return await require_member(tx, client_id, user_id)


async def change_role(tenant: Tenant, client_id: int, user_id: int, body: Mapping[str, Any]) -> None:
    """Change a member's role. It applies from their next request."""
    async with tenant.transaction() as tx:
        await lock_roles(tx, client_id)
        member = await require_member(tx, client_id, user_id)
        change = ROLE.parse_create(body, await employee_exists_rule(tx, client_id, body)).data
        if change.role != OWNER:
            await _require_not_last_owner(tx, client_id, member)
        await repository.set_role(tx, client_id, user_id, change.role, change.employee_id)


async def remove_member(tenant: Tenant, client_id: int, user_id: int) -> None:
    """Remove a member's role. They lose access from their next request."""
    async with tenant.transaction() as tx:
        await lock_roles(tx, client_id)
        await _require_not_last_owner(tx, client_id, await require_member(tx, client_id, user_id))
        await repository.set_role(tx, client_id, user_id, None, None)


async def lock_roles(tx: Transaction, client_id: int, action: str = "change roles") -> None:
    """Lock the roles of a client for the rest of the transaction. Raises an error if the caller is not an owner.

    The caller's role is read after the lock is taken: if two owners remove each other's role, the second one fails.
    """
    await repository.lock_client(tx, client_id)
    role = await repository.find_current_role(tx, client_id)
    if role is None:
        raise NotFound(f"Client {client_id} does not exist")
    if role != OWNER:
        raise Forbidden(f"Only an owner of client {client_id} can {action}; your role is {role}")


async def employee_exists_rule(tx: Transaction, client_id: int, body: Mapping[str, Any]) -> Rule:
    """Return the rule that the employee belongs to the client."""
    employee_id = parse_integer(body.get("employee_id")) or 0
    exists = 0 < employee_id <= MAX_ID and await repository.has_employee(tx, client_id, employee_id)

    def check(record: Record, errors: Errors) -> None:
        if record["employee_id"] is not None and not exists:
            errors.add("employee_id", UNKNOWN_ID, resource="employee", id=record["employee_id"])

    return check


async def _require_not_last_owner(tx: Transaction, client_id: int, member: ClientMember) -> None:
    """Raise Conflict if the member is the last owner, or an administrator, who always owns all clients."""
    if member.role != OWNER:
        return
    if member.administrator:
        raise Conflict(ADMINISTRATOR.format(email=member.email))
    if not await repository.has_other_owner(tx, client_id, member.user_id):
        raise Conflict(LAST_OWNER.format(email=member.email))


async def require_member(tx: Transaction, client_id: int, user_id: int) -> ClientMember:
    """Return a member of a client. Raises NotFound."""
    row = await repository.find_member(tx, client_id, user_id)
    if row is None:
        raise NotFound(f"User {user_id} has no role for client {client_id}")
    return ClientMember(**row)
