"""The notation of the lines of arithmetic in explanations: few words, all of them those of a spreadsheet or a calendar.

    12  8000.00  0.165       numbers              2026-03-31  2026-03    dates and months
    yes  no  T2  above_55    names                tier 1                 a word before a value says what it is
    + − × ÷ ( )                                   < ≤ > is and or        between values, giving yes or no
    min(a, b, …)             max(a, b, …)
    floor(a)  ceil(a)        to the whole number (dollar) below and above
    round(a)                 to the nearest whole number (dollar), a half going up
    floor_cents(a)  ceil_cents(a)  round_cents(a)                        the same to the cent
    choose(a; up to 1000.00: b; from 5: c; before 2026-01-01: d; EP: e; otherwise: f)
                             what stands behind the first condition that holds for a: `up to` (included), `below` or
                             `before`, `from` (included), `above` or `after`, the value itself, or `otherwise`
    2026-03-31 + 7 days      a date               2026-03 − 2024-12      the months from the second to the first
    days(first, last)        how many days there are, both counted; likewise Mondays(first, last) to Sundays(…)
    weeks(first, day)  months(first, day)                                that are complete when the day begins
    on(Saturday; 2026-03-21, …)                                          how many of these dates are one
    among(2026-03-21; 2026-01-01, …)                                     whether a value is one of several
    count(2026-01-01, …)                                                 how many these are
    workday(2026-02-13, 3; off Saturday, Sunday; holidays 2026-02-17)
                             the third day after a date that is neither off nor a holiday

>>> choose("2300.00", up_to("2000.00", "0.50"), up_to("3500.00", "1.00"), otherwise("1.50"))
'choose(2300.00; up to 2000.00: 0.50; up to 3500.00: 1.00; otherwise: 1.50)'
>>> line("2026-03-31 + 7 days", date(2026, 4, 7))
'2026-03-31 + 7 days = 2026-04-07'
"""

from collections.abc import Iterable, Sequence
from datetime import date

from gaji.law.scale import Scale

Clause = tuple[str, str]
"""A condition, and what stands behind it."""

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def line(expression: str, result: object) -> str:
    """One line of arithmetic."""
    return f"{expression} = {format_value(result)}"


def format_value(value: object) -> str:
    """A value as a line has it: numbers below zero with the sign that stands between numbers too."""
    return f"−{-value}" if isinstance(value, int) and value < 0 else str(value)


def choose(by: object, *clauses: Clause) -> str:
    """The first of several that holds for a value."""
    return f"choose({format_value(by)}; {format_clauses(clauses)})"


def up_to(bound: object, value: object) -> Clause:
    """Holds for everything up to a bound, itself included."""
    return f"up to {bound}", str(value)


def below(bound: object, value: object) -> Clause:
    """Holds for numbers below a bound."""
    return f"below {bound}", str(value)


def before(day: date, value: object) -> Clause:
    """Holds for dates before a day."""
    return f"before {day}", str(value)


def after(day: date, value: object) -> Clause:
    """Holds for dates after a day."""
    return f"after {day}", str(value)


def from_(bound: object, value: object) -> Clause:
    """Holds for everything from a bound on, itself included."""
    return f"from {bound}", str(value)


def equals(name: object, value: object) -> Clause:
    """Holds for this value alone."""
    return str(name), str(value)


def otherwise(value: object) -> Clause:
    """Holds for whatever is left."""
    return "otherwise", str(value)


def scale_clauses(scale: Scale) -> tuple[Clause, ...]:
    """The steps of a scale, the highest first, and nothing below the lowest."""
    highest_first = zip(reversed(scale.thresholds), reversed(scale.values), strict=True)
    return (*(from_(least, value) for least, value in highest_first), otherwise(0))


def format_clauses(clauses: Iterable[Clause]) -> str:
    """What there is to choose from, as a parameter shows it."""
    return "; ".join(f"{condition}: {value}" for condition, value in clauses)


def any_of(conditions: Iterable[str]) -> str:
    """Conditions of which one is enough; without any there is nothing that could hold."""
    return " or ".join(conditions) or "no"


def join_values(values: Sequence[object]) -> str:
    """Several values in a row."""
    return ", ".join(str(value) for value in values)
