"""The inputs of regular hours, and the conditions under which each applies."""

from collections.abc import Mapping

from gaji.engine.catalogue import CYCLE, CYCLE_START, WEEKDAYS, StoredValue
from gaji.engine.regular_hours import DEFAULT_DAYS, FULL_DAY_HOURS
from gaji.payroll.calculations.inheritance import InputValues

WEEK_HOURS = "week_hours"
"""The calculation type of regular hours."""
DEFAULT_WEEK: Mapping[str, StoredValue] = {
    "full_day_hours_input": str(FULL_DAY_HOURS),
    "schedule": "fixed",
    **{f"works_{day}": day in DEFAULT_DAYS for day in WEEKDAYS},
}
"""The inputs below all levels. Whatever is entered at any level overrides them, input by input."""
CONDITIONAL_INPUTS = (
    "leave_any_day",
    CYCLE,
    CYCLE_START,
    *(f"{prefix}_{day}" for prefix in ("works", "day_type", "partial_hours") for day in WEEKDAYS),
)
"""The inputs that apply only under a condition, each after the inputs that it depends on."""


def unmet_condition(name: str, inputs: Mapping[str, StoredValue]) -> tuple[str, str] | None:
    """Return the input and the value that this input depends on, if the condition is not met.

    >>> unmet_condition("works_sat", {"schedule": "casual"})
    ('schedule', 'fixed')
    >>> unmet_condition("works_sat", {"schedule": "fixed", "cycle": "8 8 8 8 8 0 0 / 8 8 8 8 8 4 0"})
    ('cycle', 'blank')
    """
    prefix, _, day = name.rpartition("_")
    if (name in ("leave_any_day", CYCLE) or prefix == "works") and inputs.get("schedule") != "fixed":
        return "schedule", "fixed"
    if name == CYCLE_START and CYCLE not in inputs:
        return CYCLE, "entered"
    if prefix == "works" and CYCLE in inputs:
        return CYCLE, "blank"
    if prefix == "day_type" and inputs.get(f"works_{day}") is not True:
        return f"works_{day}", "true"
    if prefix == "partial_hours" and inputs.get(f"day_type_{day}") != "partial":
        return f"day_type_{day}", "partial"
    return None


def complete_week(inputs: Mapping[str, StoredValue]) -> InputValues:
    """Return the complete inputs of a week: those that were entered, on top of the default week.

    Inputs whose condition is not met are left out. They apply again when the condition is met again.

    >>> complete_week({"schedule": "casual", "works_sat": True})
    {'full_day_hours_input': '8', 'schedule': 'casual'}
    """
    applicable = {**DEFAULT_WEEK, **inputs}
    for name in CONDITIONAL_INPUTS:
        if name in applicable and unmet_condition(name, applicable):
            del applicable[name]
    return applicable
