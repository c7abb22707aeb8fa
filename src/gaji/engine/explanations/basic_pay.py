"""Why the basic salary, overtime, rest day and public holiday pay are what they are."""

import numpy as np

from gaji.engine.batch import CalculationTrace
from gaji.engine.catalogue import PayslipLine
from gaji.engine.earnings import BASIC
from gaji.engine.explanations.common import multiplied, plain
from gaji.law.explanation import Explanation, money, step
from gaji.law.pay import days_at_rate, incomplete_month, overtime, rest_days
from gaji.law.pay.rates import PayType
from gaji.law.quantities import format_millis


def basic_salary(done: CalculationTrace, _: PayslipLine) -> Explanation:
    """The salary of a period, or of so many days or hours."""
    pay_type = PayType(int(done.basic_pay.terms.pay_types[0]))
    told = _of_period(done) if pay_type == PayType.MONTHLY else _by_quantity(done, pay_type)
    return multiplied(done, BASIC, told)


def of_period(done: CalculationTrace, figure: str, amount_cents: int) -> Explanation:
    """An amount for a whole period, of which the days in service are paid."""
    served, working = int(done.attendance.served_millidays[0]), int(done.attendance.working_millidays[0])
    if bool(done.attendance.complete[0]):
        inputs = {"amount of a period": money(amount_cents), "period": f"{done.period.start} to {done.period.end}"}
        rule = "Whoever was in service on every day of the period is paid the whole amount."
        return plain(figure, amount_cents, inputs, rule, (step(money(amount_cents), amount_cents),), "in full")
    stretches = incomplete_month.RatePeriods(np.zeros(1, dtype=np.intp), np.array([amount_cents]), np.array([served]))
    return incomplete_month.explain(figure, stretches, working)


def _of_period(done: CalculationTrace) -> Explanation:
    return of_period(done, BASIC, int(done.basic_pay.terms.amounts_cents[0]))


def _by_quantity(done: CalculationTrace, pay_type: PayType) -> Explanation:
    unit = "days" if pay_type == PayType.DAILY else "hours"
    rate, quantity = int(done.basic_pay.terms.amounts_cents[0]), int(done.basic_pay.quantity_millis[0])
    amount = (2 * rate * quantity + 1000) // 2000
    return plain(
        BASIC,
        amount,
        {f"rate for {unit[:-1]}": money(rate), unit: format_millis(quantity)},
        f"The rate × the {unit}, rounded once to the nearest cent.",
        (step(f"round_cents({money(rate)} × {format_millis(quantity)})", amount),),
        f"{unit} as entered" if bool(done.basic_pay.is_entered[0]) else f"regular {unit} in service, none were entered",
    )


def overtime_pay(done: CalculationTrace, _: PayslipLine) -> Explanation:
    """Hours at one and a half times the hourly basic rate."""
    hours = int(done.inputs.quantity_millis(BASIC, "overtime_hours_input")[0])
    return overtime.explain(done.law.pay, done.month, done.basic_pay.terms, done.basic_pay.part_iv_coverage, hours)


def rest_day_pay(done: CalculationTrace, _: PayslipLine) -> Explanation:
    """Days at the basic rate, by who asked for the work."""
    employer, employee = (
        int(done.inputs.quantity_millis(BASIC, f"rest_day_{who}_days")[0]) for who in ("employer", "employee")
    )
    return rest_days.explain(done.law.pay, done.month, done.basic_pay.terms, done.basic_pay.part_iv_coverage, employer, employee)


def public_holiday_pay(done: CalculationTrace, _: PayslipLine) -> Explanation:
    """Extra days at the basic rate."""
    worked = int(done.inputs.quantity_millis(BASIC, "public_holiday_days")[0])
    return days_at_rate.explain(days_at_rate.DayRateItem.PUBLIC_HOLIDAY_PAY, done.basic_pay.terms, worked)


WRITERS = {
    BASIC: basic_salary,
    "overtime": overtime_pay,
    "rest_day_pay": rest_day_pay,
    "public_holiday_pay": public_holiday_pay,
}
