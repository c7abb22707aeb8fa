"""Leave of a company: pending requests and the calendar of absences."""

import calendar as months
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from gaji.approvals.service import count_pending as count_approvals
from gaji.company.clients.service import ClientMembership
from gaji.console.company_list import WaitingTask, approvals_task, decidable_requests
from gaji.console.error_messages import error_text
from gaji.console.leave_form import with_limit_notice
from gaji.console.next_company import find_next_step, was_step_done
from gaji.console.pages import PageRouter
from gaji.console.pagination import build_pager
from gaji.console.request import PageRequest, page_not_found
from gaji.console.tables import SortKeys, build_table
from gaji.core import clock
from gaji.core.errors import Conflict, Errors, GajiError, NotFound, ValidationError
from gaji.core.field_types import DateType
from gaji.core.law_loader import current_law
from gaji.db.json_lists import ListPage
from gaji.leave import team_calendar
from gaji.leave.requests import service as requests
from gaji.leave.team_calendar import Absence, DayAbsences, PendingRequest
from gaji.web.responses import HttpResponse

router = PageRouter()

PER_PAGE = 50
SORT_KEYS: SortKeys[PendingRequest] = {
    "asked": lambda leave_request: leave_request.asked_at,
    "name": lambda leave_request: leave_request.who.name,
    "date": lambda leave_request: leave_request.dates[0],
}
CALENDAR_CELL = ListPage(1, 6)
"""The employees that fit into a day of the calendar."""
NOBODY_AWAY = DayAbsences([], 0)
MONTH = re.compile(r"(19|20|21)[0-9]{2}-(0[1-9]|1[0-2])")
NOTICES = {"approve": "Leave approved and recorded", "decline": "Leave request declined"}
WITHDRAWAL_NOTICES = {"approve": "Leave withdrawn", "decline": "Withdrawal declined, the leave stays"}


@dataclass(frozen=True)
class CalendarDay:
    """A day of the calendar."""

    date: date
    in_month: bool
    """Whether the day belongs to the month that is shown."""
    holiday: str
    absences: Sequence[Absence]
    more: int
    """How many more employees are away."""


@router.get("/companies/{client_id}/leave")
async def show_leave(request: PageRequest) -> HttpResponse:
    """Show pending requests and the calendar of a month."""
    return await _page(request, await request.company(request.ids["client_id"]))


@router.post("/companies/{client_id}/leave_requests/{request_id}/{decision}")
async def decide(request: PageRequest) -> HttpResponse:
    """Approve or decline a request."""
    decision, request_id = request.names["decision"], request.ids["request_id"]
    if decision not in NOTICES:
        raise page_not_found(request)
    company = await request.writable_company(request.ids["client_id"])
    state = await requests.load_state(request.tenant, request_id)
    if state.client_id != company.id:
        raise NotFound(f"Leave request {request_id} does not exist")
    body = {"answer": request.form.get("answer", "").strip() or None}
    try:
        if decision == "approve":
            _, decided = await requests.approve_request(request.tenant, request_id, body, late=request.is_late)
        else:
            _, decided = await requests.decline_request(request.tenant, request_id, body)
    except (ValidationError, Conflict) as error:
        return await _page(request, company, error, request_id)
    notices = WITHDRAWAL_NOTICES if state.status == requests.WITHDRAWING else NOTICES
    return request.redirect(f"/companies/{company.id}/leave", with_limit_notice(notices[decision], decided.warnings))


async def _page(
    request: PageRequest, company: ClientMembership, error: GajiError | None = None, request_id: int | None = None
) -> HttpResponse:
    """Show the page, with the error of a request beside it if the request can no longer be approved."""
    month = request.query.get("month", "")
    first = date.fromisoformat(f"{month}-01") if MONTH.fullmatch(month) else clock.today().replace(day=1)
    weeks = months.Calendar().monthdatescalendar(first.year, first.month)
    absences = await team_calendar.load_absences(request.tenant, company.id, weeks[0][0], weeks[-1][-1], CALENDAR_CELL)
    pending = await team_calendar.load_pending(request.tenant, company.id)
    table = build_table(request, pending, SORT_KEYS, anchor="#requests")
    rejection = _rejection_text(error) if request_id in {row.id for row in table.rows} else ""
    return request.render(
        "leave.html",
        status=error.status if error else 200,
        company=company,
        waiting_here=await _load_waiting_approvals(request, company),
        next_company=await find_next_step(
            request, company, is_finished=was_step_done(request) and (not pending or not company.can_write)
        ),
        here="Leave",
        error=None if rejection else error,
        rejection=rejection,
        rejected_id=request_id,
        first=first,
        previous_month=(first - timedelta(days=1)).strftime("%Y-%m"),
        next_month=(first + timedelta(days=32)).strftime("%Y-%m"),
        weeks=[[_calendar_day(day, first, absences.get(day, NOBODY_AWAY)) for day in week] for week in weeks],
        **await _day_values(request, company),
        requests=table,
    )


async def _load_waiting_approvals(request: PageRequest, company: ClientMembership) -> WaitingTask | None:
    """Return the requests of other kinds that await approval, once a leave request is decided."""
    if not was_step_done(request):
        return None
    async with request.tenant.read_only() as tx:
        pending = await count_approvals(tx, [company.id])
    return approvals_task(company.id, decidable_requests(company, pending))


def _rejection_text(error: GajiError | None) -> str:
    """Return why the days of a request cannot be recorded, with one reason of each kind. Empty for other errors."""
    if not isinstance(error, ValidationError) or not all(path.startswith("dates.") for path in error.errors):
        return ""
    reasons = {field_error.kind.code: error_text(field_error) for field_error in reversed(error.errors.values())}
    return f"This leave cannot be approved: {'; '.join(reversed(reasons.values()))}."


def _calendar_day(day: date, first: date, away: DayAbsences) -> CalendarDay:
    holiday = current_law().holidays.names.get(day, "")
    return CalendarDay(day, day.month == first.month, holiday, away.people, away.total - len(away.people))


async def _day_values(request: PageRequest, company: ClientMembership) -> dict[str, Any]:
    """Return everyone who is away on the requested day, if a day was requested."""
    day = DateType().parse(request.query.get("day", ""), "day", Errors())
    if day is None:
        return {"day": None}
    page = request.list_page(PER_PAGE)
    away = (await team_calendar.load_absences(request.tenant, company.id, day, day, page)).get(day, NOBODY_AWAY)
    return {"day": day, "absences": away.people, "pager": build_pager(request, page, away.total)}
