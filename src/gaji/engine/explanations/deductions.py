"""Explanations of deductions from wages."""

from dataclasses import dataclass
from fractions import Fraction

from gaji.engine.batch import CalculationTrace
from gaji.engine.catalogue import PayslipLine
from gaji.engine.deductions import OVERPAID_WAGES, DeductionResult
from gaji.engine.earnings import EXCESS_LEAVE
from gaji.engine.explanations.arrears import PastAmount, add_past_amounts, overpaid_steps
from gaji.engine.explanations.common import contract_explanation, entered_inputs, with_multiplier
from gaji.engine.explanations.custom_items import explain_custom_item
from gaji.engine.explanations.other_earnings import explain_amount, explain_days_at_gross_rate
from gaji.law.explanation import Explanation, money, percent, step, used_parameter
from gaji.law.reasons import CarriedForward, Difference, FullAmount, LimitedAmount, Reason

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
    request = _explain_request(trace, line, deduction)
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
            *request.steps,
            step(f"min({money(requested)}, {money(limit)}, {money(available)})", deducted),
        ),
        reason=_limited(request.reason, requested, deducted),
    )


def _limited(reason: Reason | None, due_cents: int, cents: int) -> Reason | None:
    """The reason of an amount that may be limited."""
    return reason if cents == due_cents else LimitedAmount(cents, due_cents)


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


@dataclass(frozen=True)
class _Request:
    """How the amount requested is computed."""

    steps: tuple[str, ...]
    reason: Reason | None


def _explain_request(trace: CalculationTrace, line: PayslipLine, deduction: DeductionResult) -> _Request:
    if deduction.type.tracked:
        return _explain_instalment(trace, line, deduction)
    debt = _explain_debt(trace, line, deduction)
    owed, requested = int(deduction.owed_cents[0]), int(deduction.requested_cents[0])
    if owed == requested:
        return debt
    steps = (*debt.steps, step(f"min({money(owed)}, {money(requested)})", requested))
    return _Request(steps, LimitedAmount(requested, owed))


def _explain_debt(trace: CalculationTrace, line: PayslipLine, deduction: DeductionResult) -> _Request:
    """Explain what is to be deducted on this payslip and on later ones."""
    owed = int(deduction.owed_cents[0])
    carried = trace.payslips[0].carried_forward_cents.get(line.name, 0)
    if line.name == OVERPAID_WAGES and (overpaid := overpaid_steps(trace)):
        return _add_carried(_explain_overpaid(trace, line, overpaid), carried)
    if not bool(trace.inputs.has_line(line.name)[0]):
        return _Request((step(money(carried), owed),), CarriedForward(0, carried))
    return _add_carried(_explain_due(trace, line), carried)


def _add_carried(due: Explanation, carried: int) -> _Request:
    """Add what was carried forward from earlier payslips, if anything."""
    if not carried:
        return _Request(due.arithmetic, due.reason)
    sum_step = step(f"{money(due.amount_cents)} + {money(carried)}", due.amount_cents + carried)
    return _Request((*due.arithmetic, sum_step), CarriedForward(due.amount_cents, carried))


def _explain_overpaid(trace: CalculationTrace, line: PayslipLine, overpaid: list[PastAmount]) -> Explanation:
    """Explain the overpayments of finalised periods and the entered amount."""
    is_entered = bool(trace.inputs.has_line(line.name)[0]) and bool(trace.inputs.is_entered(line.name, "amount")[0])
    entered = explain_amount(trace, line) if is_entered else None
    return add_past_amounts(entered, line.name, overpaid)


def _explain_due(trace: CalculationTrace, line: PayslipLine) -> Explanation:
    """Explain the amount due on this payslip, without what was carried forward."""
    if line.name in trace.custom_amounts:
        return explain_custom_item(trace, line)
    inputs = entered_inputs(trace, line.name)
    if "days" in inputs and "amount" not in inputs:
        return with_multiplier(trace, line.name, explain_days_at_gross_rate(trace, line.name))
    return explain_amount(trace, line)


def _explain_instalment(trace: CalculationTrace, line: PayslipLine, deduction: DeductionResult) -> _Request:
    inputs = trace.inputs
    instalment, balance = (int(inputs.money_cents(line.name, name)[0]) for name in ("instalment", "balance"))
    agreed_step, reason = step(money(instalment), instalment), FullAmount(instalment)
    agreed = contract_explanation(line.name, instalment, {}, "", (agreed_step,), reason=reason)
    due = with_multiplier(trace, line.name, agreed)
    if deduction.type.tracked == "saved" or not bool(inputs.is_entered(line.name, "balance")[0]):
        return _Request(due.arithmetic, due.reason)
    repaid = trace.payslips[0].instalments_cents.get(line.name, 0)
    owed = f"max({money(balance)} − {money(repaid)}, 0.00)"
    requested = step(f"min({money(due.amount_cents)}, {owed})", int(deduction.requested_cents[0]))
    is_last = balance - repaid < due.amount_cents
    return _Request((*due.arithmetic, requested), _balance_reason(balance, repaid) if is_last else due.reason)


def _balance_reason(balance_cents: int, repaid_cents: int) -> Reason:
    if not repaid_cents:
        return FullAmount(balance_cents)
    return Difference(Fraction(balance_cents), Fraction(repaid_cents))
