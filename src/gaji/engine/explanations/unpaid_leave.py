"""Explanation of unpaid leave."""

from gaji.engine.batch import CalculationTrace
from gaji.engine.catalogue import PayslipLine
from gaji.engine.earnings import BASIC, UNPAID_LEAVE, prorated_lines, unpaid_millidays
from gaji.engine.explanations.common import contract_explanation, with_multiplier
from gaji.law import notation
from gaji.law.explanation import Explanation, money, step
from gaji.law.pay import rates
from gaji.law.pay.incomplete_month import ACT
from gaji.law.quantities import format_millis, share_cents


def explain_unpaid_leave(trace: CalculationTrace, line: PayslipLine) -> Explanation:
    """Explain the difference to the pay of an incomplete period, or days at the daily rate."""
    if bool(trace.basic_pay.monthly_rated[0]):
        return _explain_incomplete_period(trace, line)
    return _explain_days_at_rate(trace, line)


def _explain_incomplete_period(trace: CalculationTrace, line: PayslipLine) -> Explanation:
    served, working = int(trace.attendance.served_millidays[0]), int(trace.attendance.working_millidays[0])
    unpaid, deducted = min(int(unpaid_millidays(trace.inputs)[0]), served), int(trace.unpaid_leave_cents[0])
    paid_days = format_millis(served - unpaid)
    steps = [notation.line(f"{format_millis(served)} − {format_millis(unpaid)}", paid_days)]
    differences = []
    inputs: dict[str, str] = {}
    for name, amounts, prorated in prorated_lines(trace.catalogue, trace.inputs, trace.basic_pay):
        if bool(prorated[0]) and bool(trace.inputs.has_line(name)[0]):
            remaining = _explain_remaining(trace, name, int(amounts[0]), served - unpaid)
            steps += remaining.arithmetic
            differences.append(f"{money(int(trace.lines[name][0]))} − {money(remaining.amount_cents)}")
            inputs[f"{trace.catalogue.lines[name].caption} per period"] = money(int(amounts[0]))
    return Explanation(
        figure=line.name,
        amount_cents=deducted,
        inputs=inputs
        | {
            "days in service": format_millis(served),
            "of these, unpaid": format_millis(unpaid),
            "working days of the period": format_millis(working),
        },
        rule="For each line, the difference between its amount and its amount for an incomplete period without "
        "the unpaid days.",
        source=ACT,
        branch="in service for the whole period"
        if bool(trace.attendance.complete[0])
        else "in service for part of the period",
        parameters=(),
        arithmetic=(*steps, step(" + ".join(differences), deducted)),
    )


def _explain_remaining(trace: CalculationTrace, name: str, amount_cents: int, paid_millidays: int) -> Explanation:
    """Explain the amount of a line without the unpaid days."""
    working = trace.attendance.working_millidays[:1]
    remaining = int(share_cents(working * 0 + amount_cents, working * 0 + paid_millidays, working)[0])
    days = f"{format_millis(paid_millidays)} ÷ {format_millis(int(working[0]))}"
    arithmetic = (step(f"round_cents({money(amount_cents)} × {days})", remaining),)
    return with_multiplier(trace, name, contract_explanation(name, remaining, {}, "", arithmetic))


def _explain_days_at_rate(trace: CalculationTrace, line: PayslipLine) -> Explanation:
    unpaid, deducted = unpaid_millidays(trace.inputs), int(trace.unpaid_leave_cents[0])
    terms = trace.basic_pay.terms
    at_rate, basic_salary = int(rates.daily_rates(terms).cents(unpaid)[0]), int(trace.lines[BASIC][0])
    days = format_millis(int(unpaid[0]))
    return contract_explanation(
        line.name,
        deducted,
        rates.term_inputs(terms) | {"days": days},
        "Days at their rate, at most the basic salary of the payslip.",
        (
            rates.rate_line(rates.daily_expression(terms), days, at_rate),
            step(f"min({money(at_rate)}, {money(basic_salary)})", deducted),
        ),
    )


EXPLAINERS = {UNPAID_LEAVE: explain_unpaid_leave}
