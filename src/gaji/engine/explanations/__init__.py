"""Why an amount is what it is: each line of a payslip with its inputs, its rule, the parameters and the arithmetic.

Written from the same workings that gave the payslip. Each last line of arithmetic ends with the amount of the payslip's
line, and can be worked out with a calculator (the language is that of `gaji.law.explanation`).
"""

from collections.abc import Callable, Mapping
from typing import Any

from gaji.engine.batch import CalculationTrace, calculate_with_trace
from gaji.engine.payslip_input import PayslipInput
from gaji.engine.catalogue import Catalogue, PayslipLine, PayslipSection
from gaji.engine.explanations import basic_pay
from gaji.engine.explanations import statutory
from gaji.engine.explanations import custom_items
from gaji.engine.explanations import other_earnings
from gaji.engine.explanations import deductions
from gaji.engine.explanations import unpaid_leave
from gaji.engine.money import decimal_text
from gaji.law.registry import Law
from gaji.law.explanation import Explanation, money, step

Writer = Callable[[CalculationTrace, PayslipLine], Explanation]

WRITERS: Mapping[str, Writer] = {**basic_pay.WRITERS, **other_earnings.WRITERS, **unpaid_leave.WRITERS, **statutory.WRITERS}
SECTIONS = {PayslipSection.INCOME: "total income", PayslipSection.DEDUCTION: "total deduction"}


def explain(law: Law, catalogue: Catalogue, case: PayslipInput) -> list[dict[str, Any]]:
    """One object for each line of the payslip, for its totals, and for the nett pay."""
    done = calculate_with_trace(law, catalogue, [case])
    shown: list[dict[str, Any]] = []
    for section in (PayslipSection.INCOME, PayslipSection.DEDUCTION, PayslipSection.EMPLOYER_CONTRIBUTION, PayslipSection.BENEFIT):
        lines = [line for line in catalogue.lines.values() if line.section == section and _amount(done, line.name)]
        shown += [_shape(line.name, line.caption, section, _writer(done, line)(done, line)) for line in lines]
        if section in SECTIONS:
            shown.append(_total(done, section, lines))
    return [*shown, _nett_pay(done)]


def _writer(done: CalculationTrace, line: PayslipLine) -> Writer:
    if line.name in WRITERS:
        return WRITERS[line.name]
    is_payment = any(taking.type.name == line.name for taking in done.deductions)
    return deductions.payment if is_payment else custom_items.custom_item


def _total(done: CalculationTrace, section: PayslipSection, lines: list[PayslipLine]) -> dict[str, Any]:
    amounts = [_amount(done, line.name) for line in lines]
    total = done.income_cents if section == PayslipSection.INCOME else done.deduction_cents
    return _shape(
        "total",
        SECTIONS[section].capitalize(),
        section,
        Explanation(
            figure="total",
            amount_cents=int(total[0]),
            inputs={line.caption: money(amount) for line, amount in zip(lines, amounts, strict=True)},
            rule="The sum of the lines above.",
            source="Addition",
            branch="",
            parameters=(),
            arithmetic=(step(" + ".join(money(amount) for amount in amounts) or money(0), int(total[0])),),
        ),
    )


def _nett_pay(done: CalculationTrace) -> dict[str, Any]:
    income, deduction = int(done.income_cents[0]), int(done.deduction_cents[0])
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
    return _shape("nett_pay", "Nett pay", "grand_total", explanation)


def _amount(done: CalculationTrace, name: str) -> int:
    return int(done.lines[name][0]) if name in done.lines else 0


def _shape(name: str, caption: str, section: str, told: Explanation) -> dict[str, Any]:
    return {
        "item": int(name) if name.isdigit() else name,
        "caption": caption,
        "section": str(section),
        "amount": decimal_text(told.amount_cents),
        "inputs": told.inputs,
        "rule": told.rule,
        "source": told.source,
        "branch": told.branch,
        "parameters": [
            {"name": one.name, "value": one.value, "since": one.since.isoformat(), "source": one.source}
            for one in told.parameters
        ],
        "arithmetic": list(told.arithmetic),
    }
