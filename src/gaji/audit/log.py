"""The log of all that people changed in a company."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gaji.audit import log_store as store
from gaji.audit.service import Change, change
from gaji.company.clients.service import require_client
from gaji.db.json_lists import Page
from gaji.db.tenancy import Tenant


@dataclass(frozen=True)
class Logged:
    """One change, and the record that was changed."""

    change: Change
    record_id: int | None


async def of_client(
    tenant: Tenant, client_id: int, filters: Mapping[str, Any], page: Page
) -> tuple[Sequence[Logged], bool]:
    """A page of the changes of a client that pass the filters, newest first; and whether there are more."""
    async with tenant.reading() as tx:
        await require_client(tx, client_id)
        rows = await store.page_of(tx, client_id, filters, page)
    return [Logged(change(*row[:6]), row["row_id"]) for row in rows[: page.size]], len(rows) > page.size
