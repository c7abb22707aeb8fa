"""Event use cases."""

from collections.abc import Sequence

from gaji.company.clients.service import require_client
from gaji.core.errors import Gone
from gaji.db.tenancy import Tenant
from gaji.integrations.events import repository


async def list_events(
    tenant: Tenant, client_id: int | None, after: int | None, types: Sequence[str], limit: int
) -> list[str]:
    """List events of the caller's clients, or of one client, as JSON in order.

    Raises Gone if events after `after` have been deleted, so that a reader does not miss them silently.
    """
    async with tenant.read_only() as tx:
        if client_id is not None:
            await require_client(tx, client_id)
        elements = await repository.list_elements(tx, client_id, after or 0, types, limit)
        # Afterwards, because events can be deleted between the two statements.
        if after is not None and after < await repository.find_last_deleted_id(tx):
            raise Gone(f"Events after {after} have been deleted; read your records again, then start without `after`")
    return elements
