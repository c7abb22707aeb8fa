"""How a figure came about: what a rule was given, which way it went, with which parameters, and the sum.

The lines of arithmetic are `expression = result`, in the notation that `notation` describes, to be checked with a
calculator and a calendar. The result of each goes into a later one; the last ends with the figure. They are written
from the same inputs and parameters that the rule used, and the figure is the one that the rule gave: the tests work
every line out again and compare.

>>> step(f"floor({rate(20_000)} × {money(500_050)})", 100_000)
'floor(0.20 × 5000.50) = 1000.00'
"""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from gaji.law.columns import CENTS_PER_DOLLAR, RATE_SCALE
from gaji.law.parameters import DatedValue


@dataclass(frozen=True)
class UsedParameter:
    """A parameter that was used: its value in words, since when it holds, and which law says so."""

    name: str
    value: str
    since: date
    source: str


@dataclass(frozen=True)
class Explanation:
    """One amount of money of one person, explained."""

    figure: str
    amount_cents: int
    inputs: dict[str, str]
    rule: str
    """The rule in a sentence."""
    source: str
    """The law that it comes from."""
    branch: str
    """Which way the rule went for this person, and why."""
    parameters: tuple[UsedParameter, ...]
    arithmetic: tuple[str, ...]

    @property
    def result(self) -> str:
        """The figure as the arithmetic ends with it."""
        return money(self.amount_cents)


@dataclass(frozen=True)
class FactExplanation:
    """One figure of one person that is not money, explained: days, a date, a table, a yes or no."""

    figure: str
    result: str
    """The figure as the arithmetic ends with it."""
    unit: str
    """What the result is: days, weeks, half days, a date, yes or no, …"""
    inputs: dict[str, str]
    rule: str
    source: str
    branch: str
    parameters: tuple[UsedParameter, ...]
    arithmetic: tuple[str, ...]


AnyExplanation = Explanation | FactExplanation


def used_parameter(name: str, in_force: DatedValue[object], value: str) -> UsedParameter:
    """A parameter as it is shown."""
    return UsedParameter(name, value, in_force.since, in_force.source)


def money(cents: int) -> str:
    """An amount in dollars, with two decimals and without separators."""
    sign = "−" if cents < 0 else ""
    whole, part = divmod(abs(cents), CENTS_PER_DOLLAR)
    return f"{sign}{whole}.{part:02d}"


def rate(parts: int) -> str:
    """A rate as a factor, with at least two decimals.

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


def yes_no(answer: bool) -> str:
    """A yes or no among the inputs."""
    return "yes" if answer else "no"


def step(expression: str, result_cents: int) -> str:
    """One line of arithmetic."""
    return f"{expression} = {money(result_cents)}"


def earlier_payslips_input(taken_cents: int) -> dict[str, str]:
    """What earlier payslips of the month took, among the inputs, if they took anything."""
    return {"taken on earlier payslips of the month": money(taken_cents)} if taken_cents else {}


def earlier_payslips_lines(liability_cents: int, taken_cents: int) -> tuple[str, ...]:
    """The line for what earlier payslips of the month took, if they took anything."""
    if not taken_cents:
        return ()
    return (step(f"{money(liability_cents)} − {money(taken_cents)}", liability_cents - taken_cents),)
