"""Daily and hourly rates of pay, kept as exact fractions until a line is rounded.

With basic amounts these are basic rates (overtime, rest days, work on public holidays); with gross amounts, gross rates
(paid leave, notice, absence). The Third and Fourth Schedules of the Employment Act 1968 use the same formula.
"""

from enum import IntEnum
from fractions import Fraction

import numpy as np
from msgspec import Struct

from gaji.law.columns import RATE_SCALE, Cents, Codes, Flags, equals_code, select_first
from gaji.law.explanation import money, step
from gaji.law.months import MONTHS_PER_YEAR, Month
from gaji.law.notation import choose, equals
from gaji.law.pay.parameters import PayParameters
from gaji.law.quantities import MILLI, Counts, Millis, format_millis, share_cents
from gaji.law.reasons import Reason, Unit, UnitsAtRate

WEEKS_PER_YEAR = 52


class PayType(IntEnum):
    """The period that the agreed amount is for."""

    MONTHLY = 0
    DAILY = 1
    HOURLY = 2


class PayTerms(Struct, frozen=True):
    """The agreed pay of each person. Fields that a rate does not need may be 0."""

    pay_types: Codes
    amounts_cents: Cents
    """Per month, day or hour, depending on the pay type."""
    cycle_millidays: Millis
    """The working days of the weeks of a cycle, for the daily rate of monthly-rated employees."""
    day_millihours: Millis
    """The normal hours per day, for the hourly rate of daily-rated and the daily rate of hourly-rated employees."""
    payments_per_year: int = MONTHS_PER_YEAR
    """How often per year the amount of monthly-rated employees is paid: 12 for monthly amounts, 52 for weekly ones."""
    cycle_weeks: int = 1
    """The number of weeks after which working days repeat."""

    def week_days_text(self, index: int = 0) -> str:
        """The average working days per week of one person.

        >>> PayTerms(np.array([0]), np.array([0]), np.array([16_000]), np.array([0]), cycle_weeks=3).week_days_text()
        '16 ÷ 3'
        """
        millidays = Fraction(int(self.cycle_millidays[index]), self.cycle_weeks)
        days = format_millis(millidays.numerator)
        return days if millidays.denominator == 1 else f"{days} ÷ {millidays.denominator}"


class PayRates(Struct, frozen=True):
    """Cents per day or per hour: dividends over divisors."""

    dividends: Cents
    divisors: Counts

    def times(self, factor: Fraction) -> "PayRates":
        """Multiply the rates by a factor."""
        return PayRates(self.dividends * factor.numerator, self.divisors * factor.denominator)

    def capped(self, cap_cents: int, applies: Flags) -> "PayRates":
        """Limit the rates to a cap for the people to whom it applies."""
        above = applies & (self.dividends > cap_cents * self.divisors)
        return PayRates(np.where(above, cap_cents, self.dividends), np.where(above, 1, self.divisors))

    def exact_cents(self, index: int = 0) -> Fraction | None:
        """The exact rate of one person. None if it is not defined, such as a daily rate without working days."""
        divisor = int(self.divisors[index])
        return Fraction(int(self.dividends[index]), divisor) if divisor else None

    def cents(self, quantity: Millis) -> Cents:
        """Multiply the rates by days or hours, rounded once to the nearest cent."""
        return share_cents(self.dividends, quantity, self.divisors * MILLI)


def daily_rates(terms: PayTerms) -> PayRates:
    """The daily rates. For monthly-rated employees: 12 × amount ÷ (52 × days per week)."""
    ones = np.ones_like(terms.cycle_millidays)
    return _rates(
        terms,
        monthly=(
            terms.payments_per_year * MILLI * terms.cycle_weeks * ones,
            WEEKS_PER_YEAR * terms.cycle_millidays,
        ),
        daily=(ones, ones),
        hourly=(terms.day_millihours, np.full_like(terms.day_millihours, MILLI)),
    )


