"""Explanations of figures: the inputs, the rule, the case that applied, the parameters and the arithmetic.

Each line of arithmetic is `expression = result` in the notation described in `notation`, and can be checked with a
calculator and a calendar. Every result is used in a later line, and the last line ends with the figure. The lines are
written from the inputs and parameters that the rule used, and the figure is the rule's result. The tests evaluate every
line again and compare.

>>> step(f"floor({rate(20_000)} × {money(500_050)})", 100_000)
'floor(0.20 × 5000.50) = 1000.00'
"""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from gaji.law.columns import RATE_SCALE
from gaji.law.holidays import Holiday
from gaji.law.months import Month
from gaji.law.parameters import DatedValue
from gaji.law.reasons import Reason
from gaji.law.rounding import CENTS_PER_DOLLAR


@dataclass(frozen=True)
class UsedParameter:
    """A parameter that was used: its value as text, the date it took effect, and its legal source."""

    name: str
    value: str
    since: date
    source: str
    caption: str = ""
    """The name for people who do not know the tables of the law, if it is another one."""


@dataclass(frozen=True)
class MonthPart:
    """What one month adds to the explanation of a sum of months."""

    month: Month
    inputs: dict[str, str]
    branch: str


@dataclass(frozen=True)
class Explanation:
    """The explanation of one amount of money of one person."""

    figure: str
    amount_cents: int
    inputs: dict[str, str]
    rule: str
    """The rule in one sentence."""
    source: str
    """The legal source of the rule."""
    branch: str
    """Which case of the rule applied, and why."""
    parameters: tuple[UsedParameter, ...]
    arithmetic: tuple[str, ...]
    reason: Reason | None = None
    """The last step as data. None if only the rule says what it does."""
    deciding: tuple[UsedParameter, ...] = ()
    """The parameters that the last step applies."""
    months: tuple[MonthPart, ...] = ()
    """The months whose amounts are summed. Names of their inputs start with the month, as those of `month_input`."""
    unpaid_holidays: tuple[Holiday, ...] = ()
    """Public holidays that are not paid because they fall within unpaid leave."""

    @property
    def result(self) -> str:
        """The amount as the last line of arithmetic shows it."""
        return money(self.amount_cents)


@dataclass(frozen=True)
class FactExplanation:
    """The explanation of one figure of one person that is not money: days, a date, a table, a yes or no."""

    figure: str
    result: str
    """The figure as the last line of arithmetic shows it."""
    unit: str
    """The unit of the result: days, weeks, half days, a date, yes or no, …"""
    inputs: dict[str, str]
    rule: str
    source: str
    branch: str
    parameters: tuple[UsedParameter, ...]
    arithmetic: tuple[str, ...]


AnyExplanation = Explanation | FactExplanation


def used_parameter(name: str, in_force: DatedValue[object], value: str, caption: str = "") -> UsedParameter:
    """Return a parameter with its value as text."""
    return UsedParameter(name, value, in_force.since, in_force.source, caption)


def money(cents: int) -> str:
    """An amount in dollars for inputs and arithmetic: two decimals, no separators."""
    sign = "−" if cents < 0 else ""
    dollars_part, cents_part = divmod(abs(cents), CENTS_PER_DOLLAR)
    return f"{sign}{dollars_part}.{cents_part:02d}"


def dollars(cents: int) -> str:
    """An amount in dollars for sentences.

    >>> dollars(800_000), dollars(-50)
    ('$8,000.00', '−$0.50')
    """
    sign = "−" if cents < 0 else ""
    dollars_part, cents_part = divmod(abs(cents), CENTS_PER_DOLLAR)
    return f"{sign}${dollars_part:,}.{cents_part:02d}"


def long_date(day: date) -> str:
    """A date for sentences.

    >>> long_date(date(2026, 1, 5))
    '5 January 2026'
    """
    return f"{day.day} {day:%B} {day.year}"


def long_period(start: date, end: date) -> str:
    """A period for sentences.

    >>> long_period(date(2026, 1, 1), date(2026, 1, 31)), long_period(date(2026, 1, 26), date(2026, 2, 1))
    ('1–31 January 2026', '26 January 2026 – 1 February 2026')
    """
    if (start.year, start.month) == (end.year, end.month):
        return f"{start.day}–{long_date(end)}" if start != end else long_date(end)
    return f"{long_date(start)} – {long_date(end)}"


def long_month(month: Month) -> str:
    """A month for sentences, such as January 2026."""
    return f"{month.first_day:%B} {month.year}"


def rate(parts: int) -> str:
    """A rate as a factor with at least two decimals.

    >>> rate(20_000), rate(16_500), rate(250)
    ('0.20', '0.165', '0.0025')
    """
    exact = (Decimal(parts) / RATE_SCALE).normalize()
    return str(exact.quantize(Decimal("0.01"))) if exact.as_tuple().exponent > -2 else f"{exact:f}"  # type: ignore[operator]


def percent(parts: int) -> str:
    """A rate as a percentage.

    >>> percent(20_000), percent(16_500)
    ('20 %', '16.5 %')
    """
    return f"{(Decimal(parts) * 100 / RATE_SCALE).normalize():f} %"


def month_input(month: Month, name: str) -> str:
    """The name of an input of one month in the explanation of a sum of months."""
    return f"{month}: {name}"


def yes_no(answer: bool) -> str:
    """A boolean as "yes" or "no"."""
    return "yes" if answer else "no"


def step(expression: str, result_cents: int) -> str:
    """A line of arithmetic that ends with an amount of money."""
    return f"{expression} = {money(result_cents)}"


def earlier_payslips_input(earlier_cents: int) -> dict[str, str]:
    """The input for what earlier payslips of the month charged, if anything."""
    return {"charged on earlier payslips of the month": money(earlier_cents)} if earlier_cents else {}


def earlier_payslips_lines(liability_cents: int, earlier_cents: int) -> tuple[str, ...]:
    """The line that subtracts what earlier payslips of the month charged, if anything."""
    if not earlier_cents:
        return ()
    return (step(f"{money(liability_cents)} − {money(earlier_cents)}", liability_cents - earlier_cents),)
