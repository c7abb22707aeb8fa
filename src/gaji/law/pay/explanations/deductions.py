"""How far deductions go beyond their limit, and how an advance is recovered, explained."""

from collections.abc import Mapping

from gaji.law.columns import cents, flags
from gaji.law.explanation import Explanation, FactExplanation, money, step, used_parameter, yes_no
from gaji.law.months import Month
from gaji.law.notation import choose, line, otherwise, up_to
from gaji.law.pay import deductions
from gaji.law.pay.parameters import DeductionKind, PayParameters

ADVANCES = "Employment Act 1968, s. 31"


def explain_excess(
    parameters: PayParameters, month: Month, salary_cents: int, taken: Mapping[DeductionKind, int], last_salary: bool
) -> Explanation:
    """How far all deductions together go beyond the most that they may take."""
    columns = {kind: cents([amount]) for kind, amount in taken.items()}
    last = flags([last_salary])
    beyond = int(deductions.excess_cents(parameters, month, cents([salary_cents]), columns, last)[0])
    most = deductions.explain_total(parameters, month, salary_cents, taken, last_salary)
    every = " + ".join(money(amount) for amount in taken.values()) or money(0)
    return Explanation(
        figure="beyond_most_deductions",
        amount_cents=beyond,
        inputs=most.inputs,
        rule="What all deductions together take beyond the most that they may.",
        source=most.source,
        branch=most.branch if beyond else f"{most.branch}; it is kept",
        parameters=most.parameters,
        arithmetic=(*most.arithmetic, step(f"max({every} − {most.result}, {money(0)})", beyond)),
    )


def explain_min_instalments(
    parameters: PayParameters, month: Month, owed_cents: int, salary_cents: int
) -> FactExplanation:
    """In how many instalments at least an advance is recovered."""
    found = deductions.min_instalments(parameters, month, cents([owed_cents]), cents([salary_cents]))
    most = deductions.explain_kind(parameters, month, DeductionKind.ADVANCE, salary_cents)
    by_most = choose(most.result, up_to(money(0), 0), otherwise(f"ceil({money(owed_cents)} ÷ {most.result})"))
    if most.amount_cents == 0:
        by_most = choose(most.result, up_to(money(0), 0))
    return FactExplanation(
        figure="least_instalments",
        result=str(int(found[0])),
        unit="instalments",
        inputs={"month": str(month), "owed": money(owed_cents), "salary": money(salary_cents)},
        rule="What is owed, by the largest instalment that one salary period allows.",
        source=ADVANCES,
        branch="the salary leaves no room for any" if most.amount_cents == 0 else f"at most {most.result} at a time",
        parameters=most.parameters,
        arithmetic=(*most.arithmetic, line(by_most, int(found[0]))),
    )


def explain_recovery_period(
    parameters: PayParameters, month: Month, owed_cents: int, salary_cents: int
) -> FactExplanation:
    """Whether an advance cannot be paid back within the months of the law."""
    late = deductions.exceeds_recovery_period(parameters, month, cents([owed_cents]), cents([salary_cents]))
    most = deductions.explain_kind(parameters, month, DeductionKind.ADVANCE, salary_cents)
    months = parameters.advance_months.at(month)
    answer = yes_no(bool(late[0]))
    return FactExplanation(
        figure="recovered_too_late",
        result=answer,
        unit="yes or no",
        inputs={"month": str(month), "owed": money(owed_cents), "salary": money(salary_cents)},
        rule="An advance is paid back within so many months, one instalment a month.",
        source=ADVANCES,
        branch=f"{months.value} of the largest instalments {'do not cover' if late[0] else 'cover'} it",
        parameters=(*most.parameters, used_parameter("months at most", months, str(months.value))),
        arithmetic=(*most.arithmetic, line(f"{money(owed_cents)} > {months.value} × {most.result}", answer)),
    )
