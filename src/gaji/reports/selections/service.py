"""Saved selections: list, save and delete."""

from collections.abc import Mapping
from typing import Any

import asyncpg

from gaji.company.clients.service import require_client
from gaji.core.error_codes import NAME_TAKEN
from gaji.core.errors import Conflict, NotFound, invalid
from gaji.core.validation import unique_name_rule
from gaji.db.tenancy import Tenant
from gaji.identity.roles import require_writer
from gaji.reports.builder import resolve_query
from gaji.reports.registry import Report
from gaji.reports.request_fields import body_from_query
from gaji.reports.selections import repository
from gaji.reports.selections.schemas import PERIOD_PARAMETERS, SELECTION, Parameters, ReportSelection

MAX_SELECTIONS = 50
"""The number of selections that a report of a client can have."""


async def list_selections(tenant: Tenant, client_id: int) -> list[ReportSelection]:
    """List the selections of a client for all reports."""
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        return await repository.list_selections(tx, client_id)


async def save_selection(
    tenant: Tenant, client_id: int, report: Report, body: Mapping[str, Any], parameters: Parameters, *, keep_dates: bool
) -> ReportSelection:
    """Save the parameters under a name. Raises ValidationError if they are not valid or the name is taken.

    Without `keep_dates`, the parameters that say which time the report is about are left out.
    """
    try:
        async with tenant.transaction() as tx:
            await require_writer(tx, client_id)
            others = [item for item in await repository.list_selections(tx, client_id) if item.report == report.id]
            name = SELECTION.parse_create(body, unique_name_rule({item.name.lower() for item in others})).data.name
            await resolve_query(tx, client_id, report, body_from_query(report.attributes, parameters))
            if len(others) >= MAX_SELECTIONS:
                raise Conflict(f"This report already has {MAX_SELECTIONS} saved selections; delete one first")
            saved_parameters = {
                key: list(values) for key, values in parameters.items() if keep_dates or key not in PERIOD_PARAMETERS
            }
            selection_id = await repository.insert(tx, client_id, report.id, name, saved_parameters)
    except asyncpg.UniqueViolationError:
        raise invalid("name", NAME_TAKEN, name=name) from None
    return ReportSelection(id=selection_id, report=report.id, name=name, parameters=saved_parameters)


async def delete_selection(tenant: Tenant, client_id: int, selection_id: int) -> str:
    """Delete a selection and return the ID of its report."""
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        report_id = await repository.delete(tx, client_id, selection_id)
    if report_id is None:
        raise NotFound(f"Saved selection {selection_id} does not exist")
    return report_id
