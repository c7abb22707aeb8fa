"""The contribution on a month's total wages: the wage bands, and the one rounding.

First Schedule to the Central Provident Fund Act 1953: the parts on ordinary and on additional wages are added before
anything is rounded; the total goes to the nearest dollar, 50 cents up; the employee's share drops its cents; the
employer pays the rest.
"""

import numpy as np
import numpy.typing as npt

from gaji.law.columns import CENTS_PER_DOLLAR, SCALED_DOLLAR, Cents, divide_half_up, equals_code
from gaji.law.cpf.inputs import CpfContributions
from gaji.law.cpf.parameters import AgeGroup, CpfParameters, RateColumns, RateTable, Row, WageBands
from gaji.law.cpf.tables import CpfApplicability
from gaji.law.months import Month


def ordinary_subject_cents(
    parameters: CpfParameters, month: Month, applying: CpfApplicability, ordinary_cents: Cents
) -> Cents:
    """The ordinary wages up to the month's ceiling, of those who contribute."""
    ceiling = parameters.ordinary_wage_ceiling_cents.at(month).value
    counted = np.minimum(np.maximum(ordinary_cents, 0), ceiling)
    return np.where(equals_code(applying.tables, RateTable.NONE), 0, counted)


def contributions_on_total_wages(
    parameters: CpfParameters,
    month: Month,
    applying: CpfApplicability,
    ordinary_subject_cents: Cents,
    additional_subject_cents: Cents,
    before_cents: Cents,
) -> CpfContributions:
    """The contribution for the month on the wages that bear CPF.

    `before_cents` is the part of them from before citizenship began in this month: it goes by the earlier table, in the
    wage band that all of them together are in.
    """
    bands = parameters.wage_bands.at(month).value
    rates = parameters.rate_columns(month)
    total_wages = ordinary_subject_cents + additional_subject_cents
    total, employee = _shares(bands, rates, _cells(applying.tables, applying.age_groups), total_wages)
    divided = np.flatnonzero(before_cents)
    if len(divided):
        ages = applying.age_groups[divided]
        earlier, later = _cells(applying.tables_before[divided], ages), _cells(applying.tables[divided], ages)
        total[divided], employee[divided] = _shares_of_a_divided_month(
            bands, rates, earlier, later, before_cents[divided], total_wages[divided]
        )
    employee_cents = employee * CENTS_PER_DOLLAR
    employer_cents = total * CENTS_PER_DOLLAR - employee_cents
    return CpfContributions(ordinary_subject_cents, additional_subject_cents, employee_cents, employer_cents)


def _shares(bands: WageBands, rates: RateColumns, cells: Row, wages: Cents) -> tuple[Cents, Cents]:
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


def _shares_of_a_divided_month(
    bands: WageBands, rates: RateColumns, earlier: Row, later: Row, before: Cents, wages: Cents
) -> tuple[Cents, Cents]:
    """The same when the month's wages go by two tables: each rate by its own wages.

    In the graduated band, the wages above its lower bound belong to both parts in proportion. To stay exact, everything
    there is computed times the wages, and divided by them in the one rounding.
    """
    after = wages - before

    def by_its_own(rate: Row) -> Cents:
        return before * rate[earlier] + after * rate[later]

    in_graduated = (wages > bands.employer_only_up_to_cents) & (wages <= bands.graduated_up_to_cents)
    times = np.where(in_graduated, wages, 1)
    excess = np.where(in_graduated, wages - bands.employer_only_up_to_cents, 0)
    above_graduated = wages > bands.graduated_up_to_cents
    employee = np.where(above_graduated, by_its_own(rates.employee), by_its_own(rates.graduated) * excess)
    employer_only = np.where(wages > bands.nil_up_to_cents, by_its_own(rates.employer_only) * times, 0)
    total = np.where(above_graduated, by_its_own(rates.total), employer_only + employee)
    return (2 * total + SCALED_DOLLAR * times) // (2 * SCALED_DOLLAR * times), employee // (SCALED_DOLLAR * times)


def _cells(tables: npt.NDArray[np.int8], age_groups: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
    """Where each person's rates are in the lookup columns."""
    return tables.astype(np.int64) * len(AgeGroup) + age_groups
