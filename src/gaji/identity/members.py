"""The people of a client: who they are, what each may do, and who changes that."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gaji.core.errors import INVALID, Conflict, Errors, Forbidden, NotFound
from gaji.core.validation import MAX_ID, Record, Rule, parse_integer
from gaji.db.json_lists import Page
from gaji.db.tenancy import Tenant, Transaction
from gaji.identity import member_repository as store
from gaji.identity.schemas import OWNER, ROLE

LAST_OWNER = "{email} is the only owner of this company; make someone else an owner first"
ADMINISTRATOR = "{email} administrates the account, and so owns every company of it"


@dataclass(frozen=True)
class Member:
    """Someone with a role for a client."""

    user_id: int
    email: str
    name: str
    role: str
    employee_id: int | None
    """Which employee they are, for the role employee."""
    administrator: bool
    disabled: bool


async def list_members(
    tenant: Tenant, client_id: int, page: Page, *, role: str = "", text: str = ""
) -> tuple[list[Member], int]:
    """A page of the people of a client that the caller may see, and how many there are."""
    async with tenant.reading() as tx:
        rows, total = await store.members(tx, client_id, role, text, page)
    return [Member(*row) for row in rows], total


async def find_member(tenant: Tenant, client_id: int, user_id: int) -> Member:
    """One of the people of a client; raises NotFound for anyone else."""
    async with tenant.reading() as tx:
        return await _member(tx, client_id, user_id)


async def change_role(tenant: Tenant, client_id: int, user_id: int, body: Mapping[str, Any]) -> None:
    """Give someone another role for a client; it holds from their next request on."""
    async with tenant.transaction() as tx:
        await begin_giving(tx, client_id)
        member = await _member(tx, client_id, user_id)
        record = ROLE.parse_create(body, await possible_employee(tx, client_id, body)).record
        if record["role"] != OWNER:
            await _check_parting(tx, client_id, member)
        await store.set_role(tx, client_id, user_id, record["role"], record["employee_id"])


async def remove_member(tenant: Tenant, client_id: int, user_id: int) -> None:
    """Take someone's role for a client away; they see nothing of it from their next request on."""
    async with tenant.transaction() as tx:
        await begin_giving(tx, client_id)
        await _check_parting(tx, client_id, await _member(tx, client_id, user_id))
        await store.set_role(tx, client_id, user_id, None, None)


async def begin_giving(tx: Transaction, client_id: int) -> None:
    """Refuse whoever does not own a client; until the transaction ends, nobody else gives or takes its roles.

    The role is asked for when the client is held: of two owners who take each other's role one is too late.
    """
    await store.hold_client(tx, client_id)
    role = await store.role_now(tx, client_id)
    if role is None:
        raise NotFound(f"There is no client {client_id}")
    if role != OWNER:
        raise Forbidden(f"Only an owner of client {client_id} can give roles, and yours is {role}")


async def possible_employee(tx: Transaction, client_id: int, body: Mapping[str, Any]) -> Rule:
    """That the employee someone is said to be is one of the client's."""
    given = parse_integer(body.get("employee_id")) or 0
    is_one = 0 < given <= MAX_ID and await store.has_employee(tx, client_id, given)

    def check(record: Record, errors: Errors) -> None:
        if record["employee_id"] is not None and not is_one:
            errors.add("employee_id", INVALID, reason=f"client {client_id} has no employee {record['employee_id']}")

    return check


async def _check_parting(tx: Transaction, client_id: int, member: Member) -> None:
    """Refuse that a client is left without an owner, or that an administrator is less than one."""
    if member.role != OWNER:
        return
    if member.administrator:
        raise Conflict(ADMINISTRATOR.format(email=member.email))
    if not await store.has_other_owner(tx, client_id, member.user_id):
        raise Conflict(LAST_OWNER.format(email=member.email))


async def _member(tx: Transaction, client_id: int, user_id: int) -> Member:
    row = await store.member(tx, client_id, user_id)
    if row is None:
        raise NotFound(f"User {user_id} has no role for client {client_id}")
    return Member(*row)
