"""Checks of share gains."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal

from gaji.core.error_codes import NOT_POSITIVE
from gaji.core.errors import ErrorCode, Errors
from gaji.core.law_loader import current_law
from gaji.core.validation import Record, Rule
from gaji.law.share_gains import SharePlan, deemed_exercise_date
from gaji.people.employees.rules import DATE_TOO_EARLY

MAX_GAINS = 30
"""The share gains of an employee in a year that the tax authority takes."""
MAX_GAIN = 999_999_999
"""The largest gain in dollars that the tax authority takes."""

TOO_MANY_GAINS = ErrorCode("too_many_share_gains", "an employee can have at most {maximum} share gains in {year}")
NO_TAX_CLEARANCE = ErrorCode("no_tax_clearance", "requires that the service was ended with ir21")
NOT_DEEMED_DATE = ErrorCode(
    "not_deemed_date", "must be {date}: a month before the last day of service, or the grant if that is later"
)
GAIN_TOO_LARGE = ErrorCode("gain_too_large", "gives a gain of more than {maximum}")


def check_gain(record: Record, errors: Errors) -> None:
    """Check the order of the dates, and that there are shares."""
    for name in ("exercise_date", "vesting_date", "restriction_end_date"):
        _check_not_before(record, errors, name, "grant_date")
    for name in ("exercise_date", "vesting_date"):
        _check_not_before(record, errors, "restriction_end_date", name)
    _check_shares(record, errors)


def gains_rule(count_by_year: Mapping[int, int]) -> Rule:
    """Return the check that an employee does not have too many gains in a year, given the number of the others."""

    def check(record: Record, errors: Errors) -> None:
        day = _income_day(record)
        if day is not None and count_by_year.get(day.year, 0) >= MAX_GAINS:
            errors.add_if_absent("grant_date", TOO_MANY_GAINS, maximum=MAX_GAINS, year=day.year)

    return check


def deemed_rule(last_day: date | None) -> Rule:
    """Return the check of shares that count as acquired because a foreigner leaves, given the last day of service."""

    def check(record: Record, errors: Errors) -> None:
        if not record["deemed"]:
            return
        if last_day is None:
            errors.add_if_absent("deemed", NO_TAX_CLEARANCE)
        elif record["plan"] is not None and record["grant_date"] is not None:
            name = "exercise_date" if record["plan"] == SharePlan.OPTION else "vesting_date"
            day = deemed_exercise_date(current_law().share_gains, record["grant_date"], last_day)
            if record[name] != day:
                errors.add_if_absent(name, NOT_DEEMED_DATE, date=day)

    return check


def _income_day(record: Record) -> date | None:
    """Return the day that gives the year of income, if the dates are valid."""
    names = ("exercise_date", "vesting_date", "grant_date")
    first = () if record["deemed"] else ("restriction_end_date",)
    return next((record[name] for name in (*first, *names) if record[name] is not None), None)


def _check_shares(record: Record, errors: Errors) -> None:
    market_value, price, shares = (record[name] for name in ("market_value", "price", "shares"))
    if shares == "0":
        errors.add_if_absent("shares", NOT_POSITIVE)
    if market_value is None or price is None or shares is None:
        return
    if (Decimal(market_value) - Decimal(price)) * Decimal(shares) > MAX_GAIN:
        errors.add_if_absent("shares", GAIN_TOO_LARGE, maximum=MAX_GAIN)


def _check_not_before(record: Record, errors: Errors, name: str, earlier: str) -> None:
    if record[name] is not None and record[earlier] is not None and record[name] < record[earlier]:
        errors.add_if_absent(name, DATE_TOO_EARLY, attribute=earlier, date=record[earlier])
