"""Withholding tax on the fees of directors who are not tax residents."""

from gaji.law import registry, tax
from gaji.law.tax import DirectorFee
from tests.law import arithmetic
from tests.law.cases import DATE_CASES, Case, cases, in_cents


@cases("withholding_tax", directory=DATE_CASES)
def test_case(case: Case, law: registry.Law) -> None:
    paid_on = tax.date_of_payment(case["inputs"], case["paid"], case["paid"])
    fee = DirectorFee(in_cents(case["fee"]), paid_on, case.get("resident", False), case.get("days"))
    assert tax.withholding_tax_cents(law.tax, fee) == in_cents(case["tax"])
    assert tax.withholding_due(law.tax, paid_on) == case["due"]
    if case["tax"]:
        arithmetic.check_explanation(tax.explain_withholding(law.tax, fee))
