"""One's own leave: what is left, what was asked for and answered, and asking for more."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from gaji.console.forms import Field, Form, as_validation_error
from gaji.console.pages import PageRouter

from gaji.console.portal.employment import load_job, render_for_job
from gaji.console.request import PageRequest
from gaji.core import clock
from gaji.core.errors import INVALID, Conflict, Errors, ValidationError
from gaji.core.validation import DateType
from gaji.leave.balances import service as balances
from gaji.leave.days import service as leave_days
from gaji.leave.days.date_range import dates_of_stretch
from gaji.leave.requests import service as requests
from gaji.leave.requests.rules import LEAVE_REQUEST
from gaji.leave.types import service as leave_types
from gaji.people.self_service.service import Job, as_the_company_sees
from gaji.web.responses import HttpResponse

router = PageRouter()

REASON = next(one for one in LEAVE_REQUEST.attributes if one.name == "reason")
FORM = Form(
    [
        Field("type_id", "Kind of leave", kind="select", required=True, of_records=True),
        Field("from", "First day", kind="date", required=True),
        Field("to", "Last day", kind="date", hint="Left open, it is one day."),
        Field("hours", "Hours", hint="For a part of one day; left open, it is the whole day."),
        Field("reason", "Reason", hint="If you want to say.", most=500, wide=True),
    ]
)
PLACES = {"date": "from", "type_id": "type_id", "hours": "hours"}
"""Where in the form a fault of a date stands."""


@router.get("/own/{employee_id}/leave")
async def show_leave(request: PageRequest) -> HttpResponse:
    """Balances, requests and the form to ask."""
    return await _page(request, await load_job(request))


@router.post("/own/{employee_id}/leave")
async def ask_for_leave(request: PageRequest) -> HttpResponse:
    """Ask for leave from a day to a day."""
    job = await load_job(request)
    try:
        wanted = await _wanted(request, job)
        await requests.create_request(request.tenant, job.employee_id, wanted)
    except (ValidationError, Conflict) as error:
        return await _page(request, job, error)
    days = format_count(len(wanted["dates"]), "day")
    return request.redirect(f"/own/{job.employee_id}/leave", f"You have asked for {days} of leave; the answer will stand here")


async def _wanted(request: PageRequest, job: Job) -> dict[str, Any]:
    """What was typed as the API takes it: each day on which there is work."""
    async with as_the_company_sees(request.tenant, job):
        names = await leave_types.list_types(request.tenant, job.client_id)
    typed = _with_types(FORM, names).body(request.form)
    faults: Errors = Errors()
    if typed["type_id"] is None:
        faults.add("type_id", INVALID, reason="is required")
    first = DateType().parse(typed["from"] or "", "from", faults)
    last = DateType().parse(typed["to"], "to", faults) if typed["to"] else first
    REASON.type.read(typed["reason"] or "", "reason", faults)
    if typed["hours"] and first != last:
        faults.add("hours", INVALID, reason="can be given for one day only")
    if first is None or last is None or faults:
        raise ValidationError(faults)
    async with as_the_company_sees(request.tenant, job):
        dates = await dates_of_stretch(request.tenant, job.employee_id, first, last)
    days = [{"date": str(one), "type_id": typed["type_id"], "hours": typed["hours"]} for one in dates]
    return {"dates": days, "reason": typed["reason"]}


async def _page(request: PageRequest, job: Job, error: ValidationError | Conflict | None = None) -> HttpResponse:
    async with as_the_company_sees(request.tenant, job):
        names = await leave_types.list_types(request.tenant, job.client_id)
    left = await balances.read_balances(request.tenant, job.employee_id, None)
    asked, _ = await requests.list_requests(request.tenant, job.employee_id, None)
    ahead, _ = await leave_days.list_days(request.tenant, job.employee_id, clock.today(), None, None)
    form = _with_types(FORM.with_values(request.form), names)
    return await render_for_job(
        request,
        job,
        "portal_leave.html",
        status=error.status if error else 200,
        here="Leave",
        balances=[(names[type_id], days) for type_id, days in left.items() if days],
        requests=[_request(msgspec.json.decode(one)) for one in reversed(asked)],
        ahead=[msgspec.json.decode(one) for one in ahead],
        form=form.with_errors(_at_fields(error)) if error else form,
    )


def _with_types(form: Form, names: Mapping[int, str]) -> Form:
    options = [(str(type_id), label(name)) for type_id, name in names.items()]
    return Form([replace(one, options=options) if one.name == "type_id" else one for one in form.fields])


def _request(one: Mapping[str, Any]) -> dict[str, Any]:
    dates: Sequence[Mapping[str, Any]] = one["dates"]
    days = sorted(date["date"] for date in dates)
    kinds = list(dict.fromkeys(date["type"] or "" for date in dates))
    hours = dates[0]["hours"] if len(dates) == 1 else None
    return {**one, "first": days[0], "last": days[-1], "count": len(days), "kinds": kinds, "hours": hours}


def _at_fields(error: ValidationError | Conflict) -> ValidationError:
    """The faults of dates at the fields that they were made of: many days that fail for one reason say it once."""
    told = as_validation_error(error)
    found: dict[str, list[str]] = {}
    for path, text in told.errors.items():
        name = PLACES.get(path.rpartition(".")[2], path) if path.startswith("dates.") else path
        said = found.setdefault(name, [])
        if text not in said:
            said.append(text)
    return ValidationError({name: "; ".join(texts) for name, texts in found.items()}, told.message)
