"""How much may be deducted from a salary (Employment Act 1968, ss. 27 to 32)."""

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
"""What is deducted, by kind."""


def max_kind_cents(parameters: PayParameters, month: Month, kind: DeductionKind, salary_cents: Cents) -> Cents:
    """The most that one kind of deduction may take: its percentage without parts of a cent, or else the whole salary.

    The salary is that of the period; for damage or loss that of one month.
    """
    salary = np.maximum(salary_cents, 0)
    limit = _limit(parameters, kind)
    return salary if limit is None else salary * limit.at(month).value // RATE_SCALE


def min_instalments(parameters: PayParameters, month: Month, owed_cents: Cents, salary_cents: Cents) -> Counts:
    """In how many instalments at least an advance is recovered; 0 where the salary leaves no room for any."""
    most = max_kind_cents(parameters, month, DeductionKind.ADVANCE, salary_cents)
    return np.where(most > 0, -(-owed_cents // np.maximum(most, 1)), 0)


def exceeds_recovery_period(parameters: PayParameters, month: Month, owed_cents: Cents, salary_cents: Cents) -> Flags:
    """Who cannot pay back an advance within the months of the law, even in the largest instalments, one a month."""
    most = max_kind_cents(parameters, month, DeductionKind.ADVANCE, salary_cents)
    late: Flags = owed_cents > most * parameters.advance_months.at(month).value
    return late


def max_total_cents(
    parameters: PayParameters, month: Month, salary_cents: Cents, deductions: Deductions, last_salary: Flags
) -> Cents:
    """The most that all deductions of a salary period together may take.

    Half of the salary, and beside it what is outside of that limit; never more than the salary. On the last salary
    before the service ends there is no limit but the salary itself.
    """
    salary = np.maximum(salary_cents, 0)
    outside = _outside(parameters, month, deductions, len(salary))
    most = salary * parameters.total_deductions.at(month).value // RATE_SCALE + outside
    return np.where(last_salary, salary, np.minimum(most, salary))


def excess_cents(
    parameters: PayParameters, month: Month, salary_cents: Cents, deductions: Deductions, last_salary: Flags
) -> Cents:
    """How far the deductions of each person go beyond the most that they may take."""
    most = max_total_cents(parameters, month, salary_cents, deductions, last_salary)
    every: Cents = sum(deductions.values(), np.zeros(len(salary_cents), dtype=np.int64))
    beyond: Cents = np.maximum(every - most, 0)
    return beyond


def explain_kind(parameters: PayParameters, month: Month, kind: DeductionKind, salary_cents: int) -> Explanation:
    """How the most that one kind of deduction may take came about."""
    amount = int(max_kind_cents(parameters, month, kind, cents([salary_cents]))[0])
    limit = _limit(parameters, kind)
    in_force = None if limit is None else limit.at(month)
    salary = f"max({money(salary_cents)}, 0.00)"
    expression = salary if in_force is None else f"floor_cents({rate(in_force.value)} × {salary})"
    name = kind.name.lower()
    return Explanation(
        figure=f"most_{name}",
        amount_cents=amount,
        inputs={"month": str(month), "salary": money(salary_cents)},
        rule="A deduction of this kind takes at most a percentage of the salary.",
        source=KIND_ACTS.get(kind, TOTAL_ACT),
        branch=f"{name} has no limit of its own" if in_force is None else f"{name} has a limit of its own",
        parameters=() if in_force is None else (used_parameter(name, in_force, percent(in_force.value)),),
        arithmetic=(step(expression, amount),),
    )


def explain_total(
    parameters: PayParameters,
    month: Month,
    salary_cents: int,
    deductions: Mapping[DeductionKind, int],
    last_salary: bool,
) -> Explanation:
    """How the most that all deductions together may take came about."""
    columns = {kind: cents([amount]) for kind, amount in deductions.items()}
    last = flags([last_salary])
    amount = int(max_total_cents(parameters, month, cents([salary_cents]), columns, last)[0])
    outside = int(_outside(parameters, month, columns, 1)[0])
    share, kinds = parameters.total_deductions.at(month), parameters.excluded_deductions.at(month)
    counted = [money(each) for kind, each in deductions.items() if kind in kinds.value]
    summed = (step(" + ".join(counted), outside),) if counted else ()
    salary = f"max({money(salary_cents)}, 0.00)"
    limited = f"min(floor_cents({rate(share.value)} × {salary}) + {money(outside)}, {salary})"
    return Explanation(
        figure="most_deductions",
        amount_cents=amount,
        inputs={"month": str(month), "salary": money(salary_cents)}
        | {kind.name.lower(): money(amount) for kind, amount in deductions.items()}
        | {"deductions outside of the limit": money(outside), "last salary": yes_no(last_salary)},
        rule="All deductions together take at most a share of the salary, and beside it what is outside of that limit.",
        source=TOTAL_ACT,
        branch="on the last salary only the salary itself is the limit" if last_salary else "the limit applies",
        parameters=(
            used_parameter("total deductions", share, percent(share.value)),
            used_parameter("outside of the limit", kinds, ", ".join(sorted(kind.name.lower() for kind in kinds.value))),
        ),
        arithmetic=(step(salary, amount),) if last_salary else (*summed, step(limited, amount)),
    )


def _limit(parameters: PayParameters, kind: DeductionKind) -> History[int] | None:
    return {
        DeductionKind.DAMAGE_OR_LOSS: parameters.damage_or_loss,
        DeductionKind.ACCOMMODATION: parameters.accommodation,
        DeductionKind.ADVANCE: parameters.advance_instalment,
        DeductionKind.LOAN: parameters.loan_instalment,
    }.get(kind)


def _outside(parameters: PayParameters, month: Month, deductions: Deductions, people: int) -> Cents:
    kinds = parameters.excluded_deductions.at(month).value
    counted = [amounts for kind, amounts in deductions.items() if kind in kinds]
    return sum(counted, np.zeros(people, dtype=np.int64))
