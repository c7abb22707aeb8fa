"""The amount that a reason gives, computed again from its data."""

from fractions import Fraction

from gaji.law.reasons import (
    AbsenceAmount,
    AmountSum,
    CarriedForward,
    ChosenAmount,
    Difference,
    FullAmount,
    LimitedAmount,
    MinimumLevy,
    MonthReason,
    MonthSum,
    MultipliedAmount,
    NothingDue,
    OvertimeHours,
    ProductSum,
    ProratedAmount,
    Reason,
    ReducedAmount,
    RoundingRule,
    TableAmount,
    UncoveredShare,
    UnitsAtRate,
)
from gaji.law.rounding import CENTS_PER_DOLLAR, round_half_up


def check_reason(reason: Reason | None, amount_cents: int) -> None:
    """Check that a reason gives the amount, and that each reason in it gives its own."""
    match reason:
        case None:
            return
        case MultipliedAmount() | ReducedAmount():
            check_reason(reason.before, reason.before_cents)
        case MonthSum():
            for month in reason.months:
                _check_month(month)
    exact = exact_cents(reason)
    if exact is not None:
        assert round_half_up(exact) == amount_cents, reason


def _check_month(month: MonthReason) -> None:
    check_reason(month.reason, month.cents)


def exact_cents(reason: Reason) -> Fraction | None:
    """The amount of a reason, which is rounded to the cent. None if only a part of it is known."""
    match reason:
        case FullAmount() | LimitedAmount() | MinimumLevy() | TableAmount() | ChosenAmount():
            return Fraction(reason.cents)
        case NothingDue():
            return Fraction(0)
        case ProductSum():
            return _rounded(reason.cents, reason.rounding)
        case UnitsAtRate():
            return reason.count * reason.rate_cents
        case OvertimeHours():
            return reason.hours * reason.factor * reason.hourly_cents
        case ProratedAmount():
            return reason.full_cents * reason.days / reason.working_days
        case MultipliedAmount():
            return reason.before_cents * reason.multiplier
        case AmountSum():
            return sum(reason.terms_cents, Fraction())
        case Difference():
            return reason.cents - reason.less_cents
        case ReducedAmount():
            return Fraction(reason.before_cents - reason.less_cents)
        case CarriedForward():
            return Fraction(reason.due_cents + reason.carried_cents)
        case UncoveredShare():
            return Fraction(reason.employer_cents + reason.uncovered_cents)
        case MonthSum():
            return Fraction(sum(month.cents for month in reason.months))
        case AbsenceAmount():
            return None


def _rounded(cents: Fraction, rule: RoundingRule | None) -> Fraction:
    dollars = cents / CENTS_PER_DOLLAR
    match rule:
        case RoundingRule.DOLLAR_DOWN:
            return Fraction(dollars.__floor__() * CENTS_PER_DOLLAR)
        case RoundingRule.DOLLAR:
            return Fraction(round_half_up(dollars) * CENTS_PER_DOLLAR)
        case RoundingRule.CENT_DOWN:
            return Fraction(cents.__floor__())
    return cents
