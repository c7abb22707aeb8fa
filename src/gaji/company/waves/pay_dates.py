"""Pay dates: when a payslip is paid, where that is not the end of its period.

>>> pay_date(None, date(2026, 1, 31), interim=False)
datetime.date(2026, 1, 31)
>>> pay_date({"enabled": True, "type": "relative", "days_offset": 3, "when": "after"}, date(2026, 1, 31), interim=False)
datetime.date(2026, 2, 3)
>>> pay_date({"enabled": True, "type": "fixed", "day": 31, "when": "next"}, date(2026, 1, 31), interim=False)
datetime.date(2026, 2, 28)
"""

from calendar import monthrange
from datetime import date, timedelta
from typing import Any

MONTHS_LATER = {"previous": -1, "current": 0, "next": 1}


def pay_date(pay_dates: dict[str, Any] | None, end: date, *, interim: bool) -> date:
    """The pay date of the period that ends on this day; `interim` for the first half of a twice-a-month wave."""
    if not pay_dates or not pay_dates["enabled"]:
        return end
    if pay_dates["type"] == "relative":
        days = timedelta(days=pay_dates["days_offset"])
        return end + days if pay_dates["when"] == "after" else end - days
    prefix = "interim_" if interim else ""
    return _day_of_month(end, MONTHS_LATER[pay_dates[f"{prefix}when"]], pay_dates[f"{prefix}day"])


def _day_of_month(end: date, months_later: int, day: int) -> date:
    """A day of a month near this one, or the month's last day where it is shorter."""
    year, month = divmod(end.year * 12 + end.month - 1 + months_later, 12)
    return date(year, month + 1, min(day, monthrange(year, month + 1)[1]))
