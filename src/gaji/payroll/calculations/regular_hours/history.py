"""The history of regular hours.

A history has the changes by effective date, null for a cleared input. The initial inputs are under the empty string,
which sorts before every date.

>>> history = {"": {"schedule": "fixed", "works_sat": True}, "2026-04-01": {"works_sat": None}}
>>> inputs_on(history, "2026-03-31"), inputs_on(history, "2026-04-01")
({'schedule': 'fixed', 'works_sat': True}, {'schedule': 'fixed'})
"""

from collections.abc import Mapping

from gaji.engine.catalogue import StoredValue
from gaji.payroll.calculations.inheritance import InputValues

INITIAL = ""
History = Mapping[str, Mapping[str, StoredValue | None]]


def inputs_on(history: History, day: str) -> InputValues:
    """Return the inputs on a day, which is an ISO date."""
    inputs: dict[str, StoredValue | None] = {}
    for effective_date in sorted(history):
        if effective_date <= day:
            inputs |= history[effective_date]
    return {name: value for name, value in inputs.items() if value is not None}


def change_history(
    history: History, effective_date: str, inputs: Mapping[str, StoredValue]
) -> dict[str, dict[str, StoredValue | None]]:
    """Return the history with these inputs since a date, or from the beginning. Later changes stay."""
    others = {day: dict(changes) for day, changes in history.items() if day != effective_date}
    before = inputs_on({day: changes for day, changes in others.items() if day < effective_date}, effective_date)
    cleared = dict.fromkeys(before.keys() - inputs.keys())
    changes = {name: value for name, value in inputs.items() if before.get(name) != value} | cleared
    return others | ({effective_date: changes} if changes or effective_date == INITIAL else {})
