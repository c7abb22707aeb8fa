"""Rates of pay for a day and for an hour, kept as exact fractions until the one rounding of a line.

With basic amounts they are basic rates (overtime, rest days, work on public holidays), with gross amounts gross rates
(paid leave, notice, absence): the Third and the Fourth Schedule of the Employment Act 1968 are the same sum.
"""

from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction

import numpy as np

from gaji.law.columns import RATE_SCALE, Cents, Codes, Flags, being, chosen
from gaji.law.explanation import money, step
from gaji.law.months import MONTHS_A_YEAR, Month
from gaji.law.notation import choose, same
from gaji.law.pay.parameters import PayParameters
from gaji.law.quantities import MILLI, Counts, Millis, number, share_cents

WEEKS_A_YEAR = 52


class PayType(IntEnum):
    """What the agreed amount is for."""

    MONTHLY = 0
    DAILY = 1
    HOURLY = 2


@dataclass(frozen=True)
class Terms:
    """What was agreed with each person; what a rate does not need may be 0."""

    pay_types: Codes
    amounts_cents: Cents
    """For a month, a day or an hour, as the pay type says."""
    week_millidays: Millis
    """The average working days of a week: needed for the day of the monthly-rated."""
    day_millihours: Millis
    """The normal hours of a day: needed for the hour of the daily-rated and the day of the hourly-rated."""
    pays_a_year: int = MONTHS_A_YEAR
    """How many times a year the amount of the monthly-rated is paid: 12 for a month's, 52 for a week's."""


@dataclass(frozen=True)
class Rates:
    """Cents for one day or one hour: dividends over divisors."""

    dividends: Cents
    divisors: Counts

    def times(self, factor: Fraction) -> "Rates":
        """The rates times a factor."""
        return Rates(self.dividends * factor.numerator, self.divisors * factor.denominator)

    def at_most(self, most_cents: int, who: Flags) -> "Rates":
        """The rates, of some people at most so much."""
        above = who & (self.dividends > most_cents * self.divisors)
        return Rates(np.where(above, most_cents, self.dividends), np.where(above, 1, self.divisors))

    def cents(self, quantity: Millis) -> Cents:
        """So many days or hours at the rate, rounded once to the nearest cent."""
        return share_cents(self.dividends, quantity, self.divisors * MILLI)


def daily(terms: Terms) -> Rates:
    """The rate for a day: of the monthly-rated 12 × amount ÷ (52 × days a week)."""
    return _rates(
        terms,
        monthly=(np.full_like(terms.week_millidays, terms.pays_a_year * MILLI), WEEKS_A_YEAR * terms.week_millidays),
        daily=(np.ones_like(terms.week_millidays), np.ones_like(terms.week_millidays)),
        hourly=(terms.day_millihours, np.full_like(terms.day_millihours, MILLI)),
    )


def hourly(parameters: PayParameters, month: Month, terms: Terms) -> Rates:
    """The rate for an hour: of the monthly-rated 12 × amount ÷ (52 × 44), whatever hours were agreed."""
    ones = np.ones_like(terms.day_millihours)
    return _rates(
        terms,
        monthly=(terms.pays_a_year * ones, WEEKS_A_YEAR * parameters.weekly_hours.at(month).value * ones),
        daily=(MILLI * ones, terms.day_millihours),
        hourly=(ones, ones),
    )


def factor(parts: int) -> Fraction:
    """A factor of a parameter file as a fraction."""
    return Fraction(parts, RATE_SCALE)


def daily_expression(terms: Terms, place: int = 0) -> str:
    """The rate of one person for a day, as a sum that is not yet worked out."""
    amount = money(int(terms.amounts_cents[place]))
    match PayType(int(terms.pay_types[place])):
        case PayType.MONTHLY:
            return f"{terms.pays_a_year} × {amount} ÷ ({WEEKS_A_YEAR} × {number(int(terms.week_millidays[place]))})"
        case PayType.DAILY:
            return amount
        case PayType.HOURLY:
            return f"{amount} × {number(int(terms.day_millihours[place]))}"


def hourly_expression(parameters: PayParameters, month: Month, terms: Terms, place: int = 0) -> str:
    """The rate of one person for an hour, as a sum that is not yet worked out."""
    amount = money(int(terms.amounts_cents[place]))
    match PayType(int(terms.pay_types[place])):
        case PayType.MONTHLY:
            return f"{terms.pays_a_year} × {amount} ÷ ({WEEKS_A_YEAR} × {parameters.weekly_hours.at(month).value})"
        case PayType.DAILY:
            return f"{amount} ÷ {number(int(terms.day_millihours[place]))}"
        case PayType.HOURLY:
            return amount


def line(expression: str, quantity: str, amount_cents: int) -> str:
    """The line of arithmetic for so many days or hours at a rate; for none the rate need not exist."""
    return step(f"round_cents({expression} × {quantity})" if quantity != "0" else nothing_for_none(), amount_cents)


def nothing_for_none() -> str:
    """What no days or hours bring, as an expression."""
    return choose(0, same(0, money(0)))


def inputs(terms: Terms, place: int = 0) -> dict[str, str]:
    """What was agreed with one person, for an explanation."""
    pay_type = PayType(int(terms.pay_types[place]))
    agreed = {"pay_type": pay_type.name.lower(), "amount": money(int(terms.amounts_cents[place]))}
    if pay_type == PayType.MONTHLY:
        paid = {} if terms.pays_a_year == MONTHS_A_YEAR else {"amounts a year": str(terms.pays_a_year)}
        return agreed | paid | {"working days a week": number(int(terms.week_millidays[place]))}
    return agreed | {"normal hours a day": number(int(terms.day_millihours[place]))}


def _rates(
    terms: Terms, monthly: tuple[Counts, Counts], daily: tuple[Counts, Counts], hourly: tuple[Counts, Counts]
) -> Rates:
    """The amounts times the factor of each one's pay type, in its lowest terms so that the products stay small."""
    kinds = [being(terms.pay_types, kind) for kind in PayType]
    over = chosen(kinds, [monthly[0], daily[0], hourly[0]])
    under = chosen(kinds, [monthly[1], daily[1], hourly[1]])
    common = np.maximum(np.gcd(over, under), 1)
    return Rates(terms.amounts_cents * (over // common), under // common)
