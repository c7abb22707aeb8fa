"""Interest on CPF contributions that are paid late."""

from gaji.law import registry
from gaji.law.late_contributions import interest_cents
from gaji.law.months import Month
from tests.law.cases import DATE_CASES, Case, cases, in_cents


@cases("late_contributions", "case", DATE_CASES)
def test_interest(case: Case, law: registry.Law) -> None:
    interest = interest_cents(
        law.late_contributions,
        law.due_dates,
        law.holidays,
        Month.parse(case["month"]),
        in_cents(case["contributions"]),
        case["paid"],
    )
    assert interest == in_cents(case["interest"])
