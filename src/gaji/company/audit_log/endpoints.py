"""Audit log endpoints."""

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from typing import Any

from gaji.company.audit_log import service
from gaji.company.audit_log.entry_json import render_entry
from gaji.company.audit_log.schemas import (
    ACCOUNT_AUDIT_ENTRY,
    ACCOUNT_AUDIT_ENTRY_EXAMPLE,
    ACCOUNT_RECORD_TYPE,
    ACTION,
    ACTIONS,
    AUDIT_ENTRY,
    AUDIT_ENTRY_EXAMPLE,
    RECORD_TYPE,
)
from gaji.core import json_schemas
from gaji.core.clock import SINGAPORE
from gaji.core.field_types import MAX_ID, DateType, Integer
from gaji.core.threads import run_in_thread_if_many
from gaji.web.operations import Request, Response, Router
from gaji.web.paging import FIRST_PAGE
from gaji.web.query_parameters import QueryParameter

router = Router("Audit log")

FROM, TO = "from", "to"
QUERY = (
    QueryParameter(FROM, DateType(), "First day, in Singapore time."),
    QueryParameter(TO, DateType(), "Last day, in Singapore time."),
    QueryParameter("user_id", Integer(minimum=1, maximum=MAX_ID), "Changes by this user."),
    QueryParameter(
        "employee_id",
        Integer(minimum=1, maximum=MAX_ID),
        "Changes to this employee and to the employee's records that still exist or name the employee.",
    ),
    QueryParameter("record_type", RECORD_TYPE, "Changes to records of this kind."),
    QueryParameter("record_id", Integer(minimum=1, maximum=MAX_ID), "Changes to the record with this ID."),
    QueryParameter("action", ACTION, "Changes of this kind."),
)
ACCOUNT_QUERY = (
    *(parameter for parameter in QUERY if parameter.name not in ("employee_id", "record_type")),
    QueryParameter("record_type", ACCOUNT_RECORD_TYPE, "Changes to records of this kind."),
)
COLUMNS = {"user_id": "user_id", "record_type": "table", "record_id": "row_id"}
"""The filters of the log that the parameters are."""


@router.get(
    "/clients/{client_id}/audit_log",
    response_schema=json_schemas.list_schema("audit_entry", AUDIT_ENTRY),
    query=QUERY,
    paged=True,
    example=[{"audit_entry": AUDIT_ENTRY_EXAMPLE}],
    allows_replica=True,
)
async def list_audit_log(request: Request) -> Response:
    """List the changes to a client's records, newest first. Always in pages, because the log is long."""
    client_id, filters = request.ids["client_id"], _filters(request.parameters)
    page = request.page or FIRST_PAGE
    entries, total = await service.list_counted_entries(request.tenant, client_id, filters, page)
    elements = await run_in_thread_if_many(len(entries), lambda: [render_entry(entry) for entry in entries])
    return request.list_response("audit_entry", (elements, total), page)


@router.get(
    "/audit_log",
    response_schema=json_schemas.list_schema("audit_entry", ACCOUNT_AUDIT_ENTRY),
    query=ACCOUNT_QUERY,
    paged=True,
    example=[{"audit_entry": ACCOUNT_AUDIT_ENTRY_EXAMPLE}],
)
async def list_account_audit_log(request: Request) -> Response:
    """List the changes that belong to no client: users, API keys, sign-in and the account. Newest first. For owners."""
    page, filters = request.page or FIRST_PAGE, _filters(request.parameters)
    entries, total = await service.list_account_entries(request.tenant, filters, page, owners_only=True)
    elements = [render_entry(item.entry) for item in entries]
    return request.list_response("audit_entry", (elements, total), page)


def _filters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    filters = {column: parameters[name] for name, column in COLUMNS.items() if name in parameters}
    if "action" in parameters:
        filters["action"] = ACTIONS[parameters["action"]]
    if "employee_id" in parameters:
        filters["employee_ids"] = [parameters["employee_id"]]
    if FROM in parameters:
        filters["since"] = _midnight(parameters[FROM])
    if TO in parameters:
        filters["before"] = _midnight(parameters[TO] + timedelta(days=1))
    return filters


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), SINGAPORE)
