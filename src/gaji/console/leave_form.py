"""Form fields for leave: the type, and how much of each day."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from enum import StrEnum
from typing import Any

from gaji.console.forms import Field, Form, Options
from gaji.console.glossary import label
from gaji.core import clock
from gaji.core.error_codes import NOT_ALLOWED, REQUIRED
from gaji.core.errors import ErrorCode, Errors
from gaji.leave.days.date_range import WorkingDate
from gaji.leave.days.duration import DayLengths, LeaveTime
from gaji.leave.days.schemas import HOURS_TYPE
from gaji.leave.requests.schemas import AFTERNOON, MORNING

LIMIT_PASSED = "The limit of this leave is passed. The days stay paid unless you change them to unpaid leave"
WHOLE, HALF, HOURS = "whole", "half", "hours"
TIMES: Options = ((WHOLE, "Whole day"), (HALF, "Half day"), (HOURS, "Hours"))
HALF_DAYS: Options = ((MORNING, "Half day, morning"), (AFTERNOON, "Half day, afternoon"))
"""The halves of a day, of which an employee who requests half a day chooses one."""
REQUEST_TIMES: Options = (TIMES[0], *HALF_DAYS, TIMES[-1])
TYPE = Field("type_id", "Leave type", kind="select", required=True, references_records=True)
TIME = Field(
    "time",
    "Time",
    kind="select",
    options=TIMES,
    default=WHOLE,
    hint="The same for each day. One and a half days are two entries: a whole day, and half a day.",
)
PART = Field("hours", "Hours", hint="Hours of leave on each day, if the time is “Hours”.", condition=f"time={HOURS}")
COUNTED_WORKING_DAYS = "Days off and public holidays are not counted. A public holiday within unpaid leave is not paid."
RANGE_FORM = Form(
    [
        TYPE,
        Field("from", "First day", kind="date", required=True),
        Field("to", "Last day", kind="date", hint="If blank: the same as the first day."),
        TIME,
        PART,
    ]
)
"""Leave for a range of dates. The dates that do not count are left out."""


class CountedDays(StrEnum):
    """Which dates of a range count as leave of an employee."""

    WORKING = "working"
    EXCEPT_HOLIDAYS = "except_holidays"
    """For employees without fixed working days."""
    ALL = "all"


HOURS_OF_WHOLE_DAY = ErrorCode("hours_of_whole_day", "must be blank unless the time is “Hours”")


def with_leave_types(form: Form, names: Mapping[int, str]) -> Form:
    """Return the form with the leave types of a company. The time is a whole day unless something else was entered."""
    options = [(str(type_id), label(name)) for type_id, name in names.items()]
    is_blank = not any(field.value for field in form.section(TIME.name, PART.name))
    changes: dict[str, dict[str, Any]] = {TYPE.name: {"options": options}}
    if is_blank:
        changes[TIME.name] = {"value": WHOLE}
    return replace(form, fields=[replace(field, **changes.get(field.name, {})) for field in form.fields])


def check_time(submitted: Mapping[str, Any], errors: Errors) -> None:
    """Add an error if the time is not an option, or if it is a number of hours that is missing."""
    time = submitted["time"]
    if time is not None and time not in dict((*TIMES, *HALF_DAYS)):
        errors.add("time", NOT_ALLOWED, allowed=[value for value, _ in TIMES])
    elif time == HOURS and submitted["hours"] is None:
        errors.add("hours", REQUIRED)
    elif time == WHOLE and submitted["hours"] is not None:
        errors.add("hours", HOURS_OF_WHOLE_DAY)


def leave_day_bodies(submitted: Mapping[str, Any], dates: Sequence[WorkingDate]) -> list[dict[str, Any]]:
    """Return the leave days that a form describes, in the API's form. Hours count even if the time is left blank."""
    type_id, time = submitted["type_id"], submitted["time"]
    hours, is_half = submitted["hours"], time == HALF or time in dict(HALF_DAYS)
    return [
        {"date": str(day.date), "type_id": type_id, "hours": day.half_day_hours if is_half else hours} for day in dates
    ]


def find_counted_days(day_lengths: DayLengths, employee_id: int) -> CountedDays:
    """Return which dates of a range count as leave now."""
    today = clock.today()
    if day_lengths.allows_any_day(employee_id, today):
        return CountedDays.ALL
    is_casual = day_lengths.schedule(employee_id).on(today).casual
    return CountedDays.EXCEPT_HOLIDAYS if is_casual else CountedDays.WORKING


def leave_time(day_lengths: DayLengths, employee_id: int, day: Mapping[str, Any]) -> LeaveTime:
    """Return a leave day, in the API's form, with what it takes from the balance. Invalid hours mean the whole day."""
    hours = day["hours"]
    millihours = None if hours is None else HOURS_TYPE.parse(str(hours), "hours", Errors())
    return day_lengths.leave_time(employee_id, date.fromisoformat(day["date"]), millihours)


def with_limit_notice(notice: str, warnings: Mapping[str, str]) -> str:
    """Return a notice that also says whether recorded days pass the limit of their type."""
    passes_limit = any(path.rpartition(".")[2] == "date" for path in warnings)
    return f"{notice}. {LIMIT_PASSED}" if passes_limit else notice
