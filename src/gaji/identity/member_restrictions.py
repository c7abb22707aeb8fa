"""Restrict users: disable and enable them, end their sessions, revoke their API keys.

All of it concerns only the account of the company. What a user has in other accounts stays as it is.
"""

from enum import StrEnum

from gaji.core.errors import Conflict, Forbidden
from gaji.db.tenancy import Tenant
from gaji.identity import member_repository as repository
from gaji.identity import members


class Restriction(StrEnum):
    """What is done with a user."""

    DISABLE = "disable"
    ENABLE = "enable"
    SIGN_OUT = "sign-out"
    REVOKE_KEYS = "revoke-keys"


async def restrict_member(tenant: Tenant, client_id: int, user_id: int, restriction: Restriction) -> None:
    """Restrict a member of a client.

    Raises Forbidden if the member has a role for a company that the caller does not own, or is an administrator and the
    caller is not. The caller owns all companies of the member, so none of them loses its only owner.
    """
    async with tenant.transaction() as tx:
        await repository.lock_clients_of_user(tx, user_id)
        await members.lock_roles(tx, client_id, "restrict users")
        member = await members.require_member(tx, client_id, user_id)
        if user_id == tx.caller.user_id:
            raise Conflict(
                "You cannot restrict your own access. End your sessions under Devices, and revoke keys under API keys"
            )
        if not await repository.restrict_user(tx, user_id, restriction):
            raise Forbidden(
                f"Only someone who owns all companies of {member.email} can do this; for an administrator, "
                "only another administrator"
            )
