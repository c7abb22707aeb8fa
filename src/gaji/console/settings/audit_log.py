"""The audit log of a company."""

from datetime import datetime, time, timedelta
from typing import Any

from gaji.company.audit_log.service import list_audit_entries
from gaji.console.audit_entries import describe_entries
from gaji.console.glossary import AUDIT_LOG
from gaji.console.pages import PageRouter
from gaji.console.pagination import Pager, build_pager
from gaji.console.request import PageRequest
from gaji.console.table_sort import parse_sort
from gaji.core import clock
from gaji.core.errors import Errors
from gaji.core.field_types import DateType, Integer
from gaji.db.json_lists import ListPage
from gaji.identity import members
from gaji.people.employees.directory import search_people
from gaji.web.responses import HttpResponse

router = PageRouter()

PER_PAGE = 50
MAX_USERS = 200
ACTIONS = {"insert": "Added", "update": "Changed", "delete": "Deleted", "erase": "Erased"}
FILTERS = ("kind", "how", "user", "employee", "from", "to")
MAX_EMPLOYEES = 20
"""How many employees a name can stand for."""


@router.get("/companies/{client_id}/settings/changes")
async def show_audit_log(request: PageRequest) -> HttpResponse:
    """Show the audit log, newest entries first."""
    company = await request.company(request.ids["client_id"])
    page = request.list_page(PER_PAGE)
    sort = parse_sort(request, ("when", "who"), ("when",))
    errors = Errors()
    filters = _parse_filters(request, errors)
    if employee := request.query.get("employee", "").strip():
        filters["employee_ids"] = await _find_employees(request, company.id, employee)
    entries, has_more = await list_audit_entries(request.tenant, company.id, filters, page, sort.order)
    async with request.tenant.read_only() as tx:
        sentences = await describe_entries(tx, company.id, entries)
    return request.render(
        "settings_audit_log.html",
        company=company,
        here="Settings",
        entries=sentences,
        kinds=AUDIT_LOG,
        actions=ACTIONS,
        users=await _load_users(request, company.id),
        submitted={name: request.query.get(name, "") for name in FILTERS},
        errors=errors,
        sort=sort,
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
    if "user" in submitted and (number := Integer(minimum=1).parse(submitted["user"], "user", errors)) is not None:
        filters["user_id"] = number
    for name, column, extra_days in (("from", "since", 0), ("to", "before", 1)):
        day = DateType().parse(submitted[name], name, errors) if name in submitted else None
        if day is not None:
            filters[column] = datetime.combine(day + timedelta(days=extra_days), time(), clock.SINGAPORE)
    return filters


async def _find_employees(request: PageRequest, client_id: int, query: str) -> list[int]:
    """Return the employees whose name or number matches."""
    async with request.tenant.read_only() as tx:
        return [match.id for match in await search_people(tx, [client_id], query, MAX_EMPLOYEES)]


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
