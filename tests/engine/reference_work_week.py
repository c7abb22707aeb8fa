"""A reference implementation of regular hours: working days, their hours, and the days per week for rates."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(frozen=True)
class ReferenceWeek:
    """A week from Monday to Sunday."""

    half_days: tuple[int, ...]
    hours: tuple[Fraction, ...]
    day_hours: Fraction
    days: Fraction
    """Working days per week, for rates."""

    @staticmethod
    def from_inputs(inputs: Mapping[str, str | bool]) -> "ReferenceWeek":
        """The week with these inputs. Default: Monday to Friday."""
        full = Fraction(str(inputs.get("full_day_hours_input", "8"))) or Fraction(8)
        hours = tuple(_hours(inputs, day, full) for day in WEEKDAYS)
        if inputs.get("schedule") != "casual" and any(hours):
            half_days = tuple(0 if not day_hours else 1 if day_hours <= 5 else 2 for day_hours in hours)
        else:
            hours = tuple(full if day not in ("sat", "sun") else Fraction(0) for day in WEEKDAYS)
            half_days = (2, 2, 2, 2, 2, 0, 0)
        days = inputs.get("full_days_per_week")
        average = Fraction(sum(half_days), 2)
        return ReferenceWeek(half_days, hours, full, average if days in (None, "0") else Fraction(str(days)))


def _hours(inputs: Mapping[str, str | bool], day: str, full: Fraction) -> Fraction:
    if inputs.get(f"works_{day}") is not True:
        return Fraction(0)
    if inputs.get(f"day_type_{day}") == "partial":
        return Fraction(str(inputs.get(f"partial_hours_{day}", full / 2)))
    return full
