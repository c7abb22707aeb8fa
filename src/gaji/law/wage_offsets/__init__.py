"""Wage offsets: what the government pays to employers for part of the wages, estimated from the wages with CPF.

Order of computation, for one employee:

1. `progressive_wage_credit`: the average gross monthly wages of three years, this year's increase and last year's. The
   figures are the same for every month of a year (`estimate_year`).
2. `senior_employment_credit`, `cpf_transition_offset` and `employment_credits`: from the wage of each month
   (`estimate_month`).
3. `require_certainty`: figures from sources that are too uncertain lose their amount.

A scheme returns None for employees whom it is not meant for, an offset of 0 if a condition is not met, and an offset
without an amount if the published facts do not settle it.
"""

from gaji.law import cpf
from gaji.law.months import Month
from gaji.law.wage_offsets.cpf_transition_offset import transition_offset
from gaji.law.wage_offsets.employment_credits import enabling_credit, uplifting_credit
from gaji.law.wage_offsets.estimate import (
    MonthlyWage,
    NotEstimated,
    OffsetEmployee,
    Scheme,
    WageOffset,
    YearlyWages,
    require_certainty,
)
from gaji.law.wage_offsets.parameters import WageOffsetParameters, read_parameters
from gaji.law.wage_offsets.progressive_wage_credit import WagesByYear, increase_credit, sustained_credit
from gaji.law.wage_offsets.senior_employment_credit import senior_credit


def estimate_year(
    parameters: WageOffsetParameters, year: int, employee: OffsetEmployee, wages: WagesByYear
) -> list[WageOffset]:
    """The Progressive Wage Credit for each month with CPF of a year. Owners have none."""
    if employee.is_owner:
        return []
    offsets = (increase_credit(parameters, year, wages), sustained_credit(parameters, year, wages))
    return [require_certainty(parameters, Month(year, 1), offset) for offset in offsets if offset is not None]


def estimate_month(
    parameters: WageOffsetParameters,
    cpf_parameters: cpf.CpfParameters,
    month: Month,
    employee: OffsetEmployee,
    wage: MonthlyWage,
) -> list[WageOffset]:
    """The offsets for a month that depend on its wage alone."""
    offsets = (
        senior_credit(parameters, month, employee, wage),
        transition_offset(parameters, cpf_parameters, month, employee, wage),
        enabling_credit(parameters, month, employee, wage),
        uplifting_credit(parameters, month, employee, wage),
    )
    return [require_certainty(parameters, month, offset) for offset in offsets if offset is not None]


__all__ = [
    "MonthlyWage",
    "NotEstimated",
    "OffsetEmployee",
    "Scheme",
    "WageOffset",
    "WageOffsetParameters",
    "WagesByYear",
    "YearlyWages",
    "estimate_month",
    "estimate_year",
    "increase_credit",
    "read_parameters",
    "sustained_credit",
]
