"""Audit log use cases."""

from collections.abc import Mapping
from typing import Any

from gaji.audit.queries import (
    AccountAuditEntry,
    AuditEntry,
    count_client_entries,
    load_account_entries,
    load_client_entries,
)
from gaji.company.clients.service import require_client
from gaji.core.errors import Forbidden
from gaji.db.json_lists import ListOrder, ListPage
from gaji.db.tenancy import Tenant
from gaji.identity.access_event_repository import is_owner


async def list_audit_entries(
    tenant: Tenant, client_id: int, filters: Mapping[str, Any], page: ListPage, order: ListOrder | None = None
) -> tuple[list[AuditEntry], bool]:
    """List a page of the changes to a client's records that match the filters, and whether there are more."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        return await load_client_entries(tx, client_id, filters, page, order)


async def list_counted_entries(
    tenant: Tenant, client_id: int, filters: Mapping[str, Any], page: ListPage
) -> tuple[list[AuditEntry], int]:
    """List a page of the changes to a client's records that match the filters, and the total number of them."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        entries, _ = await load_client_entries(tx, client_id, filters, page)
        return entries, await count_client_entries(tx, client_id, filters)


async def list_account_entries(
    tenant: Tenant, filters: Mapping[str, Any], page: ListPage, *, owners_only: bool = False
) -> tuple[list[AccountAuditEntry], int]:
    """List a page of the changes that belong to no client, and the total number of them.

    Administrators see those of the account, owners those about the members of their clients, and others their own, or
    Forbidden is raised for them. With a key that is limited to some clients, administrators have only the rights of
    owners.
    """
    async with tenant.read_only() as tx:
        if owners_only and not (tx.caller.administers_account or await is_owner(tx)):
            raise Forbidden("Only owners can read the audit log of the account")
        return await load_account_entries(tx, filters, page)
