"""Explanations of the basic salary, overtime, rest day and public holiday pay."""

from dataclasses import replace
from datetime import date
from fractions import Fraction

import numpy as np

from gaji.engine.batch import CalculationTrace
from gaji.engine.catalogue import PayslipLine
from gaji.engine.earnings import BASIC
from gaji.engine.earnings.basic_pay import HOLIDAYS_OFF, OVERTIME_LINES
from gaji.engine.explanations.common import contract_explanation, with_multiplier
from gaji.engine.explanations.dated_pay import dated_pay, explain_dated_pay
from gaji.law.explanation import Explanation, long_date, money, step
from gaji.law.pay import incomplete_month, overtime, public_holiday_work, rates, rest_days
from gaji.law.pay.rates import PayType
from gaji.law.phrases import Phrase
from gaji.law.quantities import MILLI, format_millis
from gaji.law.reasons import FullAmount, Unit, UnitsAtRate
from gaji.law.rounding import divide_half_up


def explain_basic_salary(trace: CalculationTrace, _: PayslipLine) -> Explanation:
    """Explain the salary of a period, or of a number of days or hours."""
    if (pay := dated_pay(trace, BASIC)) is not None:
        return explain_dated_pay(trace, BASIC, pay)
    pay_type = PayType(int(trace.basic_pay.terms.pay_types[0]))
    if pay_type == PayType.MONTHLY:
        explanation = explain_period_amount(trace, BASIC, int(trace.basic_pay.terms.amounts_cents[0]))
    else:
        explanation = _explain_by_quantity(trace, pay_type)
    return with_multiplier(trace, BASIC, explanation)


def explain_period_amount(trace: CalculationTrace, figure: str, amount_cents: int) -> Explanation:
    """Explain an amount for a whole period, prorated to the days in service."""
    served, working = int(trace.attendance.served_millidays[0]), int(trace.attendance.working_millidays[0])
    if bool(trace.attendance.complete[0]):
        period = Phrase(trace.period.start, " to ", trace.period.end)
        inputs = {"amount per period": money(amount_cents), "period": period}
        rule = "An employee in service on every day of the period is paid the full amount."
        arithmetic = (step(money(amount_cents), amount_cents),)
        return contract_explanation(figure, amount_cents, inputs, rule, arithmetic, "in full", FullAmount(amount_cents))
    periods = incomplete_month.RatePeriods(np.zeros(1, dtype=np.intp), np.array([amount_cents]), np.array([served]))
    return incomplete_month.explain(figure, periods, working)


def _explain_by_quantity(trace: CalculationTrace, pay_type: PayType) -> Explanation:
    unit = "day" if pay_type == PayType.DAILY else "hour"
    rate, quantity = int(trace.basic_pay.terms.amounts_cents[0]), int(trace.basic_pay.quantity_millis[0])
    amount = divide_half_up(rate * quantity, MILLI)
    is_entered = bool(trace.basic_pay.is_entered[0])
    return contract_explanation(
        BASIC,
        amount,
        {f"rate per {unit}": money(rate), f"{unit}s": format_millis(quantity)},
        f"The rate × the {unit}s, rounded once to the nearest cent.",
        (step(f"round_cents({money(rate)} × {format_millis(quantity)})", amount),),
        f"{unit}s as entered" if is_entered else f"no {unit}s were entered: the regular {unit}s in service",
        UnitsAtRate(Fraction(quantity, MILLI), Unit.DAY if unit == "day" else Unit.HOUR, Fraction(rate)),
    )


def explain_overtime(trace: CalculationTrace, line: PayslipLine) -> Explanation:
    """Explain hours at one and a half times the hourly basic rate."""
    hours = int(trace.inputs.quantity_millis(BASIC, OVERTIME_LINES[line.name])[0])
    basic_pay = trace.basic_pay
    explanation = overtime.explain(trace.law.pay, trace.month, basic_pay.terms, basic_pay.part_four_status, hours)
    return replace(explanation, figure=line.name)


def explain_rest_day_pay(trace: CalculationTrace, _: PayslipLine) -> Explanation:
    """Explain rest days at the basic rate, by who requested the work."""
    by_employer = int(trace.inputs.quantity_millis(BASIC, "rest_day_employer_days")[0])
    by_employee = int(trace.inputs.quantity_millis(BASIC, "rest_day_employee_days")[0])
    basic_pay = trace.basic_pay
    return rest_days.explain(
        trace.law.pay, trace.month, basic_pay.terms, basic_pay.part_four_status, by_employer, by_employee
    )


def explain_public_holiday_pay(trace: CalculationTrace, _: PayslipLine) -> Explanation:
    """Explain extra days at the basic rate."""
    days = int(trace.inputs.quantity_millis(BASIC, "public_holiday_days")[0])
    return public_holiday_work.explain(trace.basic_pay.terms, days)


def explain_public_holiday_off_pay(trace: CalculationTrace, line: PayslipLine) -> Explanation:
    """Explain holidays on a day off at the gross rate."""
    days = trace.inputs.quantity_millis(BASIC, HOLIDAYS_OFF)
    amount, text = int(trace.gross_rate.cents(days)[0]), format_millis(int(days[0]))
    return Explanation(
        figure=line.name,
        amount_cents=amount,
        inputs=trace.gross_rate.inputs() | {"days": text} | _holidays_off(trace, text),
        rule="A public holiday on a day off is paid a day at the gross rate, unless another day off is given for it.",
        source="Employment Act 1968, s. 88(1)(c) and Third Schedule",
        branch=f"{PayType(int(trace.gross_rate.terms.pay_types[0])).name.lower()}-rated",
        parameters=(),
        arithmetic=(rates.rate_line(trace.gross_rate.expression(), text, amount),),
        reason=rates.units_reason(trace.gross_rate.rates(), Unit.DAY, int(days[0])),
    )


def _holidays_off(trace: CalculationTrace, days: str) -> dict[str, str]:
    """The holidays that the leave policy pays, unless other days were entered."""
    holidays = trace.payslips[0].leave.holidays_off
    names = [f"{name} on {long_date(date.fromisoformat(day))}" for day, name in holidays.items()]
    return {"holidays on a day off": ", ".join(names)} if days == str(len(names)) else {}


EXPLAINERS = {
    BASIC: explain_basic_salary,
    **dict.fromkeys(OVERTIME_LINES, explain_overtime),
    "rest_day_pay": explain_rest_day_pay,
    "public_holiday_pay": explain_public_holiday_pay,
    "public_holiday_off_pay": explain_public_holiday_off_pay,
}
