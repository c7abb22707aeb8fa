"""The history of regular hours.

A history holds what was entered for an employee, by effective date, null for a cleared input. What has no date is under
the empty string, which sorts before every date.

>>> history = {"": {"works_sat": True}, "2026-04-01": {"works_sat": None, "full_day_hours_input": "7"}}
>>> inputs_on(history, "2026-03-31"), inputs_on(history, "2026-04-01")
({'works_sat': True}, {'full_day_hours_input': '7'})
"""

from collections.abc import Mapping
from datetime import date

from gaji.payroll.calculations.inheritance import InputChanges, InputValues
from gaji.payroll.calculations.regular_hours.schedule import DEFAULT_WEEK

INITIAL = ""
History = Mapping[str, InputChanges]


def inputs_on(history: History, day: str) -> InputValues:
    """Return the inputs that the employee has on a day, which is an ISO date. Other levels are not included."""
    inputs: InputChanges = {}
    for effective_date in sorted(history):
        if effective_date <= day:
            inputs |= history[effective_date]
    return {name: value for name, value in inputs.items() if value is not None}


def change_since(history: History, effective_date: date, changes: InputChanges) -> History:
    """Return the history with these changes since a date. Later changes stay.

    >>> change_since({"": {"works_sat": True}}, date(2026, 4, 1), {"works_sat": None, "works_sun": None})
    {'': {'works_sat': True}, '2026-04-01': {'works_sat': None}}
    """
    day = effective_date.isoformat()
    others = {other: entry for other, entry in history.items() if other != day}
    before = inputs_on({other: entry for other, entry in others.items() if other < day}, day)
    entry = {**history.get(day, {}), **changes}
    entry = {name: value for name, value in entry.items() if value is not None or name in before}
    return {**others, day: entry} if entry else others


def correct(history: History, today: date, changes: InputChanges) -> History:
    """Return the history with other inputs in force today: each is changed where its value today comes from.

    >>> correct({"2026-04-01": {"works_sat": True}}, date(2026, 5, 1), {"works_sat": False, "works_sun": True})
    {'2026-04-01': {'works_sat': False}, '': {'works_sun': True}}
    """
    corrected = {day: dict(entry) for day, entry in history.items()}
    for name, value in changes.items():
        days = (day for day, entry in history.items() if name in entry and day <= today.isoformat())
        corrected.setdefault(max(days, default=INITIAL), {})[name] = value
    initial: InputChanges = {name: value for name, value in corrected.pop(INITIAL, {}).items() if value is not None}
    return {**corrected, INITIAL: initial} if initial else corrected


def changes_by_date(history: History) -> dict[str, InputChanges]:
    """Return the history as the API shows it: on top of the default week, what changed on each date.

    >>> changes_by_date({"2026-04-01": {"works_mon": True, "works_sat": True}})["2026-04-01"]
    {'works_sat': True}
    """
    entered = inputs_on(history, INITIAL)
    current: InputValues = {**DEFAULT_WEEK, **entered}
    by_date: dict[str, InputChanges] = {INITIAL: dict(current)}
    for day in sorted(history.keys() - {INITIAL}):
        entry = history[day]
        changed = {
            name: value
            for name, value in entry.items()
            if (name in entered if value is None else value != current.get(name))
        }
        if changed:
            by_date[day] = changed
        entered = inputs_on(history, day)
        current = {**DEFAULT_WEEK, **entered}
    return by_date
