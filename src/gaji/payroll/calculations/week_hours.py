"""Regular hours: which of their inputs apply beside which others, and their history.

A history holds by effective date what changed on that day, null where an input was cleared; the initial inputs are
under the empty string, which comes before every date.

>>> history = {"": {"schedule": "fixed", "works_sat": True}, "2026-04-01": {"works_sat": None}}
>>> at(history, "2026-03-31"), at(history, "2026-04-01")
({'schedule': 'fixed', 'works_sat': True}, {'schedule': 'fixed'})
"""

from collections.abc import Mapping

from gaji.engine.catalogue import WEEKDAYS, StoredValue
from gaji.payroll.calculations.inheritance import InputValues

TYPE = "week_hours"
INITIAL = ""
CONDITIONAL = (
    "leave_any_day",
    *(f"{about}_{day}" for about in ("works", "day_type", "partial_hours") for day in WEEKDAYS),
)
"""The inputs that only apply beside others, each after those that it depends on."""
History = Mapping[str, Mapping[str, StoredValue | None]]


def why_not(name: str, inputs: Mapping[str, StoredValue]) -> str | None:
    """What has to be so for this input to mean anything, where it is not."""
    about, _, day = name.rpartition("_")
    if (name == "leave_any_day" or about == "works") and inputs.get("schedule") != "fixed":
        return "schedule is fixed"
    if about == "day_type" and inputs.get(f"works_{day}") is not True:
        return f"works_{day} is true"
    if about == "partial_hours" and inputs.get(f"day_type_{day}") != "partial":
        return f"day_type_{day} is partial"
    return None


def applicable(inputs: Mapping[str, StoredValue]) -> InputValues:
    """The inputs that mean something beside the others."""
    found = dict(inputs)
    for name in CONDITIONAL:
        if name in found and why_not(name, found):
            del found[name]
    return found


def at(history: History, day: str) -> InputValues:
    """The inputs on a day, written as in ISO 8601."""
    found: dict[str, StoredValue | None] = {}
    for since in sorted(history):
        if since <= day:
            found |= history[since]
    return {name: value for name, value in found.items() if value is not None}


def before(history: History, day: str) -> InputValues:
    """The inputs until a day."""
    return at({since: changes for since, changes in history.items() if since < day}, day)


def changed(
    history: History, since: str, inputs: Mapping[str, StoredValue]
) -> dict[str, dict[str, StoredValue | None]]:
    """The history with these inputs from a day on, or from the beginning; later changes stay."""
    earlier = before(history, since)
    cleared = dict.fromkeys(earlier.keys() - inputs.keys())
    changes = {name: value for name, value in inputs.items() if earlier.get(name) != value} | cleared
    kept = {day: dict(one) for day, one in history.items() if day != since}
    return kept | ({since: changes} if changes or since == INITIAL else {})
