"""A reference implementation of regular hours: working days, their hours, and the days per week for rates."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


Week = tuple[Fraction, ...]


@dataclass(frozen=True)
class ReferenceWeek:
    """The hours of weeks from Monday to Sunday, which repeat."""

    weeks: tuple[Week, ...]
    first_monday: date
    is_default: bool
    day_hours: Fraction
    days: Fraction
    """Working days per week, for rates."""

    @staticmethod
    def from_inputs(inputs: Mapping[str, str | bool]) -> "ReferenceWeek":
        """The week with these inputs. Default: Monday to Friday."""
        full = Fraction(str(inputs.get("full_day_hours_input", "8"))) or Fraction(8)
        weeks: tuple[Week, ...] = (tuple(_hours(inputs, day, full) for day in WEEKDAYS),)
        start = date(2026, 1, 5)
        if "cycle" in inputs:
            weeks = tuple(tuple(map(Fraction, week.split())) for week in str(inputs["cycle"]).split("/"))
            start = date.fromisoformat(str(inputs["cycle_start"]))
        is_default = inputs.get("schedule") == "casual" or not any(any(week) for week in weeks)
        if is_default:
            weeks = (tuple(full if day not in ("sat", "sun") else Fraction(0) for day in WEEKDAYS),)
        entered = inputs.get("full_days_per_week")
        half_days = sum(_half_days(hours, is_default) for week in weeks for hours in week)
        days = Fraction(half_days, 2 * len(weeks)) if entered in (None, "0") else Fraction(str(entered))
        return ReferenceWeek(weeks, start - timedelta(days=start.weekday()), is_default, full, days)

    @property
    def hours_per_week(self) -> Fraction:
        """The average hours of a week."""
        return sum((sum(week, Fraction(0)) for week in self.weeks), Fraction(0)) / len(self.weeks)

    def hours_on(self, day: date) -> Fraction:
        """The hours of a date."""
        return self.weeks[(day - self.first_monday).days // 7 % len(self.weeks)][day.weekday()]

    def half_days_on(self, day: date) -> int:
        """The half days of a date."""
        return _half_days(self.hours_on(day), self.is_default)


def _half_days(hours: Fraction, is_default: bool) -> int:
    return 0 if not hours else 1 if hours <= 5 and not is_default else 2


def _hours(inputs: Mapping[str, str | bool], day: str, full: Fraction) -> Fraction:
    if inputs.get(f"works_{day}") is not True:
        return Fraction(0)
    if inputs.get(f"day_type_{day}") == "partial":
        return Fraction(str(inputs.get(f"partial_hours_{day}", full / 2)))
    return full
