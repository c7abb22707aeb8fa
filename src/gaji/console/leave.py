"""Leave: who asks for it, who is away, and days that an officer records."""

import calendar as months
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from gaji.company.clients.service import ClientOfCaller
from gaji.console.employee_tabs import read_employee, show_tab
from gaji.console.forms import require_records
from gaji.console.pagination import build_pager
from gaji.console.pages import PageRouter

from gaji.console.request import PageRequest
from gaji.core import clock
from gaji.core.errors import Conflict, Errors, GajiError, NotFound, ValidationError
from gaji.core.law_loader import law
from gaji.core.validation import DateType
from gaji.db.json_lists import Page
from gaji.leave import team_calendar
from gaji.leave.team_calendar import Away, DayAway
from gaji.leave.days import service as days
from gaji.leave.days.date_range import dates_of_stretch
from gaji.leave.requests import service as requests
from gaji.leave.types import service as leave_types
from gaji.web.responses import HttpResponse

router = PageRouter()

PER_PAGE = 50
SOME = Page(1, 6)
"""Of those who are away on a day, as many as its square has room for."""
NOBODY = DayAway([], 0)
MONTH = re.compile(r"(19|20|21)[0-9]{2}-(0[1-9]|1[0-2])")
DECISIONS = {"approve": requests.approve_request, "decline": requests.decline_request}
SAID = {"approve": "The leave is approved: its days are recorded", "decline": "The leave request is declined"}


@dataclass(frozen=True)
class CalendarDay:
    """A day of a calendar."""

    date: date
    inside: bool
    """Whether it is of the month that is shown."""
    holiday: str
    away: Sequence[Away]
    more: int
    """How many are away beside those."""


@router.get("/companies/{client_id}/leave")
async def show_leave(request: PageRequest) -> HttpResponse:
    """Requests, and the calendar of a month."""
    return await _page(request, await request.company(request.ids["client_id"]))


@router.post("/companies/{client_id}/leave_requests/{request_id}/{decision}")
async def decide(request: PageRequest) -> HttpResponse:
    """Approve or decline a request."""
    decision, request_id = request.names["decision"], request.ids["request_id"]
    if decision not in DECISIONS:
        raise NotFound(f"There is nothing at {request.path[:200]}")
    company = await request.writable_company(request.ids["client_id"])
    if await requests.client_of_request(request.tenant, request_id) != company.id:
        raise NotFound(f"There is no leave request {request_id}")
    answer = request.form.get("answer", "").strip() or None
    try:
        await DECISIONS[decision](request.tenant, request_id, {"answer": answer})
    except (ValidationError, Conflict) as error:
        return await _page(request, company, error)
    return request.redirect(f"/companies/{company.id}/leave", SAID[decision])


@router.post("/employees/{employee_id}/leave_days")
async def record_days(request: PageRequest) -> HttpResponse:
    """Record leave from a day to a day."""
    employee = await read_employee(request)
    employee_id, type_id = employee["id"], request.form.get("type_id", "")
    known = await leave_types.list_types(request.tenant, employee["client_id"])
    require_records([type_id], [str(one) for one in known], "leave type")
    faults: dict[str, str] = {}
    first = DateType().parse(request.form.get("from"), "from", faults)
    last = DateType().parse(request.form.get("to") or request.form.get("from"), "to", faults)
    try:
        if first is None or last is None:
            raise ValidationError(faults)
        dates = await dates_of_stretch(request.tenant, employee_id, first, last)
        wanted = [{"date": str(day), "type_id": type_id or None} for day in dates]
        await days.create_days(request.tenant, employee_id, {"dates": wanted})
    except (ValidationError, Conflict) as error:
        return await show_tab(request, "leave", status=error.status, error=error)
    return request.redirect(f"/employees/{employee_id}?tab=leave", f"{format_count(len(dates), 'day')} of leave recorded")


async def _page(request: PageRequest, company: ClientOfCaller, error: GajiError | None = None) -> HttpResponse:
    asked = request.query.get("month", "")
    first = date.fromisoformat(f"{asked}-01") if MONTH.fullmatch(asked) else clock.today().replace(day=1)
    weeks = months.Calendar().monthdatescalendar(first.year, first.month)
    away = await team_calendar.away(request.tenant, company.id, weeks[0][0], weeks[-1][-1], SOME)
    return request.render(
        "leave.html",
        status=error.status if error else 200,
        company=company,
        here="Leave",
        error=error,
        first=first,
        before=(first - timedelta(days=1)).strftime("%Y-%m"),
        after=(first + timedelta(days=32)).strftime("%Y-%m"),
        weeks=[[_calendar_day(day, first, away.get(day, NOBODY)) for day in week] for week in weeks],
        **await _whole_day(request, company),
        pending=await team_calendar.pending(request.tenant, company.id),
    )


def _calendar_day(day: date, first: date, away: DayAway) -> CalendarDay:
    holiday = law().holidays.names.get(day, "")
    return CalendarDay(day, day.month == first.month, holiday, away.people, away.total - len(away.people))


async def _whole_day(request: PageRequest, company: ClientOfCaller) -> dict[str, Any]:
    """Everyone who is away on the day that was asked for, if one was."""
    day = DateType().parse(request.query.get("day", ""), "day", Errors())
    if day is None:
        return {"day": None}
    page = request.list_page(PER_PAGE)
    found = (await team_calendar.away(request.tenant, company.id, day, day, page)).get(day, NOBODY)
    return {"day": day, "people": found.people, "pages": build_pager(request, page, found.total)}
