"""The income lost during national service."""

from gaji.law import national_service
from tests.law.cases import DATE_CASES, Case, cases, in_cents


@cases("national_service", "case", DATE_CASES)
def test_income_lost(case: Case) -> None:
    wages = in_cents(case["ordinary_wages"]), in_cents(case["additional_wages"])
    days = case["working_days"], case["month_working_days"]
    assert national_service.income_lost_cents(*wages, *days) == in_cents(case["income_lost"])
