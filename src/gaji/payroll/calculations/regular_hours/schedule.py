"""The inputs of regular hours, and the conditions under which each applies."""

from collections.abc import Mapping

from gaji.engine.catalogue import WEEKDAYS, StoredValue
from gaji.payroll.calculations.inheritance import InputValues

WEEK_HOURS = "week_hours"
"""The calculation type of regular hours."""
CONDITIONAL_INPUTS = (
    "leave_any_day",
    *(f"{prefix}_{day}" for prefix in ("works", "day_type", "partial_hours") for day in WEEKDAYS),
)
"""The inputs that apply only under a condition, each after the inputs that it depends on."""


def unmet_condition(name: str, inputs: Mapping[str, StoredValue]) -> tuple[str, str] | None:
    """Return the input and the value that this input depends on, if the condition is not met.

    >>> unmet_condition("works_sat", {"schedule": "flexible"})
    ('schedule', 'fixed')
    """
    prefix, _, day = name.rpartition("_")
    if (name == "leave_any_day" or prefix == "works") and inputs.get("schedule") != "fixed":
        return "schedule", "fixed"
    if prefix == "day_type" and inputs.get(f"works_{day}") is not True:
        return f"works_{day}", "true"
    if prefix == "partial_hours" and inputs.get(f"day_type_{day}") != "partial":
        return f"day_type_{day}", "partial"
    return None


def applicable_inputs(inputs: Mapping[str, StoredValue]) -> InputValues:
    """Leave out the inputs whose condition is not met."""
    applicable = dict(inputs)
    for name in CONDITIONAL_INPUTS:
        if name in applicable and unmet_condition(name, applicable):
            del applicable[name]
    return applicable
