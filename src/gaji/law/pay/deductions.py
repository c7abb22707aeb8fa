"""Limits of deductions from a salary (Employment Act 1968, ss. 27 to 32)."""

from collections.abc import Mapping

import numpy as np

from gaji.law.columns import RATE_SCALE, Cents, Flags, cents, flags
from gaji.law.explanation import Explanation, money, percent, rate, step, used_parameter, yes_no
from gaji.law.months import Month
from gaji.law.parameters import History
from gaji.law.pay.parameters import DeductionKind, PayParameters
from gaji.law.quantities import Counts

TOTAL_ACT = "Employment Act 1968, s. 32"
KIND_ACTS = {
    DeductionKind.DAMAGE_OR_LOSS: "Employment Act 1968, s. 29",
    DeductionKind.ACCOMMODATION: "Employment Act 1968, s. 30",
    DeductionKind.ADVANCE: "Employment Act 1968, s. 31",
    DeductionKind.LOAN: "Employment Act 1968, s. 31",
}

Deductions = Mapping[DeductionKind, Cents]
"""The deducted amounts by kind."""


def max_kind_cents(parameters: PayParameters, month: Month, kind: DeductionKind, salary_cents: Cents) -> Cents:
    """The maximum of one kind of deduction: its percentage, rounded down to the cent, or else the whole salary.

    The salary is that of the period; for damage or loss, that of one month.
    """
    salary = np.maximum(salary_cents, 0)
    limit = _limit(parameters, kind)
    return salary if limit is None else salary * limit.at(month).value // RATE_SCALE


def min_instalments(parameters: PayParameters, month: Month, owed_cents: Cents, salary_cents: Cents) -> Counts:
    """The minimum number of instalments to recover an advance; 0 if the salary allows no instalment."""
    maximum = max_kind_cents(parameters, month, DeductionKind.ADVANCE, salary_cents)
    return np.where(maximum > 0, -(-owed_cents // np.maximum(maximum, 1)), 0)


def exceeds_recovery_period(parameters: PayParameters, month: Month, owed_cents: Cents, salary_cents: Cents) -> Flags:
    """Whether the largest monthly instalments cannot recover an advance within the months that the law allows."""
    maximum = max_kind_cents(parameters, month, DeductionKind.ADVANCE, salary_cents)
    exceeds: Flags = owed_cents > maximum * parameters.advance_months.at(month).value
    return exceeds


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


def excess_cents(
    parameters: PayParameters, month: Month, salary_cents: Cents, deductions: Deductions, last_salary: Flags
) -> Cents:
    """The amount by which each person's deductions exceed the maximum."""
    maximum = max_total_cents(parameters, month, salary_cents, deductions, last_salary)
    total: Cents = sum(deductions.values(), np.zeros(len(salary_cents), dtype=np.int64))
    excess: Cents = np.maximum(total - maximum, 0)
    return excess


def explain_kind(parameters: PayParameters, month: Month, kind: DeductionKind, salary_cents: int) -> Explanation:
    """Explain the maximum of one kind of deduction."""
    amount = int(max_kind_cents(parameters, month, kind, cents([salary_cents]))[0])
    limit = _limit(parameters, kind)
    in_force = None if limit is None else limit.at(month)
    salary = f"max({money(salary_cents)}, 0.00)"
    expression = salary if in_force is None else f"floor_cents({rate(in_force.value)} × {salary})"
    label = kind.name.lower().replace("_", " ")
    return Explanation(
        figure=f"max_{kind.name.lower()}",
        amount_cents=amount,
        inputs={"month": str(month), "salary": money(salary_cents)},
        rule="Some kinds of deductions are limited to a percentage of the salary.",
        source=KIND_ACTS.get(kind, TOTAL_ACT),
        branch=f"{label} has {'no' if in_force is None else 'a'} limit of its own",
        parameters=() if in_force is None else (used_parameter(label, in_force, percent(in_force.value)),),
        arithmetic=(step(expression, amount),),
    )


def explain_total(
    parameters: PayParameters,
    month: Month,
    salary_cents: int,
    deductions: Mapping[DeductionKind, int],
    last_salary: bool,
) -> Explanation:
    """Explain the maximum of all deductions together."""
    columns = {kind: cents([amount]) for kind, amount in deductions.items()}
    amount = int(max_total_cents(parameters, month, cents([salary_cents]), columns, flags([last_salary]))[0])
    excluded = int(_excluded_cents(parameters, month, columns, 1)[0])
    share, kinds = parameters.total_deductions.at(month), parameters.excluded_deductions.at(month)
    excluded_terms = [money(deducted) for kind, deducted in deductions.items() if kind in kinds.value]
    excluded_lines = (step(" + ".join(excluded_terms), excluded),) if excluded_terms else ()
    salary = f"max({money(salary_cents)}, 0.00)"
    limited = f"min(floor_cents({rate(share.value)} × {salary}) + {money(excluded)}, {salary})"
    return Explanation(
        figure="max_deductions",
        amount_cents=amount,
        inputs={"month": str(month), "salary": money(salary_cents)}
        | {kind.name.lower(): money(deducted) for kind, deducted in deductions.items()}
        | {"deductions that the limit excludes": money(excluded), "final salary": yes_no(last_salary)},
        rule="All deductions together may take a share of the salary, plus the deductions that the limit excludes.",
        source=TOTAL_ACT,
        branch="the final salary may be deducted in full" if last_salary else "the limit applies",
        parameters=(
            used_parameter("total deductions", share, percent(share.value)),
            used_parameter(
                "excluded from the limit", kinds, ", ".join(sorted(kind.name.lower() for kind in kinds.value))
            ),
        ),
        arithmetic=(step(salary, amount),) if last_salary else (*excluded_lines, step(limited, amount)),
    )


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
