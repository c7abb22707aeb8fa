"""Withholding tax on the director's fees of a batch."""

from datetime import date
from typing import Any

from gaji.engine import batch
from gaji.engine.catalogue import Catalogue, build_catalogue
from gaji.engine.payslip_input import CalculationEntry, EmployeeDetails, PayPeriod, PayslipInput, ServiceInterval
from gaji.law import registry

CATALOGUE: Catalogue = build_catalogue([])


def director(approval_date: str, **period: Any) -> PayslipInput:
    """A payslip with a fee of 10,000 for a director who is not a tax resident."""
    dates = {"start": date(2026, 1, 1), "end": date(2026, 1, 31), "pay_date": date(2026, 1, 31), **period}
    employee = EmployeeDetails(birthdate=date(1970, 6, 15), legal_status="FD_OTHER", race="OTHER", tax_resident=False)
    fee = CalculationEntry({"amount": "10000.00", "approval_date": approval_date})
    service = [ServiceInterval(date(2015, 1, 1))]
    return PayslipInput(PayPeriod(**dates), employee, service, {"directors_fee": fee})


def test_a_fee_of_a_date_without_a_rate_needs_attention_alone(law: registry.Law) -> None:
    payslips = [director("2015-12-31"), director("2025-12-31")]
    result = batch.calculate(law, CATALOGUE, payslips)
    assert result.nett_cents.tolist() == [10_000_00, 7_600_00]
    assert result.attention == {
        0: [
            "Withholding tax: no rate is known for a fee of December 2015. "
            "Rates are known from January 2016 to December 2027"
        ]
    }


def test_a_fee_that_is_paid_after_the_known_rates_needs_attention(law: registry.Law) -> None:
    period = {"start": date(2027, 12, 1), "end": date(2027, 12, 31), "pay_date": date(2028, 1, 5)}
    result = batch.calculate(law, CATALOGUE, [director("2028-01-31", **period)])
    assert result.attention[0][0].startswith("Withholding tax: no rate is known for a fee of January 2028.")
