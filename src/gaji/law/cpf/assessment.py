"""The complete CPF computation of a month, for whole columns of people."""

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
    """The contributions on a payslip, and what they are based on."""

    applicability: CpfApplicability
    liability: CpfContributions
    """For the month, up to and including this payslip."""
    due: CpfContributions
    """On this payslip: the liability less the contributions on the month's earlier payslips."""


def assess(
    parameters: CpfParameters,
    month: Month,
    members: CpfMembers,
    wages: MonthWages,
    prior: PriorMonths,
    earlier: CpfContributions | None = None,
    applicable: CpfApplicability | None = None,
) -> CpfAssessment:
    """The contributions of each person on a payslip. Pass `applicable` to avoid computing it again."""
    earlier = no_contributions(len(wages.ordinary_cents)) if earlier is None else earlier
    applicable = applicability(month, members) if applicable is None else applicable
    contributes = applicable.tables != int(RateTable.NONE)
    ordinary = contributions.ordinary_subject_cents(parameters, month, applicable, wages.ordinary_cents)
    subject = additional_wages.subject_cents(parameters, month, wages, prior, ordinary, earlier)
    additional = np.where(contributes, subject, 0)
    before = _before_citizenship(applicable, wages, ordinary, additional)
    liability = contributions.contributions_on_total_wages(parameters, month, applicable, ordinary, additional, before)
    return CpfAssessment(applicable, liability, liability.less(earlier))


def _before_citizenship(applicable: CpfApplicability, wages: MonthWages, ordinary: Cents, additional: Cents) -> Cents:
    """The part of the wages subject to CPF from before citizenship started in this month.

    Wages count in the order in which they were earned, until the ceiling is reached.
    """
    changes = ~np.isnat(applicable.changes_on)
    if not any_nonzero(changes):
        return np.zeros(len(ordinary), dtype=np.int64)
    before = np.clip(wages.ordinary_before_cents, 0, ordinary) + np.clip(wages.additional_before_cents, 0, additional)
    return np.where(changes, before, 0)
