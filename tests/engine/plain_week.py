"""A week of regular hours once more: which days, how long, and how many days a week for rates."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(frozen=True)
class Week:
    """From Monday to Sunday."""

    half_days: tuple[int, ...]
    hours: tuple[Fraction, ...]
    day_hours: Fraction
    days: Fraction
    """Working days a week, for rates."""

    @staticmethod
    def of(entered: Mapping[str, str | bool]) -> "Week":
        """The week of someone with these inputs; Monday to Friday where no days are said."""
        full = Fraction(str(entered.get("full_day_hours_input", "8"))) or Fraction(8)
        hours = tuple(_hours(entered, day, full) for day in WEEKDAYS)
        if entered.get("schedule") != "casual" and any(hours):
            half_days = tuple(0 if not long else 1 if long <= 5 else 2 for long in hours)
        else:
            hours = tuple(full if day not in ("sat", "sun") else Fraction(0) for day in WEEKDAYS)
            half_days = (2, 2, 2, 2, 2, 0, 0)
        stated = entered.get("full_days_per_week")
        return Week(
            half_days, hours, full, Fraction(str(stated)) if stated not in (None, "0") else Fraction(sum(half_days), 2)
        )


def _hours(entered: Mapping[str, str | bool], day: str, full: Fraction) -> Fraction:
    if entered.get(f"works_{day}") is not True:
        return Fraction(0)
    if entered.get(f"day_type_{day}") == "partial":
        return Fraction(str(entered.get(f"partial_hours_{day}", full / 2)))
    return full
