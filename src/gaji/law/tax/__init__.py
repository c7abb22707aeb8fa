"""Income tax, as far as an employer has to act on it: the year of income, tax clearance, fees of directors."""

from gaji.law.tax.clearance import (
    ServiceYear,
    clearance_exemption,
    clearance_filing_due,
    directive_due,
    directive_penalty_cents,
    first_year_on_clearance,
    is_withheld,
    yearly_submission_due,
)
from gaji.law.tax.directors import (
    DirectorFee,
    date_of_payment,
    explain_withholding,
    withholding_due,
    withholding_tax_cents,
)
from gaji.law.tax.income_years import ARREARS_SOURCE, IncomeDates, IncomeSpan, YearRule, income_span
from gaji.law.tax.parameters import TaxParameters, read_parameters

__all__ = [
    "ARREARS_SOURCE",
    "DirectorFee",
    "IncomeDates",
    "IncomeSpan",
    "ServiceYear",
    "TaxParameters",
    "YearRule",
    "clearance_exemption",
    "clearance_filing_due",
    "date_of_payment",
    "directive_due",
    "directive_penalty_cents",
    "explain_withholding",
    "first_year_on_clearance",
    "income_span",
    "is_withheld",
    "read_parameters",
    "withholding_due",
    "withholding_tax_cents",
    "yearly_submission_due",
]
