"""The complete CPF computation of a month, for whole columns of people."""

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from gaji.law.columns import Cents, any_nonzero, equals_code
from gaji.law.cpf import additional_wages, contributions
from gaji.law.cpf.contributions import RatePart
from gaji.law.cpf.inputs import CpfContributions, CpfMembers, MonthWages, PriorMonths, no_contributions
from gaji.law.cpf.parameters import CpfParameters, RateTable
from gaji.law.cpf.tables import CpfApplicability, applicability
from gaji.law.months import Month


class CpfAssessment(Struct, frozen=True):
    """The contributions on a payslip, and what they are based on."""

    applicability: CpfApplicability
    liability: CpfContributions
    """For the month, up to and including this payslip."""
    due: CpfContributions
    """On this payslip: the liability less the contributions on the month's earlier payslips."""
    shortfall_cents: Cents | None
    """The part of the subject additional wages that was paid in earlier months: one column per calendar month."""
    excess_cents: Cents
    """The additional wages of the year on which too much was contributed."""


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
    shortfall = additional_wages.shortfall_cents(month, wages, prior, additional)
    parts = [
        *_before_citizenship(month, applicable, wages, ordinary, additional, shortfall),
        *shortfall_parts(month, members, applicable, shortfall),
    ]
    liability = contributions.contributions_on_total_wages(parameters, month, applicable, ordinary, additional, parts)
    excess = additional_wages.excess_cents(parameters, month, wages, prior, ordinary, additional)
    return CpfAssessment(applicable, liability, liability.less(earlier), shortfall, excess)


def _before_citizenship(
    month: Month,
    applicable: CpfApplicability,
    wages: MonthWages,
    ordinary: Cents,
    additional: Cents,
    shortfall: Cents | None,
) -> list[RatePart]:
    """The part of the wages subject to CPF from before citizenship started in this month.

    Wages count in the order in which they were earned, until the ceiling is reached.
    """
    changes = ~np.isnat(applicable.changes_on)
    if not any_nonzero(changes):
        return []
    paid_this_month = additional if shortfall is None else additional - shortfall.sum(axis=1)
    before = np.clip(wages.ordinary_before_cents, 0, ordinary)
    before += np.clip(wages.additional_before_cents, 0, paid_this_month)
    return [RatePart(np.where(changes, before, 0), applicable.tables_before, applicable.age_groups, month)]


def shortfall_parts(
    month: Month, members: CpfMembers, applicable: CpfApplicability, shortfall: Cents | None
) -> Iterator[RatePart]:
    """The additional wages of earlier months that become subject to CPF now, at the rates of those months."""
    if shortfall is None:
        return
    for number in range(1, month.month):
        amounts = shortfall[:, number - 1]
        if any_nonzero(amounts):
            yield _paid_in(Month(month.year, number), members, applicable, amounts)


def refund_cents(
    parameters: CpfParameters, month: Month, members: CpfMembers, prior: PriorMonths, assessment: CpfAssessment
) -> tuple[Cents, Cents]:
    """Employee's and employer's share of the contributions to claim back, on `excess_cents`.

    The latest additional wages are above the ceiling. Those of unknown months have the rates of this month.
    """
    remaining, applicable = assessment.excess_cents, assessment.applicability
    parts = []
    if prior.charged_cents is not None:
        this_month = np.minimum(remaining, assessment.liability.additional_subject_cents)
        remaining = remaining - this_month
        for number in reversed(range(1, month.month)):
            amounts = np.minimum(remaining, np.maximum(prior.charged_cents[:, number - 1], 0))
            remaining = remaining - amounts
            parts.append(_paid_in(Month(month.year, number), members, applicable, amounts))
        remaining = remaining + this_month
    parts.append(RatePart(remaining, applicable.tables, applicable.age_groups, month))
    return contributions.shares_at_full_rates(parameters, parts)


def reduction_refund_cents(
    parameters: CpfParameters,
    month: Month,
    members: CpfMembers,
    ordinary_cents: Cents,
    additional_subject_cents: Cents,
    reduction_cents: Cents,
) -> tuple[Cents, Cents]:
    """Employee's and employer's share to claim back when the ordinary wages of a past month turn out to be lower.

    The additional wages subject to CPF stay as they were charged.
    """
    applicable = applicability(month, members)
    before, after = (
        contributions.contributions_on_total_wages(
            parameters,
            month,
            applicable,
            contributions.ordinary_subject_cents(parameters, month, applicable, wages),
            additional_subject_cents,
        )
        for wages in (ordinary_cents, ordinary_cents - reduction_cents)
    )
    refund = before.less(after)
    return refund.employee_cents, refund.employer_cents


def _paid_in(month: Month, members: CpfMembers, applicable: CpfApplicability, amounts: Cents) -> RatePart:
    """Additional wages with the rates of the month in which they were paid."""
    then = applicability(month, members)
    # Details entered since may say that the person did not contribute at the time.
    tables = np.where(equals_code(then.tables, RateTable.NONE), applicable.tables, then.tables)
    return RatePart(amounts, tables, then.age_groups, month)
