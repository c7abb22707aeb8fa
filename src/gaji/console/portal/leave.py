"""The employee's leave: balances, requests and the form for a new request."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from gaji.console.formats import format_count
from gaji.console.forms import Field, Form
from gaji.console.glossary import PORTAL_ERRORS, label
from gaji.console.pages import PageRouter
from gaji.console.portal.employment import load_employment, render_portal
from gaji.console.request import PageRequest
from gaji.core import clock
from gaji.core.errors import REQUIRED, Conflict, ErrorCode, Errors, ValidationError
from gaji.core.validation import DateType
from gaji.leave.balances import service as balances
from gaji.leave.days import service as leave_days
from gaji.leave.days.date_range import list_working_dates
from gaji.leave.requests import service as requests
from gaji.leave.requests.schemas import LEAVE_REQUEST
from gaji.leave.types import service as leave_types
from gaji.people.self_service.service import Employment, company_view
from gaji.web.responses import HttpResponse

router = PageRouter()

REASON = next(attribute for attribute in LEAVE_REQUEST.attributes if attribute.name == "reason")
HOURS_FOR_SEVERAL_DAYS = ErrorCode("hours_for_several_days", "is only allowed for a single day")
FORM = Form(
    [
        Field("type_id", "Leave type", kind="select", required=True, references_records=True),
        Field("from", "First day", kind="date", required=True),
        Field("to", "Last day", kind="date", hint="If blank: the same as the first day."),
        Field("hours", "Hours", hint="For part of a single day. If blank: the whole day."),
        Field("reason", "Reason", hint="Optional.", max_length=500, wide=True),
    ]
)


@router.get("/own/{employee_id}/leave")
async def show_leave(request: PageRequest) -> HttpResponse:
    """Show balances, requests and the form for a new request."""
    return await _page(request, await load_employment(request))


@router.post("/own/{employee_id}/leave")
async def request_leave(request: PageRequest) -> HttpResponse:
    """Request leave for a range of dates."""
    employment = await load_employment(request)
    try:
        body = await _request_body(request, employment)
        await requests.create_request(request.tenant, employment.employee_id, body)
    except (ValidationError, Conflict) as error:
        return await _page(request, employment, error)
    days = format_count(len(body["dates"]), "day")
    return request.redirect(f"/own/{employment.employee_id}/leave", f"Request for {days} of leave sent")


async def _request_body(request: PageRequest, employment: Employment) -> dict[str, Any]:
    """Return the submitted form as a request body, with every working day of the range."""
    async with company_view(request.tenant, employment):
        names = await leave_types.list_types(request.tenant, employment.client_id)
    submitted = _with_types(FORM, names).to_body(request.form)
    errors = Errors()
    if submitted["type_id"] is None:
        errors.add("type_id", REQUIRED)
    first = DateType().parse(submitted["from"] or "", "from", errors)
    last = DateType().parse(submitted["to"], "to", errors) if submitted["to"] else first
    REASON.type.parse(submitted["reason"] or "", "reason", errors)
    if submitted["hours"] and first != last:
        errors.add("hours", HOURS_FOR_SEVERAL_DAYS)
    if first is None or last is None or errors:
        raise ValidationError(errors)
    async with company_view(request.tenant, employment):
        dates = await list_working_dates(request.tenant, employment.employee_id, first, last)
    days = [{"date": str(day), "type_id": submitted["type_id"], "hours": submitted["hours"]} for day in dates]
    return {"dates": days, "reason": submitted["reason"]}


async def _page(
    request: PageRequest, employment: Employment, error: ValidationError | Conflict | None = None
) -> HttpResponse:
    async with company_view(request.tenant, employment):
        names = await leave_types.list_types(request.tenant, employment.client_id)
    days_by_type = await balances.read_balances(request.tenant, employment.employee_id, None)
    request_elements, _ = await requests.list_requests(request.tenant, employment.employee_id, None)
    day_elements, _ = await leave_days.list_days(request.tenant, employment.employee_id, clock.today(), None, None)
    form = _with_types(FORM.with_values(request.form), names)
    if error:
        form = form.with_errors(error, _error_fields(error), PORTAL_ERRORS)
    return await render_portal(
        request,
        employment,
        "portal_leave.html",
        status=error.status if error else 200,
        here="Leave",
        balances=[(names[type_id], days) for type_id, days in days_by_type.items() if days],
        requests=[_request_values(msgspec.json.decode(element)) for element in reversed(request_elements)],
        upcoming=[msgspec.json.decode(element) for element in day_elements],
        form=form,
    )


def _with_types(form: Form, names: Mapping[int, str]) -> Form:
    options = [(str(type_id), label(name)) for type_id, name in names.items()]
    return Form([replace(field, options=options) if field.name == "type_id" else field for field in form.fields])


def _request_values(leave_request: Mapping[str, Any]) -> dict[str, Any]:
    dates: Sequence[Mapping[str, Any]] = leave_request["dates"]
    days = sorted(date["date"] for date in dates)
    return {
        **leave_request,
        "first": days[0],
        "last": days[-1],
        "count": len(days),
        "types": list(dict.fromkeys(date["type"] or "" for date in dates)),
        "hours": dates[0]["hours"] if len(dates) == 1 else None,
    }


def _error_fields(error: ValidationError | Conflict) -> dict[str, str]:
    """Return the field for each error of a single date."""
    fields = {"type_id": "type_id", "hours": "hours"}
    return {path: fields.get(path.rpartition(".")[2], "from") for path in error.errors if path.startswith("dates")}
