"""Explanations of deductions above their limit and of the recovery of an advance."""

from collections.abc import Mapping

from gaji.law.columns import cents, flags
from gaji.law.explanation import Explanation, FactExplanation, dollars, money, step, used_parameter, yes_no
from gaji.law.months import Month
from gaji.law.notation import choose, line, otherwise, up_to
from gaji.law.pay import deductions
from gaji.law.pay.parameters import DeductionKind, PayParameters

ADVANCE_ACT = "Employment Act 1968, s. 31"


def explain_excess(
    parameters: PayParameters,
    month: Month,
    salary_cents: int,
    amounts_cents: Mapping[DeductionKind, int],
    last_salary: bool,
) -> Explanation:
    """Explain the amount by which all deductions together exceed the maximum."""
    columns = {kind: cents([amount]) for kind, amount in amounts_cents.items()}
    last = flags([last_salary])
    excess = int(deductions.excess_cents(parameters, month, cents([salary_cents]), columns, last)[0])
    maximum = deductions.explain_total(parameters, month, salary_cents, amounts_cents, last_salary)
    total = " + ".join(money(amount) for amount in amounts_cents.values()) or money(0)
    return Explanation(
        figure="excess_deductions",
        amount_cents=excess,
        inputs=maximum.inputs,
        rule="The amount by which all deductions together exceed the maximum.",
        source=maximum.source,
        branch=maximum.branch if excess else f"{maximum.branch} and is not exceeded",
        parameters=maximum.parameters,
        arithmetic=(*maximum.arithmetic, step(f"max({total} − {maximum.result}, {money(0)})", excess)),
    )


def explain_min_instalments(
    parameters: PayParameters, month: Month, owed_cents: int, salary_cents: int
) -> FactExplanation:
    """Explain the minimum number of instalments to recover an advance."""
    column = deductions.min_instalments(parameters, month, cents([owed_cents]), cents([salary_cents]))
    instalments = int(column[0])
    maximum = deductions.explain_kind(parameters, month, DeductionKind.ADVANCE, salary_cents)
    if maximum.amount_cents == 0:
        expression = choose(maximum.result, up_to(money(0), 0))
        branch = "the salary allows no instalment"
    else:
        instalments_needed = otherwise(f"ceil({money(owed_cents)} ÷ {maximum.result})")
        expression = choose(maximum.result, up_to(money(0), 0), instalments_needed)
        branch = f"at most {dollars(maximum.amount_cents)} per instalment"
    return FactExplanation(
        figure="min_instalments",
        result=str(instalments),
        unit="instalments",
        inputs=_advance_inputs(month, owed_cents, salary_cents),
        rule="The amount owed divided by the largest instalment that one salary period allows, rounded up.",
        source=ADVANCE_ACT,
        branch=branch,
        parameters=maximum.parameters,
        arithmetic=(*maximum.arithmetic, line(expression, instalments)),
    )


def explain_recovery_period(
    parameters: PayParameters, month: Month, owed_cents: int, salary_cents: int
) -> FactExplanation:
    """Explain whether recovering an advance takes longer than the law allows."""
    column = deductions.exceeds_recovery_period(parameters, month, cents([owed_cents]), cents([salary_cents]))
    exceeds = bool(column[0])
    maximum = deductions.explain_kind(parameters, month, DeductionKind.ADVANCE, salary_cents)
    months = parameters.advance_months.at(month)
    answer = yes_no(exceeds)
    return FactExplanation(
        figure="exceeds_recovery_period",
        result=answer,
        unit="yes or no",
        inputs=_advance_inputs(month, owed_cents, salary_cents),
        rule=f"An advance must be recovered within {months.value} months, in one instalment per month.",
        source=ADVANCE_ACT,
        branch=f"{months.value} of the largest instalments {'do not cover' if exceeds else 'cover'} the advance",
        parameters=(*maximum.parameters, used_parameter("maximum months", months, str(months.value))),
        arithmetic=(*maximum.arithmetic, line(f"{money(owed_cents)} > {months.value} × {maximum.result}", answer)),
    )


def _advance_inputs(month: Month, owed_cents: int, salary_cents: int) -> dict[str, str]:
    return {"month": str(month), "owed": money(owed_cents), "salary": money(salary_cents)}
