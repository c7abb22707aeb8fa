"""Leave that expires, as the portal announces it."""

from collections.abc import Iterable, Sequence
from datetime import date, timedelta

from gaji.engine.leave.movements import MovementKind
from gaji.leave.balances.service import MovementJson
from gaji.leave.types.queries import INCLUDED_IN, LeaveType

RECENT_EXPIRY = timedelta(days=92)
"""How long an expiry is shown, because it explains why a balance is lower than that of the last payslip."""
RENEWED = frozenset([*INCLUDED_IN, *INCLUDED_IN.values()])
"""System types that are granted anew each year of service. What expires of them is not lost."""


def list_expiries(types: Sequence[LeaveType], movements: Iterable[MovementJson], on_date: date) -> list[MovementJson]:
    """List what expired of each type in the months before a date, and the next expiry after it."""
    names = {leave_type.name for leave_type in types if leave_type.system_type not in RENEWED}
    expiries: dict[tuple[str, date], MovementJson] = {}
    next_dates: dict[str, date] = {}
    for movement in movements:
        name, day = movement["type"], movement["date"]
        if movement["kind"] != MovementKind.EXPIRY or name not in names or day < on_date - RECENT_EXPIRY:
            continue
        if day > on_date and next_dates.setdefault(name, day) != day:
            continue
        # Days above the limit of carried-over days expire on the same day as those that are too old.
        earlier = expiries.get((name, day))
        days = movement["days"] + earlier["days"] if earlier else movement["days"]
        expiries[name, day] = {**movement, "days": round(days, 3)}
    return list(expiries.values())
