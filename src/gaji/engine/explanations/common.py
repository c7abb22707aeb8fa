"""What explanations of different lines have in common."""

from dataclasses import replace

from gaji.engine.batch import CalculationTrace
from gaji.law.explanation import Explanation, money, step
from gaji.law.quantities import MILLI, format_millis

CONTRACT = "Contract of service"


def plain(
    figure: str, amount_cents: int, inputs: dict[str, str], rule: str, arithmetic: tuple[str, ...], branch: str = ""
) -> Explanation:
    """The explanation of an amount that was agreed, not made by law."""
    return Explanation(figure, amount_cents, inputs, rule, CONTRACT, branch, (), arithmetic)


def multiplied(done: CalculationTrace, name: str, told: Explanation) -> Explanation:
    """The explanation with the calculation's multiplier, where it has one."""
    factor = int(done.inputs.multiplier_millis(name)[0])
    if factor == MILLI:
        return told
    amount = (2 * told.amount_cents * factor + MILLI) // (2 * MILLI)
    return replace(
        told,
        amount_cents=amount,
        inputs=told.inputs | {"multiplier": format_millis(factor)},
        arithmetic=(
            *told.arithmetic,
            step(f"round_cents({money(told.amount_cents)} × {format_millis(factor)})", amount),
        ),
    )


def entered(done: CalculationTrace, name: str) -> dict[str, str]:
    """What was entered for a calculation, as people read it."""
    for _, entry in done.inputs.entries(name):
        return {key: _said(value) for key, value in entry.inputs.items()}
    return {}


def _said(value: str | bool) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value
