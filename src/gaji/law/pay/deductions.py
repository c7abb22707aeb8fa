"""Limits of deductions from a salary (Employment Act 1968, ss. 27 to 32)."""

from collections.abc import Mapping

import numpy as np

from gaji.law.columns import RATE_SCALE, Cents, Flags
from gaji.law.months import Month
from gaji.law.parameters import History
from gaji.law.pay.parameters import DeductionKind, PayParameters

Deductions = Mapping[DeductionKind, Cents]
"""The deducted amounts by kind."""


def max_kind_cents(parameters: PayParameters, month: Month, kind: DeductionKind, salary_cents: Cents) -> Cents:
    """The maximum of one kind of deduction: its percentage, rounded down to the cent, or else the whole salary.

    The salary is that of the period; for damage or loss, that of one month.
    """
    salary = np.maximum(salary_cents, 0)
    limit = _limit(parameters, kind)
    return salary if limit is None else salary * limit.at(month).value // RATE_SCALE


def max_total_cents(
    parameters: PayParameters, month: Month, salary_cents: Cents, deductions: Deductions, last_salary: Flags
) -> Cents:
    """The maximum of all deductions of a salary period together.

    Half of the salary plus the deductions that the limit excludes, but never more than the salary. The final salary may
    be deducted in full.
    """
    salary = np.maximum(salary_cents, 0)
    excluded = _excluded_cents(parameters, month, deductions, len(salary))
    maximum = salary * parameters.total_deductions.at(month).value // RATE_SCALE + excluded
    return np.where(last_salary, salary, np.minimum(maximum, salary))


def _limit(parameters: PayParameters, kind: DeductionKind) -> History[int] | None:
    return {
        DeductionKind.DAMAGE_OR_LOSS: parameters.damage_or_loss,
        DeductionKind.ACCOMMODATION: parameters.accommodation,
        DeductionKind.ADVANCE: parameters.advance_instalment,
        DeductionKind.LOAN: parameters.loan_instalment,
    }.get(kind)


def _excluded_cents(parameters: PayParameters, month: Month, deductions: Deductions, people: int) -> Cents:
    """The deductions that the limit excludes."""
    kinds = parameters.excluded_deductions.at(month).value
    amounts = [amount for kind, amount in deductions.items() if kind in kinds]
    return sum(amounts, np.zeros(people, dtype=np.int64))
