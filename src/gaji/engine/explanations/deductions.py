"""Why a deduction out of wages takes what it takes."""

from gaji.engine.batch import CalculationTrace
from gaji.engine.catalogue import PayslipLine
from gaji.engine.deductions import DeductionResult
from gaji.engine.explanations.custom_items import custom_item
from gaji.engine.explanations.other_earnings import amount, days_at_gross_rate
from gaji.engine.explanations.common import entered, multiplied, plain
from gaji.law.explanation import Explanation, money, used_parameter, percent, step

ACT = "Employment Act 1968, ss. 27 to 32"


def payment(done: CalculationTrace, line: PayslipLine) -> Explanation:
    """What is to be taken, and what of it there is room for."""
    taking = next(one for one in done.deductions if one.type.name == line.name)
    wanted, taken = int(taking.requested_cents[0]), int(taking.deducted_cents[0])
    limit, room = int(taking.limit_cents[0]), int(taking.available_cents[0])
    share = done.law.pay.total_deductions.at(done.month)
    least = step(f"min({money(wanted)}, {money(limit)}, {money(room)})", taken)
    return Explanation(
        figure=line.name,
        amount_cents=taken,
        inputs=entered(done, line.name)
        | {
            "to be taken": money(wanted),
            "most of its kind": money(limit),
            "room left by what comes before it": money(room),
            "salary": money(int(done.deduction_basis.amount_cents[0])),
        },
        rule="A deduction takes what is due, within the limit of its kind and what earlier deductions left.",
        source=ACT,
        branch="taken in full" if taken == wanted else f"{money(wanted - taken)} could not be taken",
        parameters=(used_parameter("total deductions", share, percent(share.value)),),
        arithmetic=(*_wanted(done, line, taking), least),
    )


def _wanted(done: CalculationTrace, line: PayslipLine, taking: DeductionResult) -> tuple[str, ...]:
    wanted = int(taking.requested_cents[0])
    if taking.type.tracked:
        return _instalment(done, line, taking)
    carried = done.payslips[0].carried_forward_cents.get(line.name, 0)
    if not bool(done.inputs.has_line(line.name)[0]):
        return (step(money(carried), wanted),)
    due = _due(done, line)
    if not carried:
        return due.arithmetic
    return (*due.arithmetic, step(f"{money(due.amount_cents)} + {money(carried)}", wanted))


def _due(done: CalculationTrace, line: PayslipLine) -> Explanation:
    """What is due on this payslip, before what was carried forward."""
    if line.name in done.custom_amounts:
        return custom_item(done, line)
    told = entered(done, line.name)
    if "days" in told and "amount" not in told:
        return multiplied(done, line.name, days_at_gross_rate(done, line.name))
    return amount(done, line)


def _instalment(done: CalculationTrace, line: PayslipLine, taking: DeductionResult) -> tuple[str, ...]:
    wanted, given = int(taking.requested_cents[0]), done.inputs
    instalment, balance = (int(given.money_cents(line.name, name)[0]) for name in ("instalment", "balance"))
    agreed = plain(line.name, instalment, {}, "", (step(money(instalment), instalment),))
    due = multiplied(done, line.name, agreed)
    if taking.type.tracked == "saved" or not bool(given.is_entered(line.name, "balance")[0]):
        return due.arithmetic
    left = f"max({money(balance)} − {money(done.payslips[0].instalments_cents.get(line.name, 0))}, 0.00)"
    return (*due.arithmetic, step(f"min({money(due.amount_cents)}, {left})", wanted))
