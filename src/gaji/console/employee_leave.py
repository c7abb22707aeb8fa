"""Leave of an employee: record, change and cancel days, and adjust balances."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from gaji.console.employee_record_page import (
    Employee,
    load_writable_employee,
    redirect_to_leave,
    show_record_form,
)
from gaji.console.employee_tabs import show_tab
from gaji.console.formats import format_count
from gaji.console.forms import Field, Form, require_known_ids
from gaji.console.glossary import ERRORS
from gaji.console.leave_errors import join_leave_errors
from gaji.console.leave_form import (
    HALF,
    HOURS,
    PART,
    RANGE_FORM,
    TIME,
    TYPE,
    WHOLE,
    check_time,
    leave_day_bodies,
    leave_time,
    with_leave_types,
    with_limit_notice,
)
from gaji.console.pages import Confirmation, PageRouter
from gaji.console.request import PageRequest
from gaji.core.error_codes import REQUIRED
from gaji.core.errors import Conflict, Errors, NotFound, ValidationError
from gaji.core.field_types import DateType
from gaji.leave.adjustments import service as adjustments
from gaji.leave.days import service as days
from gaji.leave.days.date_range import list_working_dates
from gaji.leave.days.duration import LeaveTime, load_day_lengths
from gaji.leave.types import service as leave_types
from gaji.web.responses import HttpResponse

router = PageRouter()

DAY_FORM = Form([TYPE, Field("date", "Date", kind="date", required=True), TIME, PART])
ADJUSTMENT_FORM = Form(
    [
        TYPE,
        Field("date", "Counts from", kind="date", required=True),
        Field("days", "Days", required=True, hint="Negative to deduct days, such as -1.5."),
        Field("reason", "Reason", required=True, max_length=500, wide=True),
    ]
)
NO_DAYS_CHOSEN = "Choose the days to cancel first"


@router.post("/employees/{employee_id}/leave_days")
async def record_days(request: PageRequest) -> HttpResponse:
    """Record leave for a range of dates."""
    employee = await load_writable_employee(request)
    form = await _with_types(request, employee, RANGE_FORM)
    try:
        recorded, warnings = await _record_range(request, employee, form.to_body(request.form))
    except (ValidationError, Conflict) as error:
        failed = form.with_values(request.form).with_errors(error, {"dates": "from"})
        return await show_tab(request, "leave", status=error.status, record_form=failed)
    notice = with_limit_notice(f"{format_count(recorded, 'day')} of leave recorded", warnings)
    return redirect_to_leave(request, employee, notice)


@router.post(
    "/employees/{employee_id}/leave_days/cancel",
    confirm=Confirmation(
        "Cancel the chosen days of leave?",
        "The days return to the balance. Drafts are calculated again.",
        "Cancel the days",
    ),
)
async def cancel_days(request: PageRequest) -> HttpResponse:
    """Cancel the leave days that were chosen, all or none."""
    employee = await load_writable_employee(request)
    chosen = list(dict.fromkeys(request.fields.get("day_id", [])))
    elements, _ = await days.list_days(request.tenant, employee["id"], None)
    known_ids = {str(msgspec.json.decode(element)["id"]) for element in elements}
    require_known_ids(chosen, known_ids, "leave day")
    if not chosen:
        return redirect_to_leave(request, employee, NO_DAYS_CHOSEN)
    try:
        await days.delete_days(request.tenant, employee["id"], {"ids": chosen}, late=request.is_late)
    except (ValidationError, Conflict) as error:
        return await show_tab(request, "leave", status=error.status, error=error)
    return redirect_to_leave(request, employee, f"{format_count(len(chosen), 'day')} of leave cancelled")


@router.get("/employees/{employee_id}/leave_days/{leave_day_id}/edit")
async def edit_day(request: PageRequest) -> HttpResponse:
    """Show the form of a leave day."""
    employee = await load_writable_employee(request)
    leave_day = await _load_day(request, employee["id"])
    form = await _with_types(request, employee, DAY_FORM)
    return await show_record_form(request, employee, "Edit leave day", form.with_values(_day_values(leave_day)))


@router.post("/employees/{employee_id}/leave_days/{leave_day_id}/edit")
async def change_day(request: PageRequest) -> HttpResponse:
    """Change the type, the date or the time of a leave day."""
    employee = await load_writable_employee(request)
    leave_day = await _load_day(request, employee["id"])
    form = await _with_types(request, employee, DAY_FORM)
    try:
        body = await _day_body(request, employee["id"], form.to_body(request.form))
        changed = await days.update_day(request.tenant, leave_day["id"], body, late=request.is_late)
    except (ValidationError, Conflict) as error:
        failed = form.with_values(request.form).with_errors(error, {"from": "date"})
        return await show_record_form(request, employee, "Edit leave day", failed, error.status)
    return redirect_to_leave(request, employee, with_limit_notice("Leave day changed", changed.warnings))


@router.get("/employees/{employee_id}/leave_adjustments/new")
async def new_adjustment(request: PageRequest) -> HttpResponse:
    """Show the form of a new adjustment."""
    employee = await load_writable_employee(request)
    form = await _with_types(request, employee, ADJUSTMENT_FORM)
    return await show_record_form(request, employee, "Adjust leave", form)


@router.post("/employees/{employee_id}/leave_adjustments/new")
async def create_adjustment(request: PageRequest) -> HttpResponse:
    """Grant or deduct days, with a reason."""
    employee = await load_writable_employee(request)
    form = await _with_types(request, employee, ADJUSTMENT_FORM)
    try:
        await adjustments.create_adjustment(request.tenant, employee["id"], form.to_body(request.form))
    except (ValidationError, Conflict) as error:
        failed = form.with_values(request.form).with_errors(error)
        return await show_record_form(request, employee, "Adjust leave", failed, error.status)
    return redirect_to_leave(request, employee, "Adjustment saved")


@router.get("/employees/{employee_id}/leave_adjustments/{adjustment_id}/edit")
async def edit_adjustment(request: PageRequest) -> HttpResponse:
    """Show the form of an adjustment."""
    employee = await load_writable_employee(request)
    adjustment = await _load_adjustment(request, employee["id"])
    form = await _with_types(request, employee, ADJUSTMENT_FORM)
    values = {field.name: str(adjustment[field.name]) for field in form.fields}
    return await show_record_form(request, employee, "Edit adjustment", form.with_values(values))


@router.post("/employees/{employee_id}/leave_adjustments/{adjustment_id}/edit")
async def change_adjustment(request: PageRequest) -> HttpResponse:
    """Change an adjustment."""
    employee = await load_writable_employee(request)
    adjustment = await _load_adjustment(request, employee["id"])
    form = await _with_types(request, employee, ADJUSTMENT_FORM)
    try:
        await adjustments.update_adjustment(request.tenant, adjustment["id"], form.to_body(request.form))
    except (ValidationError, Conflict) as error:
        failed = form.with_values(request.form).with_errors(error)
        return await show_record_form(request, employee, "Edit adjustment", failed, error.status)
    return redirect_to_leave(request, employee, "Adjustment saved")


@router.post(
    "/employees/{employee_id}/leave_adjustments/{adjustment_id}/delete",
    confirm=Confirmation("Remove this adjustment?", "The balance changes by its days.", "Remove"),
)
async def delete_adjustment(request: PageRequest) -> HttpResponse:
    """Remove an adjustment."""
    employee = await load_writable_employee(request)
    adjustment = await _load_adjustment(request, employee["id"])
    try:
        await adjustments.delete_adjustment(request.tenant, adjustment["id"])
    except Conflict as error:
        return await show_tab(request, "leave", status=error.status, error=error)
    return redirect_to_leave(request, employee, "Adjustment removed")


async def _with_types(request: PageRequest, employee: Employee, form: Form) -> Form:
    return with_leave_types(form, await leave_types.list_types(request.tenant, employee["client_id"]))


async def _record_range(
    request: PageRequest, employee: Employee, submitted: Mapping[str, Any]
) -> tuple[int, Mapping[str, str]]:
    """Record the working days of a range and return their number, and warnings."""
    employee_id, errors = employee["id"], Errors()
    first = DateType().parse(submitted["from"] or "", "from", errors)
    last = DateType().parse(submitted["to"], "to", errors) if submitted["to"] else first
    _check_type_and_time(submitted, errors)
    if first is None or last is None or errors:
        raise ValidationError(errors)
    dates = await list_working_dates(request.tenant, employee_id, first, last)
    body = {"dates": leave_day_bodies(submitted, dates)}
    try:
        _, validated = await days.create_days(request.tenant, employee_id, body, late=request.is_late)
    except ValidationError as error:
        times = await _list_leave_times(request, employee, body["dates"])
        raise join_leave_errors(error, times, ERRORS) from None
    return len(dates), validated.warnings


async def _list_leave_times(
    request: PageRequest, employee: Employee, bodies: Sequence[Mapping[str, Any]]
) -> list[LeaveTime]:
    """Return leave days with what they take from the balance."""
    async with request.tenant.read_only() as tx:
        day_lengths = await load_day_lengths(tx, employee["client_id"], [employee["id"]])
    return [leave_time(day_lengths, employee["id"], body) for body in bodies]


async def _day_body(request: PageRequest, employee_id: int, submitted: Mapping[str, Any]) -> dict[str, Any]:
    """Return the submitted form of one day as a request body."""
    errors = Errors()
    day = DateType().parse(submitted["date"] or "", "date", errors)
    _check_type_and_time(submitted, errors)
    if day is None or errors:
        raise ValidationError(errors)
    [body] = leave_day_bodies(submitted, await list_working_dates(request.tenant, employee_id, day, day))
    return body


def _check_type_and_time(submitted: Mapping[str, Any], errors: Errors) -> None:
    if submitted[TYPE.name] is None:
        errors.add(TYPE.name, REQUIRED)
    check_time(submitted, errors)


async def _load_day(request: PageRequest, employee_id: int) -> dict[str, Any]:
    elements, _ = await days.list_days(request.tenant, employee_id, None)
    day_id = request.ids["leave_day_id"]
    for leave_day in map(msgspec.json.decode, elements):
        if leave_day["id"] == day_id:
            return dict(leave_day)
    raise NotFound(f"Leave day {day_id} does not exist")


async def _load_adjustment(request: PageRequest, employee_id: int) -> dict[str, Any]:
    elements, _ = await adjustments.list_adjustments(request.tenant, employee_id, None)
    adjustment_id = request.ids["adjustment_id"]
    for adjustment in map(msgspec.json.decode, elements):
        if adjustment["id"] == adjustment_id:
            return dict(adjustment)
    raise NotFound(f"Leave adjustment {adjustment_id} does not exist")


def _day_values(leave_day: Mapping[str, Any]) -> dict[str, str]:
    """Return a leave day as the values of its form."""
    hours = leave_day["hours"]
    time = WHOLE if hours is None else HALF if leave_day["days"] == 0.5 else HOURS
    values = {"type_id": str(leave_day["type_id"]), "date": leave_day["date"], "time": time}
    return {**values, "hours": str(hours)} if time == HOURS else values
