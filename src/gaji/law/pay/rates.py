"""Rates of pay for a day and for an hour, kept as exact fractions until the one rounding of a line.

With basic amounts they are basic rates (overtime, rest days, work on public holidays), with gross amounts gross rates
(paid leave, notice, absence): the Third and the Fourth Schedule of the Employment Act 1968 are the same sum.
"""

from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction

import numpy as np

from gaji.law.columns import RATE_SCALE, Cents, Codes, Flags, equals_code, select_first
from gaji.law.explanation import money, step
from gaji.law.months import MONTHS_PER_YEAR, Month
from gaji.law.notation import choose, equals
from gaji.law.pay.parameters import PayParameters
from gaji.law.quantities import MILLI, Counts, Millis, format_millis, share_cents

WEEKS_PER_YEAR = 52


class PayType(IntEnum):
    """What the agreed amount is for."""

    MONTHLY = 0
    DAILY = 1
    HOURLY = 2


@dataclass(frozen=True)
class PayTerms:
    """What was agreed with each person; what a rate does not need may be 0."""

    pay_types: Codes
    amounts_cents: Cents
    """For a month, a day or an hour, as the pay type says."""
    week_millidays: Millis
    """The average working days of a week: needed for the day of the monthly-rated."""
    day_millihours: Millis
    """The normal hours of a day: needed for the hour of the daily-rated and the day of the hourly-rated."""
    payments_per_year: int = MONTHS_PER_YEAR
    """How many times a year the amount of the monthly-rated is paid: 12 for a month's, 52 for a week's."""


@dataclass(frozen=True)
class PayRates:
    """Cents for one day or one hour: dividends over divisors."""

    dividends: Cents
    divisors: Counts

    def times(self, factor: Fraction) -> "PayRates":
        """The rates times a factor."""
        return PayRates(self.dividends * factor.numerator, self.divisors * factor.denominator)

    def capped(self, most_cents: int, who: Flags) -> "PayRates":
        """The rates, of some people at most so much."""
        above = who & (self.dividends > most_cents * self.divisors)
        return PayRates(np.where(above, most_cents, self.dividends), np.where(above, 1, self.divisors))

    def cents(self, quantity: Millis) -> Cents:
        """So many days or hours at the rate, rounded once to the nearest cent."""
        return share_cents(self.dividends, quantity, self.divisors * MILLI)


def daily_rates(terms: PayTerms) -> PayRates:
    """The rate for a day: of the monthly-rated 12 × amount ÷ (52 × days a week)."""
    return _rates(
        terms,
        monthly=(
            np.full_like(terms.week_millidays, terms.payments_per_year * MILLI),
            WEEKS_PER_YEAR * terms.week_millidays,
        ),
        daily=(np.ones_like(terms.week_millidays), np.ones_like(terms.week_millidays)),
        hourly=(terms.day_millihours, np.full_like(terms.day_millihours, MILLI)),
    )


def hourly_rates(parameters: PayParameters, month: Month, terms: PayTerms) -> PayRates:
    """The rate for an hour: of the monthly-rated 12 × amount ÷ (52 × 44), whatever hours were agreed."""
    ones = np.ones_like(terms.day_millihours)
    return _rates(
        terms,
        monthly=(terms.payments_per_year * ones, WEEKS_PER_YEAR * parameters.weekly_hours.at(month).value * ones),
        daily=(MILLI * ones, terms.day_millihours),
        hourly=(ones, ones),
    )


def as_fraction(parts: int) -> Fraction:
    """A factor of a parameter file as a fraction."""
    return Fraction(parts, RATE_SCALE)


def daily_expression(terms: PayTerms, index: int = 0) -> str:
    """The rate of one person for a day, as a sum that is not yet worked out."""
    amount = money(int(terms.amounts_cents[index]))
    match PayType(int(terms.pay_types[index])):
        case PayType.MONTHLY:
            return f"{terms.payments_per_year} × {amount} ÷ ({WEEKS_PER_YEAR} × {format_millis(int(terms.week_millidays[index]))})"
        case PayType.DAILY:
            return amount
        case PayType.HOURLY:
            return f"{amount} × {format_millis(int(terms.day_millihours[index]))}"


def hourly_expression(parameters: PayParameters, month: Month, terms: PayTerms, index: int = 0) -> str:
    """The rate of one person for an hour, as a sum that is not yet worked out."""
    amount = money(int(terms.amounts_cents[index]))
    match PayType(int(terms.pay_types[index])):
        case PayType.MONTHLY:
            return (
                f"{terms.payments_per_year} × {amount} ÷ ({WEEKS_PER_YEAR} × {parameters.weekly_hours.at(month).value})"
            )
        case PayType.DAILY:
            return f"{amount} ÷ {format_millis(int(terms.day_millihours[index]))}"
        case PayType.HOURLY:
            return amount


def rate_line(expression: str, quantity: str, amount_cents: int) -> str:
    """The line of arithmetic for so many days or hours at a rate; for none the rate need not exist."""
    return step(f"round_cents({expression} × {quantity})" if quantity != "0" else zero_expression(), amount_cents)


def zero_expression() -> str:
    """What no days or hours bring, as an expression."""
    return choose(0, equals(0, money(0)))


def term_inputs(terms: PayTerms, index: int = 0) -> dict[str, str]:
    """What was agreed with one person, for an explanation."""
    pay_type = PayType(int(terms.pay_types[index]))
    agreed = {"pay_type": pay_type.name.lower(), "amount": money(int(terms.amounts_cents[index]))}
    if pay_type == PayType.MONTHLY:
        paid = {} if terms.payments_per_year == MONTHS_PER_YEAR else {"amounts a year": str(terms.payments_per_year)}
        return agreed | paid | {"working days a week": format_millis(int(terms.week_millidays[index]))}
    return agreed | {"normal hours a day": format_millis(int(terms.day_millihours[index]))}


def _rates(
    terms: PayTerms, monthly: tuple[Counts, Counts], daily: tuple[Counts, Counts], hourly: tuple[Counts, Counts]
) -> PayRates:
    """The amounts times the factor of each one's pay type, in its lowest terms so that the products stay small."""
    kinds = [equals_code(terms.pay_types, kind) for kind in PayType]
    over = select_first(kinds, [monthly[0], daily[0], hourly[0]])
    under = select_first(kinds, [monthly[1], daily[1], hourly[1]])
    common = np.maximum(np.gcd(over, under), 1)
    return PayRates(terms.amounts_cents * (over // common), under // common)
