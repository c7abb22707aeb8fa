"""Checks of benefits in kind."""

from collections.abc import Mapping

from gaji.core.error_codes import MONTH_NOT_COVERED
from gaji.core.errors import ErrorCode, Errors
from gaji.core.law_loader import current_law
from gaji.core.validation import Record, Rule
from gaji.law.benefits_in_kind import BenefitCategory, CarType, taxes_rent
from gaji.law.parameters import MonthNotCovered
from gaji.people.employees.rules import DATE_TOO_EARLY

MAX_RESIDENCES = 10
"""The residences of an employee in a year that the tax authority takes."""
WITH_REBATE_OFF_COST = (CarType.NEW, CarType.SECOND_HAND)

OTHER_YEAR = ErrorCode("other_year", "must be in the same calendar year as {attribute}")
ABOVE_OTHER_NUMBER = ErrorCode("above_other_number", "must be at most {attribute}")
RENT_OR_ANNUAL_VALUE = ErrorCode("rent_or_annual_value", "is required unless annual_value is given")
RENT_GIVEN = ErrorCode("rent_given", "must be absent if rent is given")
ANNUAL_VALUE_REQUIRED = ErrorCode("annual_value_required", "is required for every residence of {year}")
TOO_MANY_RESIDENCES = ErrorCode("too_many_residences", "an employee can have at most {maximum} residences in {year}")


def check_benefit(record: Record, errors: Errors) -> None:
    """Check the days, and the attributes of a category that depend on each other."""
    if not _check_days(record, errors):
        return
    if record["category"] == BenefitCategory.RESIDENCE:
        _check_residence(record, errors)
    _check_at_most(record, errors, "private_km", "total_km")
    if record["car_type"] in WITH_REBATE_OFF_COST:
        _check_at_most(record, errors, "parf_rebate", "cost", unit="_cents")


def residences_rule(count_by_year: Mapping[int, int]) -> Rule:
    """Return the check that an employee does not have too many residences in a year, given the number of the others."""

    def check(record: Record, errors: Errors) -> None:
        last = record["provided_to"]
        if record["category"] != BenefitCategory.RESIDENCE or last is None:
            return
        if count_by_year.get(last.year, 0) >= MAX_RESIDENCES:
            errors.add_if_absent("category", TOO_MANY_RESIDENCES, maximum=MAX_RESIDENCES, year=last.year)

    return check


def _check_days(record: Record, errors: Errors) -> bool:
    """Check the days. Returns whether the law has rules for them."""
    first, last = record["provided_from"], record["provided_to"]
    if first is None or last is None:
        return False
    if last < first:
        errors.add_if_absent("provided_to", DATE_TOO_EARLY, attribute="provided_from", date=first)
    elif last.year != first.year:
        errors.add_if_absent("provided_to", OTHER_YEAR, attribute="provided_from")
    return _check_rule_is_known(record, errors)


def _check_rule_is_known(record: Record, errors: Errors) -> bool:
    law = current_law().benefits_in_kind
    rule = law.car_private_use if record["category"] == BenefitCategory.CAR else law.residence_value
    try:
        rule.on(record["provided_to"])
    except MonthNotCovered as error:
        errors.add_if_absent("provided_to", MONTH_NOT_COVERED, **error.params)
        return False
    return True


def _check_residence(record: Record, errors: Errors) -> None:
    rent, annual_value, last = record["rent_cents"], record["annual_value_cents"], record["provided_to"]
    if not taxes_rent(current_law().benefits_in_kind, last):
        if annual_value is None:
            errors.add_if_absent("annual_value", ANNUAL_VALUE_REQUIRED, year=last.year)
    elif rent is None and annual_value is None:
        errors.add_if_absent("rent", RENT_OR_ANNUAL_VALUE)
    elif rent is not None and annual_value is not None:
        errors.add_if_absent("annual_value", RENT_GIVEN)


def _check_at_most(record: Record, errors: Errors, name: str, other: str, unit: str = "") -> None:
    value, limit = record[name + unit], record[other + unit]
    if value is not None and limit is not None and value > limit:
        errors.add_if_absent(name, ABOVE_OTHER_NUMBER, attribute=other)
