"""Why an amount is what it is, as data: the kind of its rule with the numbers. Pages write one plain sentence from it.

An explanation has a reason beside its complete arithmetic, which is text for people. No code decides anything by that
text; pages only format its dates and numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from fractions import Fraction

from gaji.law.months import Month


class RoundingRule(Enum):
    """How a percentage of an amount becomes a whole number of dollars or cents."""

    DOLLAR_DOWN = auto()
    DOLLAR = auto()
    CENT_DOWN = auto()
    CENT = auto()


class WagesToDate(Enum):
    """Wages of a month to date, if an amount is all of them."""

    ALL = auto()
    """The only wages of the month."""
    ORDINARY = auto()
    """The ordinary wages of a month that also has additional wages."""
    ADDITIONAL = auto()
    REMUNERATION = auto()


class Unit(Enum):
    """What a rate of pay is for."""

    HOUR = auto()
    DAY = auto()
    REST_DAY = auto()
    """A day that is paid for work on a rest day. A day of work may be paid as two."""
    MONTH = auto()


class Subtrahend(Enum):
    """What is subtracted from an amount."""

    EMPLOYEE_SHARE = auto()
    EARLIER_PAYSLIPS = auto()
    """What earlier payslips of the month charged."""


@dataclass(frozen=True)
class FullAmount:
    """An agreed or entered amount."""

    cents: int


@dataclass(frozen=True)
class LimitedAmount:
    """The part of an amount that a limit allows."""

    cents: int
    due_cents: int


@dataclass(frozen=True)
class NothingDue:
    """A rule that gives zero, and the case that applied."""

    case: str


@dataclass(frozen=True)
class MinimumLevy:
    """The least amount of a levy."""

    cents: int


@dataclass(frozen=True)
class TableAmount:
    """The amount that a table has for an amount of wages."""

    cents: int
    wages_cents: int


@dataclass(frozen=True)
class ChosenAmount:
    """An amount that the employee chose."""

    cents: int


@dataclass(frozen=True)
class Percentage:
    """A percentage of an amount, or of the part of the month's wages above a bound."""

    rate: Fraction
    """As a factor: 1/5 is 20%."""
    base_cents: Fraction
    wages: WagesToDate | None = None
    above_cents: int | None = None

    @property
    def cents(self) -> Fraction:
        """The exact amount."""
        return self.rate * (self.base_cents - (self.above_cents or 0))


@dataclass(frozen=True)
class Multiple:
    """A number of times an amount."""

    factor: Fraction
    amount_cents: Fraction

    @property
    def cents(self) -> Fraction:
        """The exact amount."""
        return self.factor * self.amount_cents


@dataclass(frozen=True)
class ProductSum:
    """One or several products, whose sum is rounded once."""

    products: tuple[Percentage | Multiple, ...]
    rounding: RoundingRule | None
    """None if it goes without saying: an agreed percentage is rounded to the cent."""
    is_to_date: bool = False
    """Whether the wages include those of earlier payslips of the month."""
    nil_before_cents: int | None = None
    """The bound of the month's wages that earlier payslips had not passed, so that nothing was deducted from them."""

    @property
    def cents(self) -> Fraction:
        """The exact amount, before it is rounded."""
        return sum((product.cents for product in self.products), Fraction())


@dataclass(frozen=True)
class UnitsAtRate:
    """Hours, days or months at a rate."""

    count: Fraction
    unit: Unit
    rate_cents: Fraction


@dataclass(frozen=True)
class OvertimeHours:
    """Hours at a multiple of the hourly rate."""

    hours: Fraction
    factor: Fraction
    hourly_cents: Fraction


@dataclass(frozen=True)
class ProratedAmount:
    """An amount for some of the working days."""

    full_cents: int
    days: Fraction
    working_days: Fraction


@dataclass(frozen=True)
class MultipliedAmount:
    """An amount and its reason, and what it is multiplied by."""

    before: "Reason | None"
    before_cents: int
    multiplier: Fraction


@dataclass(frozen=True)
class AmountSum:
    """The sum of amounts."""

    terms_cents: tuple[Fraction, ...]


@dataclass(frozen=True)
class Difference:
    """An amount less another one."""

    cents: Fraction
    less_cents: Fraction


@dataclass(frozen=True)
class ReducedAmount:
    """An amount and its reason, and what is subtracted from it."""

    before: "Reason | None"
    before_cents: int
    less_cents: int
    subtrahend: Subtrahend


@dataclass(frozen=True)
class CarriedForward:
    """An amount due, and what earlier payslips could not deduct."""

    due_cents: int
    carried_cents: int


@dataclass(frozen=True)
class AbsenceAmount:
    """The pay of days of absence."""

    days: Fraction
    working_days: Fraction
    period_cents: int | None
    """The pay of all working days of the period. None if the amount is not the same part of it as the days."""
    less_cents: int = 0
    """What is deducted as unpaid leave."""


@dataclass(frozen=True)
class UncoveredShare:
    """The employer's share, and the part of the employee's share that the pay cannot cover."""

    employer_cents: int
    uncovered_cents: int


@dataclass(frozen=True)
class MonthReason:
    """What one of several months adds to an amount, and why."""

    month: Month
    cents: int
    reason: "Reason | None"


@dataclass(frozen=True)
class MonthSum:
    """The sum of the amounts of several months."""

    months: tuple[MonthReason, ...]


Reason = (
    FullAmount
    | LimitedAmount
    | NothingDue
    | MinimumLevy
    | TableAmount
    | ChosenAmount
    | ProductSum
    | UnitsAtRate
    | OvertimeHours
    | ProratedAmount
    | MultipliedAmount
    | AmountSum
    | Difference
    | ReducedAmount
    | CarriedForward
    | AbsenceAmount
    | UncoveredShare
    | MonthSum
)
"""A rule without a kind of its own has no reason: its sentence is the rule."""


def amount_sum(terms_cents: Sequence[int]) -> Reason:
    """The reason of a sum, which may have one term or none."""
    return AmountSum(tuple(map(Fraction, terms_cents))) if len(terms_cents) > 1 else FullAmount(sum(terms_cents))


def less_earlier_payslips(reason: Reason | None, liability_cents: int, earlier_cents: int) -> Reason | None:
    """The reason of an amount from which what earlier payslips of the month charged is subtracted, if anything."""
    if not earlier_cents:
        return reason
    return ReducedAmount(reason, liability_cents, earlier_cents, Subtrahend.EARLIER_PAYSLIPS)
