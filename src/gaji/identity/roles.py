"""Roles of users for a client, and what they allow.

Owners and payroll officers can change a client. Viewers can read it. Employees see only their own records.
"""

from gaji.core.errors import Forbidden, NotFound
from gaji.db.tenancy import Transaction
from gaji.identity import repository

OWNER = "owner"
PAYROLL = "payroll"
VIEWER = "viewer"
EMPLOYEE = "employee"
NO_ROLE = "none"
WRITERS = (OWNER, PAYROLL)
"""The roles that can change a client."""
ROLES = (OWNER, PAYROLL, VIEWER, EMPLOYEE, NO_ROLE)
"""The roles that an operator can assign."""


async def require_writer(tx: Transaction, client_id: int) -> None:
    """Raise Forbidden if the caller may not change this client, or NotFound if the caller may not see it."""
    role = await find_role(tx, client_id)
    if role not in WRITERS:
        raise Forbidden(f"The role {role} can read client {client_id} but cannot change it")


async def require_owner(tx: Transaction, client_id: int) -> None:
    """Raise Forbidden unless the caller is an owner of this client, or NotFound if the caller may not see it."""
    if await find_role(tx, client_id) != OWNER:
        raise Forbidden(f"Only owners of client {client_id} can do this")


async def can_write(tx: Transaction, client_id: int) -> bool:
    """Return whether the caller may change this client. Raises NotFound if the caller may not see it."""
    return not tx.caller.read_only and await find_role(tx, client_id) in WRITERS


async def require_member(tx: Transaction, client_id: int) -> None:
    """Raise NotFound if the caller may not see this client. Employees see only their own records."""
    if client_id not in tx.caller.roles:
        await find_role(tx, client_id)


async def find_role(tx: Transaction, client_id: int) -> str:
    """Return the caller's role for a client. Raises NotFound if there is none."""
    roles = tx.caller.roles
    if client_id not in roles:
        role = await repository.find_role(tx, client_id)
        if role is None:
            raise NotFound(f"Client {client_id} does not exist")
        roles[client_id] = role
    return roles[client_id]


def require_administrator(tx: Transaction) -> None:
    """Raise Forbidden if the caller may not create clients."""
    if not tx.caller.administrator:
        raise Forbidden("Only an administrator of the account can create clients")
    if tx.caller.limited:
        raise Forbidden("This API key is limited to some clients and cannot create others")


def require_account_administrator(tx: Transaction) -> None:
    """Raise Forbidden if the caller may not change what concerns all clients of the account."""
    if not tx.caller.administers_account:
        raise Forbidden("This concerns all clients of the account, so it needs an administrator with an unlimited key")
