"""Explanations of a payslip: each line with its inputs, rule, parameters and arithmetic.

They are written from the same trace as the payslip. The last line of arithmetic ends with the amount of the payslip
line and can be checked with a calculator. The notation is that of `gaji.law.explanation`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from gaji.engine.batch import CalculationTrace, calculate_with_trace
from gaji.engine.catalogue import Catalogue, PayslipLine, PayslipSection
from gaji.engine.explanations import (
    arrears,
    basic_pay,
    custom_items,
    deductions,
    other_earnings,
    statutory,
    unpaid_leave,
)
from gaji.engine.money import decimal_text
from gaji.engine.payslip_input import PayslipInput
from gaji.law.explanation import Explanation, money, step
from gaji.law.registry import Law

Explainer = Callable[[CalculationTrace, PayslipLine], Explanation]

EXPLAINERS: Mapping[str, Explainer] = {
    **basic_pay.EXPLAINERS,
    **other_earnings.EXPLAINERS,
    **unpaid_leave.EXPLAINERS,
    **statutory.EXPLAINERS,
}
"""Keyed by line name. Deductions and custom items have separate explainers."""
SECTIONS = (
    PayslipSection.INCOME,
    PayslipSection.DEDUCTION,
    PayslipSection.EMPLOYER_CONTRIBUTION,
    PayslipSection.BENEFIT,
)
TOTAL_CAPTIONS = {PayslipSection.INCOME: "Total income", PayslipSection.DEDUCTION: "Total deduction"}


def explain(law: Law, catalogue: Catalogue, payslip: PayslipInput) -> list[dict[str, Any]]:
    """Explain each line of the payslip, its totals and the nett pay, as JSON objects."""
    trace = calculate_with_trace(law, catalogue, [payslip])
    explained: list[dict[str, Any]] = []
    for section in SECTIONS:
        lines = [line for line in catalogue.lines.values() if line.section == section and _amount(trace, line.name)]
        explained += [_to_json(line.name, line.caption, section, _explain_line(trace, line)) for line in lines]
        if section in TOTAL_CAPTIONS:
            explained.append(_explain_total(trace, section, lines))
    return [*explained, _explain_nett_pay(trace)]


def _explain_line(trace: CalculationTrace, line: PayslipLine) -> Explanation:
    explainer = _explainer(trace, line)
    if line.name in statutory.EXPLAINERS:
        return explainer(trace, line)
    amounts = arrears.past_amounts(trace, line.name)
    if not amounts:
        return explainer(trace, line)
    is_entered = bool(trace.inputs.has_line(line.name)[0])
    return arrears.add_past_amounts(explainer(trace, line) if is_entered else None, line.name, amounts)


def _explainer(trace: CalculationTrace, line: PayslipLine) -> Explainer:
    if line.name in EXPLAINERS:
        return EXPLAINERS[line.name]
    is_deduction = any(deduction.type.name == line.name for deduction in trace.deductions)
    return deductions.explain_deduction if is_deduction else custom_items.explain_custom_item


def _explain_total(trace: CalculationTrace, section: PayslipSection, lines: list[PayslipLine]) -> dict[str, Any]:
    amounts = [_amount(trace, line.name) for line in lines]
    total = trace.income_cents if section == PayslipSection.INCOME else trace.deduction_cents
    explanation = Explanation(
        figure="total",
        amount_cents=int(total[0]),
        inputs={line.caption: money(amount) for line, amount in zip(lines, amounts, strict=True)},
        rule="The sum of the lines above.",
        source="Addition",
        branch="",
        parameters=(),
        arithmetic=(step(" + ".join(money(amount) for amount in amounts) or money(0), int(total[0])),),
    )
    return _to_json("total", TOTAL_CAPTIONS[section], section, explanation)


def _explain_nett_pay(trace: CalculationTrace) -> dict[str, Any]:
    income, deduction = int(trace.income_cents[0]), int(trace.deduction_cents[0])
    explanation = Explanation(
        figure="nett_pay",
        amount_cents=income - deduction,
        inputs={"Total income": money(income), "Total deduction": money(deduction)},
        rule="Total income less total deduction.",
        source="Subtraction",
        branch="",
        parameters=(),
        arithmetic=(step(f"{money(income)} − {money(deduction)}", income - deduction),),
    )
    return _to_json("nett_pay", "Nett pay", "grand_total", explanation)


def _amount(trace: CalculationTrace, name: str) -> int:
    return int(trace.lines[name][0]) if name in trace.lines else 0


def _to_json(name: str, caption: str, section: str, explanation: Explanation) -> dict[str, Any]:
    return {
        "item": int(name) if name.isdigit() else name,
        "caption": caption,
        "section": str(section),
        "amount": decimal_text(explanation.amount_cents),
        "inputs": explanation.inputs,
        "rule": explanation.rule,
        "source": explanation.source,
        "branch": explanation.branch,
        "parameters": [
            {
                "name": parameter.name,
                "value": parameter.value,
                "since": parameter.since.isoformat(),
                "source": parameter.source,
            }
            for parameter in explanation.parameters
        ],
        "arithmetic": list(explanation.arithmetic),
    }
