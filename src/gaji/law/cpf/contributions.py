"""The contributions on a month's total wages: wage bands, rates and rounding.

First Schedule to the Central Provident Fund Act 1953: the parts on ordinary and additional wages are added before
rounding. The total is rounded to the nearest dollar, 50 cents up. The employee's share is rounded down to whole
dollars. The employer pays the rest.
"""

import numpy as np
import numpy.typing as npt

from gaji.law.columns import CENTS_PER_DOLLAR, SCALED_DOLLAR, Cents, divide_half_up, equals_code
from gaji.law.cpf.inputs import CpfContributions
from gaji.law.cpf.parameters import AgeGroup, CpfParameters, RateColumns, RateLookup, RateTable, WageBands
from gaji.law.cpf.tables import CpfApplicability
from gaji.law.months import Month


def ordinary_subject_cents(
    parameters: CpfParameters, month: Month, applicable: CpfApplicability, ordinary_cents: Cents
) -> Cents:
    """The ordinary wages subject to CPF: up to the month's ceiling, zero for people without a rate table."""
    ceiling = parameters.ordinary_wage_ceiling_cents.at(month).value
    capped = np.minimum(np.maximum(ordinary_cents, 0), ceiling)
    return np.where(equals_code(applicable.tables, RateTable.NONE), 0, capped)


def contributions_on_total_wages(
    parameters: CpfParameters,
    month: Month,
    applicable: CpfApplicability,
    ordinary_subject_cents: Cents,
    additional_subject_cents: Cents,
    before_cents: Cents,
) -> CpfContributions:
    """The contributions for the month on the wages subject to CPF.

    `before_cents` is the part from before citizenship started in this month. The earlier rate table applies to it, in
    the wage band of the total wages.
    """
    bands = parameters.wage_bands.at(month).value
    rates = parameters.rate_columns(month)
    total_wages = ordinary_subject_cents + additional_subject_cents
    total, employee = _shares(bands, rates, _cells(applicable.tables, applicable.age_groups), total_wages)
    divided = np.flatnonzero(before_cents)
    if len(divided):
        ages = applicable.age_groups[divided]
        earlier, later = _cells(applicable.tables_before[divided], ages), _cells(applicable.tables[divided], ages)
        total[divided], employee[divided] = _shares_of_divided_month(
            bands, rates, earlier, later, before_cents[divided], total_wages[divided]
        )
    employee_cents = employee * CENTS_PER_DOLLAR
    employer_cents = total * CENTS_PER_DOLLAR - employee_cents
    return CpfContributions(ordinary_subject_cents, additional_subject_cents, employee_cents, employer_cents)


def _shares(bands: WageBands, rates: RateColumns, cells: RateLookup, wages: Cents) -> tuple[Cents, Cents]:
    """Total and employee's share in whole dollars."""
    graduated = wages - bands.employer_only_up_to_cents
    graduated *= rates.graduated[cells]
    employer = wages * rates.employer_only[cells]
    full_total, full_employee = wages * rates.total[cells], wages * rates.employee[cells]
    above_nil = wages > bands.nil_up_to_cents
    above_employer_only = wages > bands.employer_only_up_to_cents
    above_graduated = wages > bands.graduated_up_to_cents
    employee = np.where(above_graduated, full_employee, np.where(above_employer_only, graduated, 0))
    total = np.where(above_graduated, full_total, np.where(above_nil, employer + employee, 0))
    return divide_half_up(total, SCALED_DOLLAR), employee // SCALED_DOLLAR


def _shares_of_divided_month(
    bands: WageBands, rates: RateColumns, earlier: RateLookup, later: RateLookup, before: Cents, wages: Cents
) -> tuple[Cents, Cents]:
    """Total and employee's share when two rate tables apply, each to its own part of the wages.

    In the graduated band, the wages above its lower bound belong to both parts in proportion. To stay exact, everything
    there is multiplied by the wages and divided by them in the final rounding.
    """
    after = wages - before

    def weighted(rate: RateLookup) -> Cents:
        return before * rate[earlier] + after * rate[later]

    in_graduated = (wages > bands.employer_only_up_to_cents) & (wages <= bands.graduated_up_to_cents)
    multiplier = np.where(in_graduated, wages, 1)
    excess = np.where(in_graduated, wages - bands.employer_only_up_to_cents, 0)
    above_graduated = wages > bands.graduated_up_to_cents
    employee = np.where(above_graduated, weighted(rates.employee), weighted(rates.graduated) * excess)
    employer_only = np.where(wages > bands.nil_up_to_cents, weighted(rates.employer_only) * multiplier, 0)
    total = np.where(above_graduated, weighted(rates.total), employer_only + employee)
    unit = SCALED_DOLLAR * multiplier
    return (2 * total + unit) // (2 * unit), employee // unit


def _cells(tables: npt.NDArray[np.int8], age_groups: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
    """The index of each person's rates in the lookup columns."""
    return tables.astype(np.int64) * len(AgeGroup) + age_groups
