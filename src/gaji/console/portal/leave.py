"""The employee's leave: balances, requests and the form for a new request."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import islice
from typing import Any

import msgspec

from gaji.console.confirmations import render_question
from gaji.console.formats import format_leave, half_day_note
from gaji.console.forms import Field, Form
from gaji.console.glossary import PORTAL_ERRORS, label
from gaji.console.leave_balances import BalanceView, balance_views
from gaji.console.leave_errors import join_leave_errors
from gaji.console.leave_form import (
    COUNTED_WORKING_DAYS,
    HALF_DAYS,
    RANGE_FORM,
    REQUEST_TIMES,
    TIME,
    CountedDays,
    check_time,
    find_counted_days,
    leave_day_bodies,
    leave_time,
    with_leave_types,
)
from gaji.console.medical_certificate_files import certificate_values
from gaji.console.pages import Confirmation, PageRouter
from gaji.console.portal.employment import load_employment, render_portal
from gaji.console.portal.leave_expiries import list_expiries
from gaji.console.request import PageRequest, page_not_found
from gaji.core import clock
from gaji.core.error_codes import REQUIRED
from gaji.core.errors import Conflict, ErrorCode, Errors, ValidationError
from gaji.core.field_types import DateType
from gaji.core.law_loader import current_law
from gaji.db.tenancy import Transaction
from gaji.engine.leave.movements import MovementKind
from gaji.leave.balances import service as balances
from gaji.leave.balances.availability import LeaveAvailability, LeaveStart, load_availability
from gaji.leave.balances.service import MovementJson
from gaji.leave.days import service as leave_days
from gaji.leave.days.date_range import list_working_dates
from gaji.leave.days.duration import DayLengths, LeaveTime, load_day_lengths
from gaji.leave.medical_certificates import service as certificates
from gaji.leave.requests import service as requests
from gaji.leave.requests.schemas import LEAVE_REQUEST
from gaji.leave.requests.service import RequestPreview
from gaji.leave.types import service as leave_types
from gaji.leave.types.queries import (
    LeaveType,
    find_including_type,
    list_certified_ids,
    list_unlimited_types,
)
from gaji.people.self_service.service import Employment, company_view
from gaji.people.service_periods.queries import load_service_terms
from gaji.periods.guards import ClosedPeriod
from gaji.web.responses import HttpResponse

router = PageRouter()

REASON = next(attribute for attribute in LEAVE_REQUEST.attributes if attribute.name == "reason")
CLOSED_PERIOD = "These days are in a month that has already been paid. Ask your employer to record them"
CONFIRMATIONS = {
    "cancel": Confirmation(
        "Cancel this leave request?",
        "Your employer no longer needs to decide. You can request the days again.",
        "Cancel request",
        "Keep request",
    ),
    "withdraw": Confirmation(
        "Withdraw this leave?",
        "Your employer decides about it. Until then, the leave stays approved.",
        "Withdraw leave",
        "Keep leave",
    ),
}
ADD_CERTIFICATE = "Add the medical certificate below, under Medical certificates"
HAS_CERTIFICATE = " Its medical certificate stays with this request. Add the certificate again to a new request."
ALREADY_REQUESTED = ErrorCode(
    "already_requested", "you have already requested leave on {date}; cancel that request first"
)
ACTIONS = {"cancel": requests.cancel_request, "withdraw": requests.withdraw_request}
NOTICES = {"cancel": "Request cancelled", "withdraw": "Withdrawal sent for approval"}
COUNTED_DAYS_NOTES = {
    CountedDays.WORKING: COUNTED_WORKING_DAYS,
    CountedDays.EXCEPT_HOLIDAYS: "You have no fixed working days, so every day from the first to the last is counted, "
    "except public holidays. Request only days on which you would have worked.",
    CountedDays.ALL: "Every day from the first to the last is counted, including days off and public holidays. "
    "Request only the days that you need.",
}
REASON_HINT = "Optional. For hours, say which part of the day, such as from 9:00 to 11:00."
HISTORY = timedelta(days=366)
"""How far back movements are listed, and how far ahead expiries are announced. Of other dates, at most as far again."""
FORM = Form(
    [
        *(replace(field, options=REQUEST_TIMES) if field.name == TIME.name else field for field in RANGE_FORM.fields),
        Field("reason", "Reason", hint=REASON_HINT, max_length=500, wide=True),
    ]
)


@dataclass(frozen=True)
class LeaveUsage:
    """The leave that a request uses, and the days in between that it does not."""

    time: str
    note: str
    """Why a date counts as half a day."""
    holidays: Sequence[tuple[date, str]]
    """Date and name."""
    days_off: int


@router.get("/own/{employee_id}/leave")
async def show_leave(request: PageRequest) -> HttpResponse:
    """Show balances on a date, requests and the form for a new request."""
    return await show_leave_page(request, await load_employment(request))


@router.post("/own/{employee_id}/leave")
async def request_leave(request: PageRequest) -> HttpResponse:
    """Request leave for a range of dates, or show what the request would leave."""
    employment = await load_employment(request)
    try:
        body = await _request_body(request, employment)
    except ValidationError as error:
        return await show_leave_page(request, employment, error)
    try:
        await _require_not_requested(request, employment, body)
        if "check" in request.form:
            preview, _ = await requests.preview_request(request.tenant, employment.employee_id, body)
            usage = _usage(request, await _leave_times(request, employment, body["dates"]))
            return await show_leave_page(request, employment, preview=preview, usage=usage)
        await requests.create_request(request.tenant, employment.employee_id, body)
    except Conflict as error:
        return await show_leave_page(request, employment, error)
    except ValidationError as error:
        times = await _leave_times(request, employment, body["dates"])
        return await show_leave_page(request, employment, join_leave_errors(error, times, PORTAL_ERRORS))
    notice = await _sent_notice(request, employment, body)
    return request.redirect(f"/own/{employment.employee_id}/leave", notice)


async def _sent_notice(request: PageRequest, employment: Employment, body: Mapping[str, Any]) -> str:
    """Return what was requested, and where its medical certificate can be added."""
    async with company_view(request.tenant, employment):
        types = await leave_types.load_types(request.tenant, employment.client_id)
    type_id = int(body["dates"][0]["type_id"])
    name = next(leave_type.name for leave_type in types if leave_type.id == type_id)
    requested = format_leave(await _leave_times(request, employment, body["dates"]), label(name).lower())
    requested += f", {body['part_of_day']}" if body["part_of_day"] else ""
    notice = f"Request for {requested} sent"
    return f"{notice}. {ADD_CERTIFICATE}" if type_id in list_certified_ids(types) else notice


@router.post("/own/{employee_id}/leave_requests/{request_id}/{decision}")
async def take_back_request(request: PageRequest) -> HttpResponse:
    """Cancel a pending request, or ask to withdraw an approved one. Asks first."""
    employment = await load_employment(request)
    action, request_id = request.names["decision"], request.ids["request_id"]
    elements, _ = await requests.list_requests(request.tenant, employment.employee_id, None)
    if action not in ACTIONS or request_id not in {msgspec.json.decode(element)["id"] for element in elements}:
        raise page_not_found(request)
    if request.form.get("confirmed") != "yes":
        return render_question(request, await _confirmation(request, employment, action, request_id))
    try:
        await ACTIONS[action](request.tenant, request_id)
    except Conflict as error:
        return await show_leave_page(request, employment, error)
    return request.redirect(f"/own/{employment.employee_id}/leave", NOTICES[action])


async def _confirmation(request: PageRequest, employment: Employment, action: str, request_id: int) -> Confirmation:
    """Return what to ask before a request is cancelled or withdrawn. A cancelled request keeps its certificates."""
    confirmation = CONFIRMATIONS[action]
    listed, _ = await certificates.list_certificates(request.tenant, employment.employee_id, None)
    certified_ids = {msgspec.json.decode(element)["leave_request_id"] for element in listed}
    if action == "cancel" and request_id in certified_ids:
        return replace(confirmation, effect=confirmation.effect + HAS_CERTIFICATE)
    return confirmation


async def _request_body(request: PageRequest, employment: Employment) -> dict[str, Any]:
    """Return the submitted form as a request body, with every working day of the range."""
    async with company_view(request.tenant, employment):
        names = await leave_types.list_types(request.tenant, employment.client_id)
    submitted = with_leave_types(FORM, names).to_body(request.form)
    errors = Errors()
    if submitted["type_id"] is None:
        errors.add("type_id", REQUIRED)
    if submitted["from"] is None:
        errors.add("from", REQUIRED)
    first = DateType().parse(submitted["from"], "from", errors) if submitted["from"] else None
    last = DateType().parse(submitted["to"], "to", errors) if submitted["to"] else first
    REASON.type.parse(submitted["reason"] or "", "reason", errors)
    check_time(submitted, errors)
    if first is None or last is None or errors:
        raise ValidationError(errors)
    async with company_view(request.tenant, employment):
        dates = await list_working_dates(request.tenant, employment.employee_id, first, last)
    part_of_day = submitted["time"] if submitted["time"] in dict(HALF_DAYS) else None
    return {
        "dates": leave_day_bodies(submitted, dates),
        "reason": submitted["reason"],
        "part_of_day": part_of_day,
    }


async def _load_day_lengths(request: PageRequest, employment: Employment) -> DayLengths:
    async with company_view(request.tenant, employment) as tx:
        return await load_day_lengths(tx, employment.client_id, [employment.employee_id])


async def _leave_times(
    request: PageRequest, employment: Employment, days: Sequence[Mapping[str, Any]]
) -> list[LeaveTime]:
    """Return the days of a request with what they take from the balance."""
    day_lengths = await _load_day_lengths(request, employment)
    return [leave_time(day_lengths, employment.employee_id, day) for day in days]


def _usage(request: PageRequest, times: Sequence[LeaveTime]) -> LeaveUsage:
    """Return what a request uses, and the dates between its first and its last day that it leaves out."""
    used = {time.date for time in times}
    first, last = (DateType().parse(request.form.get(name, "").strip(), name, Errors()) for name in ("from", "to"))
    first, last = first or min(used), last or max(used)
    days = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    names = current_law().holidays.names
    left_out = [day for day in days if day not in used]
    return LeaveUsage(
        format_leave(times, "leave"),
        half_day_note(times),
        holidays=[(day, names[day]) for day in left_out if day in names],
        days_off=sum(day not in names for day in left_out),
    )


async def _require_not_requested(request: PageRequest, employment: Employment, body: Mapping[str, Any]) -> None:
    """Reject a request that overlaps a pending one. Requests for different parts of a day are accepted."""
    elements, _ = await requests.list_requests(request.tenant, employment.employee_id, None)
    pending = [entry for entry in map(msgspec.json.decode, elements) if entry["status"] == requests.PENDING]
    errors = Errors()
    for entry in pending:
        requested_hours = {day["date"]: day["hours"] for day in entry["dates"]}
        same_part = body["part_of_day"] is not None and body["part_of_day"] == entry["part_of_day"]
        overlaps = (
            (index, day["date"])
            for index, day in enumerate(body["dates"])
            if day["date"] in requested_hours and (same_part or None in (day["hours"], requested_hours[day["date"]]))
        )
        for index, day in islice(overlaps, 1):
            errors.add(f"dates.{index}.date", ALREADY_REQUESTED, date=date.fromisoformat(day))
    if errors:
        raise ValidationError(errors)


async def show_leave_page(
    request: PageRequest,
    employment: Employment,
    error: ValidationError | Conflict | None = None,
    preview: RequestPreview | None = None,
    usage: LeaveUsage | None = None,
    certificate_error: ValidationError | Conflict | None = None,
) -> HttpResponse:
    """Show the page, with an error of a leave request or of a certificate."""
    async with company_view(request.tenant, employment) as tx:
        last_day = await _last_day_of_service(tx, employment)
        names = await leave_types.list_types(request.tenant, employment.client_id)
        types = await leave_types.load_types(request.tenant, employment.client_id)
        removable_ids = await certificates.list_removable_ids(tx, employment.client_id, employment.employee_id)
    has_left = last_day is not None and last_day < clock.today()
    on_date = DateType().parse(request.query.get("date", ""), "date", Errors()) or min(
        last_day or date.max, clock.today()
    )
    days_by_type = await balances.read_balances(request.tenant, employment.employee_id, on_date)
    availability = await load_availability(request.tenant, employment.employee_id, on_date)
    request_elements, _ = await requests.list_requests(request.tenant, employment.employee_id, None)
    day_elements, _ = await leave_days.list_days(request.tenant, employment.employee_id, None, {"from": clock.today()})
    not_offered = _not_offered(request, availability, days_by_type)
    offered = {type_id: name for type_id, name in names.items() if type_id not in not_offered}
    leave_requests = [msgspec.json.decode(element) for element in request_elements]
    day_lengths = await _load_day_lengths(request, employment)
    requested_times = await asyncio.to_thread(
        lambda: [(entry, _times_with_type(day_lengths, employment, entry)) for entry in leave_requests]
    )
    upcoming = sorted(map(msgspec.json.decode, day_elements), key=lambda leave_day: leave_day["date"])
    form = with_leave_types(FORM.with_values(request.form), offered)
    if error:
        form = form.with_errors(error, _error_fields(error), PORTAL_ERRORS)
        form = replace(form, headline=CLOSED_PERIOD) if isinstance(error, ClosedPeriod) else form
    shown_balances = balance_views(types, days_by_type, on_date)
    today = clock.today()
    earliest, latest = max(on_date, today - HISTORY), min(on_date, today + HISTORY)
    first_day, last_listed_day = min(today, earliest) - HISTORY, max(today, latest) + HISTORY
    movements = await balances.list_movements(request.tenant, employment.employee_id, first_day, last_listed_day, None)
    return await render_portal(
        request,
        employment,
        "portal_leave.html",
        status=shown_error.status if (shown_error := error or certificate_error) else 200,
        here="Leave",
        balances=shown_balances,
        inclusions=_list_inclusions(types, shown_balances),
        not_deducted=_time_by_type(
            (leave_day["type"], LeaveTime(date.fromisoformat(leave_day["date"]), leave_day["hours"], leave_day["days"]))
            for leave_day in upcoming
            if leave_day["date"] > str(on_date)
        ),
        pending=_time_by_type(
            time for entry, times in requested_times if entry["status"] == requests.PENDING for time in times
        ),
        expiries=list_expiries(types, movements, on_date),
        unlimited_types=list_unlimited_types(types, on_date),
        history=[movement for movement in reversed(movements) if today - HISTORY <= movement["date"] <= today],
        requests=[_request_values(*requested) for requested in reversed(requested_times)],
        declined_withdrawals=await requests.list_declined_withdrawals(request.tenant, employment.employee_id),
        upcoming=upcoming,
        left_on=last_day if has_left else None,
        paid_out=await _list_paid_out(request, employment, last_day) if last_day and has_left else [],
        form=form,
        starts=_starts_by_day(availability, names),
        not_offered=[names[type_id] for type_id in sorted(not_offered)],
        has_children=availability.has_children,
        on_date=on_date,
        counted_days=COUNTED_DAYS_NOTES[find_counted_days(day_lengths, employment.employee_id)],
        preview=preview,
        usage=usage,
        certificate_error=certificate_error,
        removable_ids=removable_ids,
        **await certificate_values(request, employment.employee_id, list_certified_ids(types)),
    )


def _not_offered(
    request: PageRequest, availability: LeaveAvailability, days_by_type: Mapping[int, int | float]
) -> set[int]:
    """Return the types for children that do not apply to the employee. A type that was chosen stays in the form."""
    chosen = request.form.get("type_id")
    return {type_id for type_id in availability.lacking_child if not days_by_type[type_id] and str(type_id) != chosen}


def _list_inclusions(types: Sequence[LeaveType], shown_balances: Iterable[BalanceView]) -> list[tuple[str, str]]:
    """List the types with a balance that other leave is also deducted from: the type, and the type it includes."""
    balance_names = {balance.name for balance in shown_balances}
    return [
        (including.name, leave_type.name)
        for leave_type in types
        if (including := find_including_type(types, leave_type)) and including.name in balance_names
    ]


def _starts_by_day(availability: LeaveAvailability, names: Mapping[int, str]) -> dict[LeaveStart, list[str]]:
    """Return the names of the leave types that start on the same day together."""
    starts: dict[LeaveStart, list[str]] = {}
    for type_id, start in availability.starts.items():
        starts.setdefault(start, []).append(names[type_id])
    return starts


async def _last_day_of_service(tx: Transaction, employment: Employment) -> date | None:
    """Return the last day of the latest service, or None if no end is recorded."""
    terms = await load_service_terms(tx, employment.client_id, [employment.employee_id])
    return terms[employment.employee_id][-1].end


async def _list_paid_out(request: PageRequest, employment: Employment, last_day: date) -> list[MovementJson]:
    """List the leave that is paid out at the end of the service."""
    movements = await balances.list_movements(request.tenant, employment.employee_id, last_day, None, None)
    return [movement for movement in movements if movement["kind"] == MovementKind.ENCASHMENT]


def _times_with_type(
    day_lengths: DayLengths, employment: Employment, leave_request: Mapping[str, Any]
) -> list[tuple[str | None, LeaveTime]]:
    return [(day["type"], leave_time(day_lengths, employment.employee_id, day)) for day in leave_request["dates"]]


def _time_by_type(times: Iterable[tuple[str | None, LeaveTime]]) -> list[str]:
    """Return how much leave of each type there is, in words."""
    times_by_type: dict[str, list[LeaveTime]] = {}
    for type_name, time in times:
        times_by_type.setdefault(type_name or "", []).append(time)
    return [format_leave(entries, label(name).lower()) for name, entries in times_by_type.items()]


def _request_values(leave_request: Mapping[str, Any], times: Sequence[tuple[str | None, LeaveTime]]) -> dict[str, Any]:
    days = sorted(time.date for _, time in times)
    return {
        **leave_request,
        "first": days[0],
        "last": days[-1],
        "time": ", ".join(_time_by_type(times)),
        "note": half_day_note([time for _, time in times]),
    }


def _error_fields(error: ValidationError | Conflict) -> dict[str, str]:
    """Return the field for each error of a single date."""
    fields = {"type_id": "type_id", "hours": "hours"}
    return {path: fields.get(path.rpartition(".")[2], "from") for path in error.errors if path.startswith("dates")}
