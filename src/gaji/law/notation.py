"""The notation of the arithmetic in explanations. The words come from spreadsheets and calendars.

    12  8000.00  0.165       numbers              2026-03-31  2026-03    dates and months
    yes  no  T2  above_55    names                tier 1                 a word before a value names it
    + − × ÷ ( )                                   < ≤ > is and or        comparisons, which give yes or no
    min(a, b, …)             max(a, b, …)
    floor(a)  ceil(a)        down and up to a whole number (of dollars)
    round(a)                 to the nearest whole number (of dollars), halves up
    floor_cents(a)  ceil_cents(a)  round_cents(a)                        the same to the cent
    choose(a; up to 1000.00: b; from 5: c; after 2026-01-01: d; EP: e; otherwise: f)
                             the value after the first condition that is true for a: `up to` (inclusive), `below`,
                             `from` (inclusive), `above` or `after`, the value itself, or `otherwise`
    2026-03-31 + 7 days      a date               2026-03 − 2024-12      the months from the second to the first
    days(first, last)        the number of days, both ends included; likewise Mondays(first, last) to Sundays(…)
    weeks(first, day)  months(first, day)                                the number completed at the start of the day

>>> choose("2300.00", up_to("2000.00", "0.50"), up_to("3500.00", "1.00"), otherwise("1.50"))
'choose(2300.00; up to 2000.00: 0.50; up to 3500.00: 1.00; otherwise: 1.50)'
>>> line("2026-03-31 + 7 days", date(2026, 4, 7))
'2026-03-31 + 7 days = 2026-04-07'
"""

from collections.abc import Iterable
from datetime import date

from gaji.law.scale import Scale

Clause = tuple[str, str]
"""A condition and the value that it selects."""


def line(expression: str, result: object) -> str:
    """A line of arithmetic."""
    return f"{expression} = {format_value(result)}"


def format_value(value: object) -> str:
    """A value as it appears in a line. Negative integers get the same minus sign as subtractions."""
    return f"−{-value}" if isinstance(value, int) and value < 0 else str(value)


def choose(subject: object, *clauses: Clause) -> str:
    """An expression that selects the value of the first clause that is true for the subject."""
    return f"choose({format_value(subject)}; {format_clauses(clauses)})"


def up_to(bound: object, value: object) -> Clause:
    """A clause for values up to and including a bound."""
    return f"up to {bound}", str(value)


def below(bound: object, value: object) -> Clause:
    """A clause for numbers below a bound."""
    return f"below {bound}", str(value)


def after(day: date, value: object) -> Clause:
    """A clause for dates after a day."""
    return f"after {day}", str(value)


def from_(bound: object, value: object) -> Clause:
    """A clause for values greater than or equal to a bound."""
    return f"from {bound}", str(value)


def equals(name: object, value: object) -> Clause:
    """A clause for one value."""
    return str(name), str(value)


def otherwise(value: object) -> Clause:
    """A clause for all remaining values."""
    return "otherwise", str(value)


def scale_clauses(scale: Scale) -> tuple[Clause, ...]:
    """The steps of a scale, highest first, and zero below the lowest."""
    highest_first = zip(reversed(scale.thresholds), reversed(scale.values), strict=True)
    return (*(from_(threshold, value) for threshold, value in highest_first), otherwise(0))


def format_clauses(clauses: Iterable[Clause]) -> str:
    """The clauses as text, as `choose` and parameters show them."""
    return "; ".join(f"{condition}: {value}" for condition, value in clauses)


def any_of(conditions: Iterable[str]) -> str:
    """An expression that is true if any condition is, and `no` without conditions."""
    return " or ".join(conditions) or "no"
