"""Helpers for the explanations of different lines."""

from dataclasses import replace
from fractions import Fraction

from gaji.engine.batch import CalculationTrace
from gaji.law.explanation import Explanation, money, step, yes_no
from gaji.law.quantities import MILLI, format_millis
from gaji.law.reasons import MultipliedAmount, Reason
from gaji.law.rounding import divide_half_up

CONTRACT = "Contract of service"


def contract_explanation(
    figure: str,
    amount_cents: int,
    inputs: dict[str, str],
    rule: str,
    arithmetic: tuple[str, ...],
    branch: str = "",
    reason: Reason | None = None,
) -> Explanation:
    """Explain an amount that was agreed, not set by law."""
    return Explanation(figure, amount_cents, inputs, rule, CONTRACT, branch, (), arithmetic, reason)


def with_multiplier(trace: CalculationTrace, name: str, explanation: Explanation) -> Explanation:
    """Add the calculation's multiplier to an explanation, if it has one."""
    multiplier = int(trace.inputs.multiplier_millis(name)[0])
    if multiplier == MILLI:
        return explanation
    amount = divide_half_up(explanation.amount_cents * multiplier, MILLI)
    return replace(
        explanation,
        amount_cents=amount,
        inputs=explanation.inputs | {"multiplier": format_millis(multiplier)},
        arithmetic=(
            *explanation.arithmetic,
            step(f"round_cents({money(explanation.amount_cents)} × {format_millis(multiplier)})", amount),
        ),
        reason=MultipliedAmount(explanation.reason, explanation.amount_cents, Fraction(multiplier, MILLI)),
    )


def entered_inputs(trace: CalculationTrace, name: str) -> dict[str, str]:
    """The entered inputs of a calculation, formatted for people."""
    for _, entry in trace.inputs.entries(name):
        return {key: yes_no(value) if isinstance(value, bool) else value for key, value in entry.inputs.items()}
    return {}
