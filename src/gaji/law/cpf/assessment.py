"""CPF of a month from beginning to end, for whole columns of people."""

from dataclasses import dataclass

import numpy as np

from gaji.law.columns import Cents, any_nonzero
from gaji.law.cpf import additional_wages, contributions
from gaji.law.cpf.inputs import CpfContributions, CpfMembers, MonthWages, PriorMonths, no_contributions
from gaji.law.cpf.parameters import CpfParameters, RateTable
from gaji.law.cpf.tables import CpfApplicability, applicability
from gaji.law.months import Month


@dataclass(frozen=True)
class CpfAssessment:
    """What a payslip contributes, and what that rests on."""

    applicability: CpfApplicability
    liability: CpfContributions
    """Of the month, up to and with this payslip."""
    due: CpfContributions
    """Of this payslip: the liability less what the month's earlier payslips took."""


def assess(
    parameters: CpfParameters,
    month: Month,
    people: CpfMembers,
    wages: MonthWages,
    year: PriorMonths,
    earlier: CpfContributions | None = None,
    applicable: CpfApplicability | None = None,
) -> CpfAssessment:
    """The contributions of a payslip for each person; whoever knows already what applies to them can give it."""
    earlier = no_contributions(len(wages.ordinary_cents)) if earlier is None else earlier
    applicable = applicability(month, people) if applicable is None else applicable
    contributes = applicable.tables != int(RateTable.NONE)
    ordinary = contributions.ordinary_subject_cents(parameters, month, applicable, wages.ordinary_cents)
    subject = additional_wages.subject_cents(parameters, month, wages, year, ordinary, earlier)
    additional = np.where(contributes, subject, 0)
    before = _before_citizenship(applicable, wages, ordinary, additional)
    liability = contributions.contributions_on_total_wages(parameters, month, applicable, ordinary, additional, before)
    return CpfAssessment(applicable, liability, liability.less(earlier))


def _before_citizenship(applies: CpfApplicability, wages: MonthWages, ordinary: Cents, additional: Cents) -> Cents:
    """Of the wages that bear CPF, those from before citizenship began in this month.

    Wages count in the order in which they were earned, until their ceiling is reached.
    """
    changes = ~np.isnat(applies.changes_on)
    if not any_nonzero(changes):
        return np.zeros(len(ordinary), dtype=np.int64)
    before = np.clip(wages.ordinary_before_cents, 0, ordinary) + np.clip(wages.additional_before_cents, 0, additional)
    return np.where(changes, before, 0)