def hourly_rates(parameters: PayParameters, month: Month, terms: PayTerms) -> PayRates:
    """The hourly rates. For monthly-rated employees: 12 × amount ÷ (52 × 44), whatever the contracted hours."""
    ones = np.ones_like(terms.day_millihours)
    return _rates(
        terms,
        monthly=(terms.payments_per_year * ones, WEEKS_PER_YEAR * parameters.weekly_hours.at(month).value * ones),
        daily=(MILLI * ones, terms.day_millihours),
        hourly=(ones, ones),
    )


def as_fraction(parts: int) -> Fraction:
    """Convert a factor from a parameter file to a fraction."""
    return Fraction(parts, RATE_SCALE)


def daily_expression(terms: PayTerms, index: int = 0) -> str:
    """The expression for the daily rate of one person."""
    amount = money(int(terms.amounts_cents[index]))
    match PayType(int(terms.pay_types[index])):
        case PayType.MONTHLY:
            days = terms.week_days_text(index)
            return f"{terms.payments_per_year} × {amount} ÷ ({WEEKS_PER_YEAR} × {days})"
        case PayType.DAILY:
            return amount
        case PayType.HOURLY:
            return f"{amount} × {format_millis(int(terms.day_millihours[index]))}"


def hourly_expression(parameters: PayParameters, month: Month, terms: PayTerms, index: int = 0) -> str:
    """The expression for the hourly rate of one person."""
    amount = money(int(terms.amounts_cents[index]))
    match PayType(int(terms.pay_types[index])):
        case PayType.MONTHLY:
            hours = parameters.weekly_hours.at(month).value
            return f"{terms.payments_per_year} × {amount} ÷ ({WEEKS_PER_YEAR} × {hours})"
        case PayType.DAILY:
            return f"{amount} ÷ {format_millis(int(terms.day_millihours[index]))}"
        case PayType.HOURLY:
            return amount


def rate_line(expression: str, quantity: str, amount_cents: int) -> str:
    """The line for a quantity at a rate. For a quantity of zero, the rate need not be defined."""
    return step(f"round_cents({expression} × {quantity})" if quantity != "0" else zero_expression(), amount_cents)


def units_reason(rates: PayRates, unit: Unit, quantity_millis: int) -> Reason | None:
    """The reason of days, hours or months at the rate of the first person. None for none of them."""
    rate_cents = rates.exact_cents()
    if rate_cents is None or not quantity_millis:
        return None
    return UnitsAtRate(Fraction(quantity_millis, MILLI), unit, rate_cents)


def zero_expression() -> str:
    """The expression for the pay of zero days or hours."""
    return choose(0, equals(0, money(0)))


def term_inputs(terms: PayTerms, index: int = 0) -> dict[str, str]:
    """The agreed pay of one person, as inputs of an explanation."""
    pay_type = PayType(int(terms.pay_types[index]))
    agreed = {"pay_type": pay_type.name.lower(), "amount": money(int(terms.amounts_cents[index]))}
    if pay_type == PayType.MONTHLY:
        per_year = terms.payments_per_year
        payments = {} if per_year == MONTHS_PER_YEAR else {"payments per year": str(per_year)}
        return agreed | payments | {"working days per week": terms.week_days_text(index)}
    return agreed | {"normal hours per day": format_millis(int(terms.day_millihours[index]))}


def _rates(
    terms: PayTerms, monthly: tuple[Counts, Counts], daily: tuple[Counts, Counts], hourly: tuple[Counts, Counts]
) -> PayRates:
    """Multiply the amounts by the fraction of each person's pay type, in lowest terms to keep the products small."""
    has_type = [equals_code(terms.pay_types, pay_type) for pay_type in PayType]
    numerators = select_first(has_type, [monthly[0], daily[0], hourly[0]])
    denominators = select_first(has_type, [monthly[1], daily[1], hourly[1]])
    common = np.maximum(np.gcd(numerators, denominators), 1)
    return PayRates(terms.amounts_cents * (numerators // common), denominators // common)
