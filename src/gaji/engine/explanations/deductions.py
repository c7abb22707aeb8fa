"""Explanations of deductions from wages."""

from gaji.engine.batch import CalculationTrace
from gaji.engine.catalogue import PayslipLine
from gaji.engine.deductions import OVERPAID_WAGES, DeductionResult
from gaji.engine.earnings import EXCESS_LEAVE
from gaji.engine.explanations.arrears import PastAmount, add_past_amounts, overpaid_steps
from gaji.engine.explanations.common import contract_explanation, entered_inputs, with_multiplier
from gaji.engine.explanations.custom_items import explain_custom_item
from gaji.engine.explanations.other_earnings import explain_amount, explain_days_at_gross_rate
from gaji.law.explanation import Explanation, money, percent, step, used_parameter

ACT = "Employment Act 1968, ss. 27 to 32"
RULE = "The amount requested, limited to the maximum for its kind and to what earlier deductions left."
EXCESS_LEAVE_RULE = (
    "Annual leave taken beyond the entitlement is recovered at the gross rate of pay, limited to the pay that is left. "
    "It reduces the wages of the month in which it was taken."
)
EXCESS_LEAVE_SOURCE = f"{ACT}; CPF Board, CPF contributions on excess leave"


def explain_deduction(trace: CalculationTrace, line: PayslipLine) -> Explanation:
    """Explain the requested amount and the limits that apply to it."""
    deduction = next(deduction for deduction in trace.deductions if deduction.type.name == line.name)
    requested, deducted = int(deduction.requested_cents[0]), int(deduction.deducted_cents[0])
    limit, available = int(deduction.limit_cents[0]), int(deduction.available_cents[0])
    share = trace.law.pay.total_deductions.at(trace.month)
    return Explanation(
        figure=line.name,
        amount_cents=deducted,
        inputs=entered_inputs(trace, line.name)
        | {
            "amount requested": money(requested),
            "limit for this kind of deduction": money(limit),
            "left after earlier deductions": money(available),
            "salary": money(int(trace.deduction_basis.amount_cents[0])),
        }
        | _carried_forward_input(trace, line)
        | (_excess_leave_inputs(trace) if line.name == EXCESS_LEAVE else {}),
        rule=EXCESS_LEAVE_RULE if line.name == EXCESS_LEAVE else RULE,
        source=EXCESS_LEAVE_SOURCE if line.name == EXCESS_LEAVE else ACT,
        branch=_branch(deduction),
        parameters=(used_parameter("total deductions", share, percent(share.value)),),
        arithmetic=(
            *_requested_steps(trace, line, deduction),
            step(f"min({money(requested)}, {money(limit)}, {money(available)})", deducted),
        ),
    )


def _branch(deduction: DeductionResult) -> str:
    shortfall, deferred = int(deduction.shortfall_cents[0]), int(deduction.deferred_cents[0])
    if shortfall:
        return f"{money(shortfall)} could not be deducted"
    return f"the agreed instalment; {money(deferred)} is left" if deferred else "deducted in full"


def _carried_forward_input(trace: CalculationTrace, line: PayslipLine) -> dict[str, str]:
    carried = trace.payslips[0].carried_forward_cents.get(line.name, 0)
    return {"carried forward from earlier payslips": money(carried)} if carried else {}


def _excess_leave_inputs(trace: CalculationTrace) -> dict[str, str]:
    """The amounts by the month in which the leave was taken."""
    if (excess := trace.wages.reductions.excess_leave) is None:
        return {}
    assessed = {trace.month - 1: int(excess.previous_cents[0]), trace.month: int(excess.current_cents[0])}
    months = [*excess.earlier_cents.get(0, {}).items(), *assessed.items()]
    return {f"taken in {month.long_name}": money(amount) for month, amount in months if amount}


def _requested_steps(trace: CalculationTrace, line: PayslipLine, deduction: DeductionResult) -> tuple[str, ...]:
    if deduction.type.tracked:
        return _instalment_steps(trace, line, deduction)
    owed_steps = _owed_steps(trace, line, deduction)
    owed, requested = int(deduction.owed_cents[0]), int(deduction.requested_cents[0])
    if owed == requested:
        return owed_steps
    return (*owed_steps, step(f"min({money(owed)}, {money(requested)})", requested))


def _owed_steps(trace: CalculationTrace, line: PayslipLine, deduction: DeductionResult) -> tuple[str, ...]:
    owed = int(deduction.owed_cents[0])
    carried = trace.payslips[0].carried_forward_cents.get(line.name, 0)
    if line.name == OVERPAID_WAGES and (overpaid := overpaid_steps(trace)):
        return _overpaid_steps(trace, line, overpaid, carried)
    if not bool(trace.inputs.has_line(line.name)[0]):
        return (step(money(carried), owed),)
    due = _explain_due(trace, line)
    if not carried:
        return due.arithmetic
    return (*due.arithmetic, step(f"{money(due.amount_cents)} + {money(carried)}", owed))


def _overpaid_steps(
    trace: CalculationTrace, line: PayslipLine, overpaid: list[PastAmount], carried: int
) -> tuple[str, ...]:
    """The overpayments of finalised periods, the entered amount, and what was carried forward."""
    is_entered = bool(trace.inputs.has_line(line.name)[0]) and bool(trace.inputs.is_entered(line.name, "amount")[0])
    entered = explain_amount(trace, line) if is_entered else None
    explanation = add_past_amounts(entered, line.name, overpaid)
    total = explanation.amount_cents
    added = (step(f"{money(total)} + {money(carried)}", total + carried),) if carried else ()
    return (*explanation.arithmetic, *added)


def _explain_due(trace: CalculationTrace, line: PayslipLine) -> Explanation:
    """Explain the amount due on this payslip, without what was carried forward."""
    if line.name in trace.custom_amounts:
        return explain_custom_item(trace, line)
    inputs = entered_inputs(trace, line.name)
    if "days" in inputs and "amount" not in inputs:
        return with_multiplier(trace, line.name, explain_days_at_gross_rate(trace, line.name))
    return explain_amount(trace, line)


def _instalment_steps(trace: CalculationTrace, line: PayslipLine, deduction: DeductionResult) -> tuple[str, ...]:
    inputs = trace.inputs
    instalment, balance = (int(inputs.money_cents(line.name, name)[0]) for name in ("instalment", "balance"))
    agreed = contract_explanation(line.name, instalment, {}, "", (step(money(instalment), instalment),))
    due = with_multiplier(trace, line.name, agreed)
    if deduction.type.tracked == "saved" or not bool(inputs.is_entered(line.name, "balance")[0]):
        return due.arithmetic
    repaid = trace.payslips[0].instalments_cents.get(line.name, 0)
    owed = f"max({money(balance)} − {money(repaid)}, 0.00)"
    return (*due.arithmetic, step(f"min({money(due.amount_cents)}, {owed})", int(deduction.requested_cents[0])))
