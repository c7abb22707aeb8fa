"""Explanations of a payslip: each line with its inputs, rule, parameters and arithmetic.

They are written from the same trace as the payslip. The last line of arithmetic ends with the amount of the payslip
line and can be checked with a calculator. The notation is that of `gaji.law.explanation`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
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
from gaji.law.reasons import Difference, amount_sum
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
TOTAL, NETT_PAY = "total", "nett_pay"


@dataclass(frozen=True)
class ExplainedLine:
    """A line, a total or the nett pay of a payslip, with its explanation."""

    name: str
    caption: str
    section: str
    explanation: Explanation

    @property
    def item(self) -> int | str:
        """The ID of a custom item, or the name of another line."""
        return int(self.name) if self.name.isdigit() else self.name

    @property
    def amount(self) -> str:
        """The amount as the API returns it."""
        return decimal_text(self.explanation.amount_cents)

    def to_json(self) -> dict[str, Any]:
        """Return the line as the API returns it."""
        return {
            "item": self.item,
            "caption": self.caption,
            "section": str(self.section),
            "amount": self.amount,
            "inputs": {str(name): str(value) for name, value in self.explanation.inputs.items()},
            "rule": self.explanation.rule,
            "source": self.explanation.source,
            "branch": self.explanation.branch,
            "parameters": [
                {
                    "name": parameter.name,
                    "value": parameter.value,
                    "since": parameter.since.isoformat(),
                    "source": parameter.source,
                }
                for parameter in self.explanation.parameters
            ],
            "arithmetic": list(self.explanation.arithmetic),
        }


def explain(law: Law, catalogue: Catalogue, payslip: PayslipInput) -> list[ExplainedLine]:
    """Explain each line of the payslip, its totals and the nett pay."""
    trace = calculate_with_trace(law, catalogue, [payslip])
    explained: list[ExplainedLine] = []
    for section in SECTIONS:
        lines = [line for line in catalogue.lines.values() if line.section == section and _amount(trace, line.name)]
        explained += [ExplainedLine(line.name, line.caption, section, _explain_line(trace, line)) for line in lines]
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


def _explain_total(trace: CalculationTrace, section: PayslipSection, lines: list[PayslipLine]) -> ExplainedLine:
    amounts = [_amount(trace, line.name) for line in lines]
    total = trace.income_cents if section == PayslipSection.INCOME else trace.deduction_cents
    explanation = Explanation(
        figure=TOTAL,
        amount_cents=int(total[0]),
        inputs={line.caption: money(amount) for line, amount in zip(lines, amounts, strict=True)},
        rule="The sum of the lines above.",
        source="Addition",
        branch="",
        parameters=(),
        arithmetic=(step(" + ".join(money(amount) for amount in amounts) or money(0), int(total[0])),),
        reason=amount_sum(amounts),
    )
    return ExplainedLine(TOTAL, TOTAL_CAPTIONS[section], section, explanation)


def _explain_nett_pay(trace: CalculationTrace) -> ExplainedLine:
    income, deduction = int(trace.income_cents[0]), int(trace.deduction_cents[0])
    explanation = Explanation(
        figure=NETT_PAY,
        amount_cents=income - deduction,
        inputs={"Total income": money(income), "Total deduction": money(deduction)},
        rule="Total income less total deduction.",
        source="Subtraction",
        branch="",
        parameters=(),
        arithmetic=(step(f"{money(income)} − {money(deduction)}", income - deduction),),
        reason=Difference(Fraction(income), Fraction(deduction)),
    )
    return ExplainedLine(NETT_PAY, "Nett pay", "grand_total", explanation)


def _amount(trace: CalculationTrace, name: str) -> int:
    return int(trace.lines[name][0]) if name in trace.lines else 0
