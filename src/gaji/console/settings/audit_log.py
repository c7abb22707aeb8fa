"""The audit log of a company."""

import re
from contextlib import suppress
from datetime import datetime, time, timedelta
from typing import Any

from gaji.company.clients.audit_log import list_audit_entries
from gaji.console.formats import format_timestamp
from gaji.console.glossary import AUDIT_LOG
from gaji.console.pages import PageRouter
from gaji.console.pagination import Pager, build_pager
from gaji.console.request import PageRequest
from gaji.core import clock
from gaji.core.errors import Errors
from gaji.core.validation import DateType, Integer
from gaji.db.json_lists import ListPage
from gaji.identity import members
from gaji.web.responses import HttpResponse

router = PageRouter()

PER_PAGE = 50
MAX_USERS = 200
MAX_VALUE_LENGTH = 300
"""Longer values are cut. Payslip templates are long."""
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*[+-]\d\d:\d\d")
ACTIONS = {"insert": "Added", "update": "Changed", "delete": "Deleted"}
FILTERS = ("kind", "how", "user", "record", "from", "to")


@router.get("/companies/{client_id}/settings/changes")
async def show_audit_log(request: PageRequest) -> HttpResponse:
    """Show the audit log, newest entries first."""
    company = await request.company(request.ids["client_id"])
    page = request.list_page(PER_PAGE)
    errors = Errors()
    entries, has_more = await list_audit_entries(request.tenant, company.id, _parse_filters(request, errors), page)
    return request.render(
        "settings_audit_log.html",
        company=company,
        here="Settings",
        entries=entries,
        kinds=AUDIT_LOG,
        actions=ACTIONS,
        users=await _load_users(request, company.id),
        submitted={name: request.query.get(name, "") for name in FILTERS},
        errors=errors,
        format_value=_format_value,
        pager=_build_pager(request, page, len(entries), has_more),
    )


def _parse_filters(request: PageRequest, errors: Errors) -> dict[str, Any]:
    """Return the submitted filters that are valid."""
    submitted = {name: text.strip() for name, text in request.query.items() if text.strip()}
    filters: dict[str, Any] = {}
    if submitted.get("kind") in AUDIT_LOG:
        filters["table"] = submitted["kind"]
    if submitted.get("how") in ACTIONS:
        filters["action"] = submitted["how"]
    for name, column in (("user", "user_id"), ("record", "record_id")):
        if name in submitted and (number := Integer(minimum=1).parse(submitted[name], name, errors)) is not None:
            filters[column] = number
    for name, column, extra_days in (("from", "since", 0), ("to", "before", 1)):
        day = DateType().parse(submitted[name], name, errors) if name in submitted else None
        if day is not None:
            filters[column] = datetime.combine(day + timedelta(days=extra_days), time(), clock.SINGAPORE)
    return filters


def _format_value(value: Any) -> str:
    """Return a value of the log as people read it."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = str(value)
    if TIMESTAMP.fullmatch(text):
        # A free text may look like a timestamp without being one.
        with suppress(ValueError, OverflowError):
            return format_timestamp(datetime.fromisoformat(text))
    return text if len(text) <= MAX_VALUE_LENGTH else f"{text[:MAX_VALUE_LENGTH]}…"


async def _load_users(request: PageRequest, client_id: int) -> list[tuple[str, str]]:
    """Return the users who can change records, with their IDs."""
    users: list[members.ClientMember] = []
    for role in ("owner", "payroll"):
        with_role, _ = await members.list_members(request.tenant, client_id, ListPage(1, MAX_USERS), role=role)
        users += with_role
    return [(str(user.user_id), user.name or user.email) for user in users]


def _build_pager(request: PageRequest, page: ListPage, entry_count: int, has_more: bool) -> Pager:
    """Return the pager. The log is long, so its entries are not counted."""
    return build_pager(request, page, page.offset + entry_count + has_more)
