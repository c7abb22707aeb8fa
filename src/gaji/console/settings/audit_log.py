"""What was changed in a company, by whom and when."""

import re
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from typing import Any

from gaji.company.clients.audit_log import list_audit_entries
from gaji.console.pagination import Pager, pager
from gaji.console.pages import PageRouter

from gaji.console.request import PageRequest
from gaji.core import clock
from gaji.core.errors import INVALID, Errors
from gaji.core.validation import MAX_ID, DateType, parse_integer
from gaji.db.json_lists import Page
from gaji.identity import members
from gaji.web.responses import HttpResponse

router = PageRouter()

PER_PAGE = 50
MOST_PEOPLE = 200
MOST_TOLD = 300
"""Characters of a value: templates of payslips are long."""
FIRST_DAY, LAST_DAY = date(1900, 1, 1), date(2199, 12, 31)
"""Nothing was changed before or will be after; and far beyond them, times of day could not be written."""
KINDS = (
    "employees",
    "calculations",
    "clients",
    "waves",
    "pay_points",
    "custom_employee_fields",
    "calculation_definitions",
    "profiles",
    "profile_mappings",
    "payment_runs",
    "service_periods",
    "wave_periods",
    "leave_types",
    "leave_policies",
    "leave_days",
    "leave_requests",
    "leave_adjustments",
    "take_on_balances",
    "ledger_accounts",
    "accounting_modes",
    "accounting_splits",
    "employee_accounting_splits",
    "inherited_calculations",
    "memberships",
    "invitations",
    "payslip_templates",
    "api_key_clients",
)
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*[+-]\d\d:\d\d")
HOW = {"insert": "Added", "update": "Changed", "delete": "Removed"}


@router.get("/companies/{client_id}/settings/changes")
async def show_log(request: PageRequest) -> HttpResponse:
    """The log of changes, newest first."""
    company = await request.company(request.ids["client_id"])
    page = request.list_page(PER_PAGE)
    faults: Errors = Errors()
    found, more = await list_audit_entries(request.tenant, company.id, _filters(request, faults), page)
    people = await _people(request, company.id)
    return request.render(
        "settings_audit_log.html",
        company=company,
        here="Settings",
        found=found,
        kinds=[(kind, label(kind)) for kind in KINDS],
        how=HOW,
        people=people,
        typed={name: request.query.get(name, "") for name in ("kind", "how", "user", "record", "from", "to")},
        faults=faults,
        told=_told,
        pages=_pager(request, page, len(found), more),
    )


def _filters(request: PageRequest, faults: Errors) -> dict[str, Any]:
    """What was asked for, as far as it can be read."""
    typed = {name: text.strip() for name, text in request.query.items() if text.strip()}
    filters: dict[str, Any] = {}
    if typed.get("kind") in KINDS:
        filters["kind"] = typed["kind"]
    if typed.get("how") in HOW:
        filters["how"] = typed["how"]
    for name, column in (("user", "user_id"), ("record", "record_id")):
        if name in typed:
            number = parse_integer(typed[name])
            if number is not None and 0 < number <= MAX_ID:
                filters[column] = number
            else:
                faults.add(name, INVALID, reason="must be a whole number")
    for name, column, later in (("from", "since", 0), ("to", "before", 1)):
        day = DateType().parse(typed[name], name, faults) if name in typed else None
        if day is not None:
            near = min(max(day, FIRST_DAY), LAST_DAY)
            filters[column] = datetime.combine(near + timedelta(days=later), time(), clock.SINGAPORE)
    return filters


def _told(value: Any) -> str:
    """A value of the log as a person reads it."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = str(value)
    if INSTANT.fullmatch(text):
        # Someone may have written such a text where any is allowed, and then it need be no time.
        with suppress(ValueError, OverflowError):
            return format_timestamp(datetime.fromisoformat(text))
    return text if len(text) <= MOST_TOLD else f"{text[:MOST_TOLD]}…"


async def _people(request: PageRequest, client_id: int) -> list[tuple[str, str]]:
    """Those who can change something; employees change nothing but what they ask for."""
    found: list[members.Member] = []
    for role in ("owner", "payroll"):
        some, _ = await members.list_members(request.tenant, client_id, Page(1, MOST_PEOPLE), role=role)
        found += some
    return [(str(one.user_id), one.name or one.email) for one in found]


def _pager(request: PageRequest, page: Page, shown: int, more: bool) -> Pager:
    """How many there are in all is not counted: the log is long."""
    return pager(request, page, page.offset + shown + more)
