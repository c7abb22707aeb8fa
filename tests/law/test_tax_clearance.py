"""Tax clearance of leavers (form IR21)."""

from datetime import date

from gaji.law import registry, tax
from gaji.law.tax import ServiceYear
from tests.law.cases import DATE_CASES, Case, cases, in_cents


@cases("tax_clearance", "withheld", DATE_CASES)
def test_withheld_payments(case: Case) -> None:
    withheld = [
        pay["nett"]
        for pay in case["pay"]
        if tax.is_withheld(
            case.get("notice_date"), case["last_day"], pay["period_end"], pay["pay_date"], pay.get("payment_date")
        )
    ]
    assert sum(withheld) == case["withheld"]


@cases("tax_clearance", "filing", DATE_CASES)
def test_the_last_day_of_filing(case: Case, law: registry.Law) -> None:
    assert tax.clearance_filing_due(law.tax, case["notice_date"], case["last_day"]) == case["due"]


@cases("tax_clearance", "directive", DATE_CASES)
def test_directives(case: Case, law: registry.Law) -> None:
    assert tax.directive_due(law.tax, case["dated"]) == case["due"]
    penalty = tax.directive_penalty_cents(law.tax, in_cents(case["tax"]), case["dated"], case["paid"])
    assert penalty == in_cents(case["penalty"])


@cases("tax_clearance", "exemption", DATE_CASES)
def test_exemptions(case: Case, law: registry.Law) -> None:
    incomes = [in_cents(year["income"]) if "income" in year else None for year in case["years"]]
    years = [ServiceYear(year["year"], year["days"], cents) for year, cents in zip(case["years"], incomes, strict=True)]
    reason = tax.clearance_exemption(law.tax, years, is_director=case.get("director", False))
    assert (reason is None) == case["required"]


@cases("tax_clearance", "first_year", DATE_CASES)
def test_the_first_year_on_the_form(case: Case, law: registry.Law) -> None:
    assert tax.first_year_on_clearance(law.tax, case["last_day"]) == case["year"]


def test_the_income_of_a_year_is_reported_by_1_march(law: registry.Law) -> None:
    assert tax.yearly_submission_due(law.tax, 2025) == date(2026, 3, 1)
