"""Leaving an account: a person with roles in several accounts gives up those in one of them."""

from gaji.core.errors import Conflict
from gaji.db.tenancy import Tenant
from gaji.identity import repository

ONLY_ACCOUNT = "This is your only account. An owner of your companies can remove your access"
BY_SINGLE_SIGN_ON = "You cannot leave an account in a session that began with single sign-on. Ask an owner"
ONLY_ADMINISTRATOR = "You are the only administrator of this account, so you cannot leave it"
MAX_NAMES = 5
"""Companies that are named if someone is their only owner."""


async def leave_account(tenant: Tenant) -> None:
    """Remove all roles of the caller in the account, and revoke the caller's API keys.

    Raises Conflict for an only owner or administrator, and for someone who has no other account.
    """
    async with tenant.transaction() as tx:
        row = await repository.leave_account(tx)
        outcome, companies = row["outcome"], row["companies"]
        if outcome == "only_account":
            raise Conflict(ONLY_ACCOUNT)
        if outcome == "only_administrator":
            raise Conflict(ONLY_ADMINISTRATOR)
        if outcome == "only_owner":
            raise Conflict(f"You are the only owner of {join_names(companies)}. Make someone else an owner first")


def join_names(names: list[str]) -> str:
    """Return names in a sentence, not too many."""
    if len(names) > MAX_NAMES:
        names = [*names[:MAX_NAMES], f"{len(names) - MAX_NAMES} more companies"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
