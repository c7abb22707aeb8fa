"""Gross daily rates of pay, without calculating a payslip."""

from collections.abc import Mapping, Sequence
from datetime import date

from gaji.engine import earnings
from gaji.engine.catalogue import Catalogue
from gaji.engine.earnings import GrossRate
from gaji.engine.input_columns import InputColumns
from gaji.engine.payslip_input import CalculationEntry, EmployeeDetails, PayPeriod, PayslipInput
from gaji.engine.regular_hours import regular_hours
from gaji.law.months import Month
from gaji.law.registry import Law

ANY_EMPLOYEE = EmployeeDetails(birthdate=date.min, legal_status="")
"""A placeholder: rates depend on the contract only, not on the employee's details."""


def gross_rate_types(catalogue: Catalogue) -> list[str]:
    """The names of the calculation types that the gross rate depends on."""
    return ["week_hours", *(name for name, item_type in catalogue.types.items() if item_type.treatment.gross_rate)]


def gross_daily_rates(
    law: Law, catalogue: Catalogue, period: PayPeriod, calculations: Sequence[Mapping[str, CalculationEntry]]
) -> GrossRate:
    """The gross rates of payslips of a period with these calculations."""
    inputs = InputColumns([PayslipInput(period, ANY_EMPLOYEE, [], dict(entries)) for entries in calculations])
    regular = regular_hours(inputs, law.pay.half_day_hours.at(Month.from_date(period.end)).value)
    return earnings.gross_rates(catalogue, inputs, earnings.basic_terms(inputs, regular, period.periods_per_year))
