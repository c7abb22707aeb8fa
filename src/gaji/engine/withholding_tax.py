"""Withholding tax on the fees of directors who are not tax residents."""

from collections.abc import Mapping, Sequence

import numpy as np

from gaji.engine.payslip_input import PayslipInput
from gaji.law.columns import Cents, any_nonzero
from gaji.law.tax import DirectorFee, TaxParameters, date_of_payment, withholding_tax_cents

DIRECTORS_FEE = "directors_fee"
WITHHOLDING_TAX = "withholding_tax"


def director_fee(payslip: PayslipInput, fee_cents: int) -> DirectorFee:
    """Return the director's fee of a payslip, with the residence of the director in the year of payment."""
    entry = payslip.calculations.get(DIRECTORS_FEE)
    paid_on = date_of_payment(entry.inputs if entry else {}, payslip.period.end, payslip.period.pay_date)
    employee = payslip.employee
    return DirectorFee(fee_cents, paid_on, employee.tax_resident, employee.days_in_singapore.get(str(paid_on.year)))


def withholding_tax_column(
    parameters: TaxParameters, payslips: Sequence[PayslipInput], lines: Mapping[str, Cents]
) -> Cents | None:
    """Return the tax of each payslip. None if no payslip of the batch has a fee of a director who is not resident."""
    fees = lines.get(DIRECTORS_FEE)
    if fees is None or not any_nonzero(fees) or all(payslip.employee.tax_resident for payslip in payslips):
        return None
    return np.array(
        [
            withholding_tax_cents(parameters, director_fee(payslip, fee)) if fee else 0
            for payslip, fee in zip(payslips, fees.tolist(), strict=True)
        ],
        dtype=np.int64,
    )
