"""Leave balances as people read them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from gaji.console.formats import format_day
from gaji.core import clock
from gaji.leave.types.queries import ANNUAL, LeaveType


@dataclass(frozen=True)
class BalanceView:
    """The balance of a leave type: days that are left, or days that were taken."""

    name: str
    days: int | float
    text: str
    """What the days are, after their number."""


def balance_views(
    leave_types: Iterable[LeaveType], days_by_type: Mapping[int, int | float], on_date: date
) -> list[BalanceView]:
    """Return the balances that are shown: those that are not zero, and annual leave.

    Leave of unlimited types, such as unpaid leave, has no balance. Only days taken are shown.
    """
    return [
        _balance_view(leave_type, days, on_date)
        for leave_type in leave_types
        if ((days := days_by_type[leave_type.id]) or leave_type.system_type == ANNUAL)
        and not (days >= 0 and leave_type.policy(on_date).is_unlimited)
    ]


def _balance_view(leave_type: LeaveType, days: int | float, on_date: date) -> BalanceView:
    is_today = on_date == clock.today()
    unit = "day" if abs(days) == 1 else "days"
    when = "today" if is_today else f"on {format_day(on_date)}"
    if days >= 0:
        text = f"{unit} left {when}"
    elif leave_type.policy(on_date).is_unlimited:
        text = f"{unit} taken until {'today' if is_today else format_day(on_date)}"
    else:
        text = f"{unit} taken beyond the balance {when}"
    return BalanceView(leave_type.name, abs(days), text)
