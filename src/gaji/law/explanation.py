"""How a figure came about: what a rule was given, which way it went, with which parameters, and the sum.

Each line of the arithmetic is `expression = amount`, to be checked with a calculator. It holds nothing but numbers and

    + − × ÷ ( )      min(a, b, …)   max(a, b, …)
    floor(a)         to the whole dollar below         round(a)        to the nearest dollar, 50 cents up
    floor_cents(a)   to the whole cent below           round_cents(a)  to the nearest cent, half a cent up
    ceil_cents(a)    to the whole cent above

The last line ends with the figure. The lines are written from the same inputs and parameters that the rule used, and
the figure is the one that the rule gave: the tests work every line out again and compare.

>>> step(f"floor({rate(20_000)} × {money(500_050)})", 100_000)
'floor(0.20 × 5000.50) = 1000.00'
"""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from gaji.law.columns import CENTS_A_DOLLAR, RATE_SCALE
from gaji.law.parameters import InForce


@dataclass(frozen=True)
class Parameter:
    """A parameter that was used: its value in words, since when it holds, and which law says so."""

    name: str
    value: str
    since: date
    source: str


@dataclass(frozen=True)
class Explanation:
    """One figure of one person, explained."""

    figure: str
    amount_cents: int
    inputs: dict[str, str]
    rule: str
    """The rule in a sentence."""
    source: str
    """The law that it comes from."""
    branch: str
    """Which way the rule went for this person, and why."""
    parameters: tuple[Parameter, ...]
    arithmetic: tuple[str, ...]


def parameter(name: str, in_force: InForce[object], value: str) -> Parameter:
    """A parameter as it is shown."""
    return Parameter(name, value, in_force.since, in_force.source)


def money(cents: int) -> str:
    """An amount in dollars, with two decimals and without separators."""
    sign = "−" if cents < 0 else ""
    whole, part = divmod(abs(cents), CENTS_A_DOLLAR)
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


def less_taken(liability_cents: int, taken_cents: int) -> tuple[str, ...]:
    """The line for what earlier payslips of the month took, if they took anything."""
    if not taken_cents:
        return ()
    return (step(f"{money(liability_cents)} − {money(taken_cents)}", liability_cents - taken_cents),)
