"""Withholding tax on the fees of directors who are not tax residents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gaji.engine.payslip_input import PayslipInput
from gaji.law.columns import Cents, any_nonzero
from gaji.law.parameters import MonthNotCovered
from gaji.law.tax import DirectorFee, TaxParameters, date_of_payment, withholding_tax_cents

DIRECTORS_FEE = "directors_fee"
WITHHOLDING_TAX = "withholding_tax"


def director_fee(payslip: PayslipInput, fee_cents: int) -> DirectorFee:
    """Return the director's fee of a payslip, with the residence of the director in the year of payment."""
    entry = payslip.calculations.get(DIRECTORS_FEE)
    paid_on = date_of_payment(entry.inputs if entry else {}, payslip.period.end, payslip.period.pay_date)
    employee = payslip.employee
    return DirectorFee(fee_cents, paid_on, employee.tax_resident, employee.days_in_singapore.get(str(paid_on.year)))


@dataclass(frozen=True)
class WithholdingTax:
    """The tax on the director's fees of a batch."""

    tax_cents: Cents
    without_rate: Mapping[int, MonthNotCovered]
    """Payslips, by index, with a fee for whose date of payment no rate is known. Their tax is zero."""


def compute_withholding_tax(
    parameters: TaxParameters, payslips: Sequence[PayslipInput], lines: Mapping[str, Cents]
) -> WithholdingTax | None:
    """Return the tax of each payslip. None if no payslip of the batch has a fee of a director who is not resident."""
    fees = lines.get(DIRECTORS_FEE)
    if fees is None or not any_nonzero(fees) or all(payslip.employee.tax_resident for payslip in payslips):
        return None
    tax_cents, without_rate = np.zeros_like(fees), {}
    for i in fees.nonzero()[0].tolist():
        try:
            tax_cents[i] = withholding_tax_cents(parameters, director_fee(payslips[i], int(fees[i])))
        except MonthNotCovered as error:
            without_rate[i] = error
    return WithholdingTax(tax_cents, without_rate)
