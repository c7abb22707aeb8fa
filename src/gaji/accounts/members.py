"""The people of a client: who they are and what each may do."""

from dataclasses import dataclass

from gaji.accounts import members_store as store
from gaji.db.tenancy import Tenant
from gaji.elements import Page


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
