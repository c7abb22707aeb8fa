"""Gross rates of pay for a day, by themselves: what days are worth without a payslip."""

from collections.abc import Mapping, Sequence
from datetime import date

from gaji.engine import earnings
from gaji.engine.payslip_input import PayslipInput, CalculationEntry, PayPeriod, EmployeeDetails
from gaji.engine.catalogue import Catalogue
from gaji.engine.earnings import GrossRate
from gaji.engine.input_columns import InputColumns
from gaji.engine.regular_hours import regular_hours
from gaji.law.registry import Law
from gaji.law.months import Month

ANYONE = EmployeeDetails(birthdate=date.min, legal_status="")
"""Rates go by what was agreed, whoever it was agreed with."""


def gross_rate_types(catalogue: Catalogue) -> list[str]:
    """The types that these rates go by."""
    return ["week_hours", *(name for name, one in catalogue.types.items() if one.treatment.gross_rate)]


def gross_daily_rates(
    law: Law, catalogue: Catalogue, period: PayPeriod, entered: Sequence[Mapping[str, CalculationEntry]]
) -> GrossRate:
    """The gross rates that payslips of a period with these calculations go by."""
    inputs = InputColumns([PayslipInput(period, ANYONE, [], dict(own)) for own in entered])
    regular = regular_hours(inputs, law.pay.half_day_hours.at(Month.from_date(period.end)).value)
    return earnings.gross_rates(catalogue, inputs, earnings.basic_terms(inputs, regular, period.periods_per_year))
