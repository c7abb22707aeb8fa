"""Why the basic salary, overtime, rest day and public holiday pay are what they are."""

import numpy as np

from gaji.engine.batch import Workings
from gaji.engine.catalogue import Line
from gaji.engine.earnings import BASIC
from gaji.engine.explanations.common import multiplied, plain
from gaji.law.explanation import Explanation, money, step
from gaji.law.pay import days_at_rate, incomplete_month, overtime, rest_days
from gaji.law.pay.rates import PayType
from gaji.law.quantities import number


def basic_salary(done: Workings, _: Line) -> Explanation:
    """The salary of a period, or of so many days or hours."""
    pay_type = PayType(int(done.agreed.terms.pay_types[0]))
    told = _of_period(done) if pay_type == PayType.MONTHLY else _by_quantity(done, pay_type)
    return multiplied(done, BASIC, told)


def of_period(done: Workings, figure: str, amount_cents: int) -> Explanation:
    """An amount for a whole period, of which the days in service are paid."""
    served, working = int(done.presence.served_millidays[0]), int(done.presence.working_millidays[0])
    if bool(done.presence.complete[0]):
        inputs = {"amount of a period": money(amount_cents), "period": f"{done.period.start} to {done.period.end}"}
        rule = "Whoever was in service on every day of the period is paid the whole amount."
        return plain(figure, amount_cents, inputs, rule, (step(money(amount_cents), amount_cents),), "in full")
    stretches = incomplete_month.Stretches(np.zeros(1, dtype=np.intp), np.array([amount_cents]), np.array([served]))
    return incomplete_month.explain(figure, stretches, working)


def _of_period(done: Workings) -> Explanation:
    return of_period(done, BASIC, int(done.agreed.terms.amounts_cents[0]))


def _by_quantity(done: Workings, pay_type: PayType) -> Explanation:
    unit = "days" if pay_type == PayType.DAILY else "hours"
    rate, quantity = int(done.agreed.terms.amounts_cents[0]), int(done.agreed.quantity[0])
    amount = (2 * rate * quantity + 1000) // 2000
    return plain(
        BASIC,
        amount,
        {f"rate for {unit[:-1]}": money(rate), unit: number(quantity)},
        f"The rate × the {unit}, rounded once to the nearest cent.",
        (step(f"round_cents({money(rate)} × {number(quantity)})", amount),),
        f"{unit} as entered" if bool(done.agreed.entered[0]) else f"regular {unit} in service, none were entered",
    )


def overtime_pay(done: Workings, _: Line) -> Explanation:
    """Hours at one and a half times the hourly basic rate."""
    hours = int(done.inputs.quantity(BASIC, "overtime_hours_input")[0])
    return overtime.explain(done.law.pay, done.month, done.agreed.terms, done.agreed.standing, hours)


def rest_day_pay(done: Workings, _: Line) -> Explanation:
    """Days at the basic rate, by who asked for the work."""
    employer, employee = (
        int(done.inputs.quantity(BASIC, f"rest_day_{who}_days")[0]) for who in ("employer", "employee")
    )
    return rest_days.explain(done.law.pay, done.month, done.agreed.terms, done.agreed.standing, employer, employee)


def public_holiday_pay(done: Workings, _: Line) -> Explanation:
    """Extra days at the basic rate."""
    worked = int(done.inputs.quantity(BASIC, "public_holiday_days")[0])
    return days_at_rate.explain(days_at_rate.Line.PUBLIC_HOLIDAY_PAY, done.agreed.terms, worked)


WRITERS = {
    BASIC: basic_salary,
    "overtime": overtime_pay,
    "rest_day_pay": rest_day_pay,
    "public_holiday_pay": public_holiday_pay,
}
