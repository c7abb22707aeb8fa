"""Why unpaid leave takes what it takes."""

from gaji.engine.batch import CalculationTrace
from gaji.engine.catalogue import PayslipLine
from gaji.engine.earnings import BASIC, UNPAID_LEAVE, prorated_lines, unpaid_millidays
from gaji.engine.explanations.common import multiplied, plain
from gaji.law.explanation import Explanation, money, step
from gaji.law.notation import line as said
from gaji.law.pay import rates
from gaji.law.pay.incomplete_month import ACT
from gaji.law.quantities import format_millis, share_cents


def unpaid_leave(done: CalculationTrace, line: PayslipLine) -> Explanation:
    """What makes the pay of the period that of an incomplete one, or days at the rate."""
    return _of_period(done, line) if bool(done.basic_pay.monthly_rated[0]) else _at_rate(done, line)


def _of_period(done: CalculationTrace, line: PayslipLine) -> Explanation:
    served, working = int(done.attendance.served_millidays[0]), int(done.attendance.working_millidays[0])
    unpaid, taken = min(int(unpaid_millidays(done.inputs)[0]), served), int(done.unpaid_leave_cents[0])
    steps, differences = [said(f"{format_millis(served)} − {format_millis(unpaid)}", format_millis(served - unpaid))], []
    inputs: dict[str, str] = {}
    for name, amounts, shrinks in prorated_lines(done.inputs, done.basic_pay):
        if bool(shrinks[0]) and bool(done.inputs.has_line(name)[0]):
            left = _left(done, name, int(amounts[0]), served - unpaid)
            steps += left.arithmetic
            differences.append(f"{money(int(done.lines[name][0]))} − {money(left.amount_cents)}")
            inputs[f"{done.catalogue.lines[name].caption} of a period"] = money(int(amounts[0]))
    return Explanation(
        figure=line.name,
        amount_cents=taken,
        inputs=inputs
        | {
            "days in service": format_millis(served),
            "of these, unpaid": format_millis(unpaid),
            "working days of the period": format_millis(working),
        },
        rule="Unpaid leave takes of each line what makes it that of an incomplete period without those days.",
        source=ACT,
        branch="the whole period was in service" if bool(done.attendance.complete[0]) else "part of the period was",
        parameters=(),
        arithmetic=(*steps, step(" + ".join(differences), taken)),
    )


def _left(done: CalculationTrace, name: str, amount_cents: int, paid_millidays: int) -> Explanation:
    """What a line would be without the unpaid days."""
    working = done.attendance.working_millidays[:1]
    left = int(share_cents(working * 0 + amount_cents, working * 0 + paid_millidays, working)[0])
    sum_ = f"round_cents({money(amount_cents)} × {format_millis(paid_millidays)} ÷ {format_millis(int(working[0]))})"
    return multiplied(done, name, plain(name, left, {}, "", (step(sum_, left),)))


def _at_rate(done: CalculationTrace, line: PayslipLine) -> Explanation:
    unpaid, taken = unpaid_millidays(done.inputs), int(done.unpaid_leave_cents[0])
    given, most = int(rates.daily_rates(done.basic_pay.terms).cents(unpaid)[0]), int(done.lines[BASIC][0])
    days = format_millis(int(unpaid[0]))
    return plain(
        line.name,
        taken,
        rates.term_inputs(done.basic_pay.terms) | {"days": days},
        "Days at their rate, at most the basic salary of the payslip.",
        (
            rates.rate_line(rates.daily_expression(done.basic_pay.terms), days, given),
            step(f"min({money(given)}, {money(most)})", taken),
        ),
    )


WRITERS = {UNPAID_LEAVE: unpaid_leave}
