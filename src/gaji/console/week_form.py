"""Working hours as a week of seven rows.

A row says whether the day is a working day. Its hours are blank if they are those of a full day.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from gaji.console.forms import Field, Form
from gaji.engine.catalogue import CYCLE, CYCLE_START, WEEKDAYS
from gaji.engine.regular_hours import work_week
from gaji.law.quantities import MILLI, format_millis
from gaji.payroll.calculations.inheritance import inputs_json
from gaji.payroll.calculations.regular_hours.schedule import complete_week

DETAILS = "calculation_details"
"""The attribute with the inputs of a pay item."""
BuildField = Callable[[Mapping[str, Any], Any, Any], Field]
"""Returns the field of an input with its value and the inherited value."""
DAY_NAMES = dict(
    zip(WEEKDAYS, ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"), strict=True)
)
DAY_STATES = (("true", "Working day"), ("false", "Day off"))
BEFORE_DAYS = ("schedule", "full_day_hours_input")
AFTER_DAYS = (CYCLE, CYCLE_START, "full_days_per_week", "leave_any_day")
FULL_DAY = "full_day_hours_input"
HOURS = re.compile(r"[0-9]{1,2}(\.[0-9]{1,3})?")


@dataclass(frozen=True)
class WeekRow:
    """One day of a working week."""

    day: str
    hours: str
    """Empty for a day off."""


@dataclass(frozen=True)
class WeekSummary:
    """A working week in words: its days, its total, and what is special about it."""

    rows: Sequence[WeekRow]
    """Empty for casual work and for cycles of several weeks."""
    total: str
    cycle: str
    cycle_start: str
    is_casual: bool


def complete_inputs(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs of a week on top of the default week, as the API shows them."""
    return inputs_json(complete_week(_typed(inputs)))


def _typed(inputs: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value == "true" if value in ("true", "false") else value for name, value in inputs.items()}


def summarise_week(inputs: Mapping[str, Any]) -> WeekSummary:
    """Return a working week in words."""
    inputs = complete_inputs(inputs)
    is_week = inputs["schedule"] == "fixed" and CYCLE not in inputs
    rows = [WeekRow(name, _day_hours(inputs, day)) for day, name in DAY_NAMES.items()] if is_week else []
    return WeekSummary(
        rows, _total_hours(inputs), inputs.get(CYCLE, ""), inputs.get(CYCLE_START, ""), inputs["schedule"] == "casual"
    )


def _day_hours(inputs: Mapping[str, Any], day: str) -> str:
    if inputs.get(f"works_{day}") != "true":
        return ""
    if inputs.get(f"day_type_{day}") == "partial":
        return str(inputs.get(f"partial_hours_{day}") or format_millis(round(Decimal(inputs[FULL_DAY]) * MILLI / 2)))
    return str(inputs[FULL_DAY])


def _total_hours(inputs: Mapping[str, Any]) -> str:
    """Return the hours of a week, on average if it is a cycle."""
    return format_millis(round(work_week(_typed(inputs), 0).week_millihours))


def week_fields(
    build_field: BuildField, inputs: Mapping[str, Any], item_inputs: Iterable[Mapping[str, Any]]
) -> list[Field]:
    """Return the fields of a week, with two for each day."""
    week_inputs = complete_inputs(inputs)
    by_name = {item_input["name"]: item_input for item_input in item_inputs}
    before, after = (
        [build_field(by_name[name], week_inputs.get(name), None) for name in names if name in by_name]
        for names in (BEFORE_DAYS, AFTER_DAYS)
    )
    return [*before, *(field for day in WEEKDAYS for field in _day_fields(day, week_inputs)), *after]


def _day_fields(day: str, week_inputs: Mapping[str, Any]) -> list[Field]:
    is_partial = week_inputs.get(f"day_type_{day}") == "partial"
    return [
        Field(
            f"{DETAILS}.works_{day}",
            DAY_NAMES[day],
            kind="select",
            value=week_inputs.get(f"works_{day}", ""),
            options=DAY_STATES,
        ),
        Field(
            f"{DETAILS}.partial_hours_{day}",
            f"Hours on {DAY_NAMES[day]}",
            value=_day_hours(week_inputs, day) if is_partial else "",
            default=str(week_inputs[FULL_DAY]),
        ),
    ]


def week_errors() -> dict[str, str]:
    """Return the fields that show the errors of inputs without a field."""
    return {f"{DETAILS}.day_type_{day}": f"{DETAILS}.partial_hours_{day}" for day in WEEKDAYS}


def week_changes(form: Form, submitted: Mapping[str, str]) -> dict[str, Any]:
    """Return the inputs that differ from what the form showed: the week in force, from whatever level."""
    before = {field.name.removeprefix(f"{DETAILS}."): field.value for field in form.fields}
    after = {name: submitted.get(f"{DETAILS}.{name}", "").strip() for name in before}
    names = [name for name in (*BEFORE_DAYS, *AFTER_DAYS) if name in before]
    changes: dict[str, Any] = {name: after[name] or None for name in names if after[name] != before[name]}
    for day in WEEKDAYS:
        works, hours = f"works_{day}", f"partial_hours_{day}"
        if (after[works], after[hours]) != (before[works], before[hours]):
            changes |= _day_changes(day, after[works], after[hours], after[FULL_DAY])
    return changes


def _day_changes(day: str, works: str, hours: str, full_day_hours: str) -> dict[str, Any]:
    """Return the inputs of a day whose row was changed.

    >>> _day_changes("sat", "true", "4", "8")
    {'works_sat': 'true', 'day_type_sat': 'partial', 'partial_hours_sat': '4'}
    >>> _day_changes("sat", "false", "", "8")
    {'works_sat': 'false'}
    """
    if hours and hours != full_day_hours:
        return {f"works_{day}": works or None, f"day_type_{day}": "partial", f"partial_hours_{day}": hours}
    full_day = {f"day_type_{day}": "full", f"partial_hours_{day}": None} if works == "true" else {}
    return {f"works_{day}": works or None, **full_day}


@dataclass(frozen=True)
class WeekLayout:
    """The fields of a week in the order of the page."""

    before: Sequence[Field]
    days: Sequence[tuple[Field, Field]]
    """For each day, whether it is a working day, and its hours."""
    after: Sequence[Field]
    total: str


def lay_out_week(form: Form) -> WeekLayout:
    """Return the fields of a form that `week_fields` made."""
    fields = {field.name.removeprefix(f"{DETAILS}."): field for field in form.fields}
    before = [fields.pop(name) for name in BEFORE_DAYS]
    days = [(fields.pop(f"works_{day}"), fields.pop(f"partial_hours_{day}")) for day in WEEKDAYS]
    return WeekLayout(before, days, list(fields.values()), _shown_total(days, before[1].value))


def _shown_total(days: Iterable[tuple[Field, Field]], full_day_hours: str) -> str:
    """Return the hours of the week as entered, or a dash while they cannot be counted."""
    hours = [hours.value.strip() or full_day_hours.strip() for works, hours in days if works.value == "true"]
    if not all(HOURS.fullmatch(text) for text in hours):
        return "–"
    return format_millis(sum(round(Decimal(text) * MILLI) for text in hours))
