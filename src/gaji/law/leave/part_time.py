"""Leave of part-time employees (Employment (Part-Time Employees) Regulations): in proportion to their hours.

The leave of a similar full-time employee in days × the hours of a week ÷ those of the full-time employee × the hours of
a full-time day gives hours of leave. Hours are not rounded. Divided by the hours of the employee's own days, they are
days.

>>> hours = PartTimeHours(Fraction(20_000), Fraction(4_000), FullTimeHours(44_000, 8_000))
>>> hours.expression, hours.share_millidays(7_000)
('20 ÷ 44 × 8 ÷ 4', 6364)
"""

from dataclasses import dataclass
from fractions import Fraction

from gaji.law.quantities import MILLI, format_millis
from gaji.law.rounding import round_half_up


@dataclass(frozen=True)
class FullTimeHours:
    """The hours of a similar full-time employee."""

    week_millihours: int
    day_millihours: int


@dataclass(frozen=True)
class PartTimeHours:
    """The hours of a part-time employee, and those of a similar full-time employee."""

    week_millihours: Fraction
    day_millihours: Fraction
    """The average hours of a day of leave."""
    full_time: FullTimeHours

    @property
    def share(self) -> Fraction:
        """The own days for each day of a full-time employee."""
        by_week = self.week_millihours / self.full_time.week_millihours
        return by_week * self.full_time.day_millihours / self.day_millihours

    @property
    def expression(self) -> str:
        """The share as an expression."""
        week, day = (format_millis(hours) for hours in (self.full_time.week_millihours, self.full_time.day_millihours))
        return f"{hours_text(self.week_millihours)} ÷ {week} × {day} ÷ {hours_text(self.day_millihours)}"

    def share_millidays(self, millidays: int) -> int:
        """The own days for the days of a full-time employee, to the nearest thousandth."""
        return round_half_up(millidays * self.share)

    def leave_millihours(self, millidays: int) -> int:
        """The hours of leave for the days of a full-time employee, to the nearest thousandth."""
        return round_half_up(millidays * self.share * self.day_millihours / MILLI)


def hours_text(millihours: Fraction) -> str:
    """Hours as a number, or as a division if they have no end."""
    if millihours.denominator == 1:
        return format_millis(millihours.numerator)
    return f"({format_millis(millihours.numerator)} ÷ {millihours.denominator})"
