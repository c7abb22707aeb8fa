"""The contributions on a month's total wages: wage bands, rates and rounding.

First Schedule to the Central Provident Fund Act 1953: the parts on ordinary and additional wages are added before
rounding. The total is rounded to the nearest dollar, 50 cents up. The employee's share is rounded down to whole
dollars. The employer pays the rest.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gaji.law.columns import SCALED_DOLLAR, Cents, Codes, equals_code
from gaji.law.cpf.inputs import CpfContributions
from gaji.law.cpf.parameters import AgeGroup, CpfParameters, RateColumns, RateLookup, RateTable, WageBands
from gaji.law.cpf.tables import CpfApplicability
from gaji.law.months import Month
from gaji.law.rounding import CENTS_PER_DOLLAR, divide_half_up

LAST_PAYABLE_DAY = 14


def last_payable_day(month: Month) -> date:
    """The last day on which wages of a month can be payable and still be its ordinary wages (CPF Act 1953, s. 2)."""
    return (month + 1).first_day.replace(day=LAST_PAYABLE_DAY)


def ordinary_subject_cents(
    parameters: CpfParameters, month: Month, applicable: CpfApplicability, ordinary_cents: Cents
) -> Cents:
    """The ordinary wages subject to CPF: up to the month's ceiling, zero for people without a rate table."""
    ceiling = parameters.ordinary_wage_ceiling_cents.at(month).value
    capped = np.minimum(np.maximum(ordinary_cents, 0), ceiling)
    return np.where(equals_code(applicable.tables, RateTable.NONE), 0, capped)


@dataclass(frozen=True)
class RatePart:
    """A part of the month's wages to which other rates apply than those of the month."""

    wages_cents: Cents
    tables: Codes
    age_groups: Codes
    month: Month
    """The month whose rates apply."""


def contributions_on_total_wages(
    parameters: CpfParameters,
    month: Month,
    applicable: CpfApplicability,
    ordinary_subject_cents: Cents,
    additional_subject_cents: Cents,
    parts: Sequence[RatePart] = (),
) -> CpfContributions:
    """The contributions for the month on the wages subject to CPF.

    The rates of the month apply to everything that is not in `parts`. The total wages select the wage band of all.
    """
    bands = parameters.wage_bands.at(month).value
    rates = parameters.rate_columns(month)
    total_wages = ordinary_subject_cents + additional_subject_cents
    total, employee = _shares(bands, rates, _cells(applicable.tables, applicable.age_groups), total_wages)
    if parts:
        divided = np.flatnonzero(sum(np.abs(part.wages_cents) for part in parts))
        terms = [_rate_term(parameters, part, divided) for part in parts]
        rest = total_wages[divided] - sum(term.wages for term in terms)
        terms.append(_RateTerm(rest, rates, _cells(applicable.tables[divided], applicable.age_groups[divided])))
        total[divided], employee[divided] = _shares_of_divided_month(bands, terms, total_wages[divided])
    employee_cents = employee * CENTS_PER_DOLLAR
    employer_cents = total * CENTS_PER_DOLLAR - employee_cents
    return CpfContributions(ordinary_subject_cents, additional_subject_cents, employee_cents, employer_cents)


def shares_at_full_rates(parameters: CpfParameters, parts: Sequence[RatePart]) -> tuple[Cents, Cents]:
    """Employee's and employer's share on wages in the highest wage band, rounded once."""
    everyone = np.arange(len(parts[0].wages_cents))
    terms = [_rate_term(parameters, part, everyone) for part in parts]
    none = np.zeros(len(everyone), dtype=np.int64)
    total = divide_half_up(sum((term.wages * term.rates.total[term.cells] for term in terms), none), SCALED_DOLLAR)
    employee = sum((term.wages * term.rates.employee[term.cells] for term in terms), none) // SCALED_DOLLAR
    return employee * CENTS_PER_DOLLAR, (total - employee) * CENTS_PER_DOLLAR


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


class _RateTerm(NamedTuple):
    """Wages and the rates that apply to them."""

    wages: Cents
    rates: RateColumns
    cells: RateLookup


def _rate_term(parameters: CpfParameters, part: RatePart, people: npt.NDArray[np.intp]) -> _RateTerm:
    cells = _cells(part.tables[people], part.age_groups[people])
    return _RateTerm(part.wages_cents[people], parameters.rate_columns(part.month), cells)


def _shares_of_divided_month(bands: WageBands, terms: Sequence[_RateTerm], wages: Cents) -> tuple[Cents, Cents]:
    """Total and employee's share when different rates apply, each to its own part of the wages.

    In the graduated band, the wages above its lower bound belong to all parts in proportion. To stay exact, everything
    there is multiplied by the wages and divided by them in the final rounding.
    """

    def weighted(kind: str) -> Cents:
        products: Cents = sum(
            (term.wages * getattr(term.rates, kind)[term.cells] for term in terms), np.zeros_like(wages)
        )
        return products

    in_graduated = (wages > bands.employer_only_up_to_cents) & (wages <= bands.graduated_up_to_cents)
    multiplier = np.where(in_graduated, wages, 1)
    excess = np.where(in_graduated, wages - bands.employer_only_up_to_cents, 0)
    above_graduated = wages > bands.graduated_up_to_cents
    employee = np.where(above_graduated, weighted("employee"), weighted("graduated") * excess)
    employer_only = np.where(wages > bands.nil_up_to_cents, weighted("employer_only") * multiplier, 0)
    total = np.where(above_graduated, weighted("total"), employer_only + employee)
    unit = SCALED_DOLLAR * multiplier
    return divide_half_up(total, unit), employee // unit


def _cells(tables: npt.NDArray[np.int8], age_groups: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
    """The index of each person's rates in the lookup columns."""
    return tables.astype(np.int64) * len(AgeGroup) + age_groups
