"""Pay for an incomplete month (Employment Act 1968, s. 20A): the month's pay × days worked ÷ working days of the month.

Rounded once, on the result, to the nearest cent. Whoever has more than one rate in a month gets each for its own days,
and still one rounding. Unpaid leave takes what it makes the month's pay smaller by.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gaji.law.columns import Cents, cents
from gaji.law.explanation import Explanation, money, step
from gaji.law.notation import line
from gaji.law.pay.rates import zero_expression
from gaji.law.quantities import Millis, format_millis, millis, share_cents

ACT = "Employment Act 1968, s. 20A"


@dataclass(frozen=True)
class RatePeriods:
    """Parts of the month, each with its rate; someone may have several, or none."""

    people: npt.NDArray[np.intp]
    """Whose it is: the place in the columns of people."""
    monthly_cents: Cents
    worked_millidays: Millis


def one_period_each(monthly_cents: Cents, worked_millidays: Millis) -> RatePeriods:
    """One stretch for each person."""
    return RatePeriods(np.arange(len(monthly_cents)), monthly_cents, worked_millidays)


def pay_cents(stretches: RatePeriods, working_millidays: Millis) -> Cents:
    """What each person is paid for the days worked, out of the working days of the month.

    Raises ValueError when someone worked more days than the month has.
    """
    worked, earned = np.zeros_like(working_millidays), np.zeros_like(working_millidays)
    np.add.at(worked, stretches.people, stretches.worked_millidays)
    np.add.at(earned, stretches.people, stretches.monthly_cents * stretches.worked_millidays)
    too_many = worked > working_millidays
    if too_many.any():
        raise ValueError(
            f"more days worked than the month has for the people at {np.flatnonzero(too_many)[:10].tolist()}"
        )
    return share_cents(earned, np.sign(worked), working_millidays)


def unpaid_leave_cents(
    monthly_cents: Cents, worked_millidays: Millis, unpaid_millidays: Millis, working_millidays: Millis
) -> Cents:
    """What unpaid leave takes: the pay of the days worked with it, less that of the days worked without.

    The days worked include the unpaid ones. What is left is thus exactly the pay of the days worked without them.
    """
    before = pay_cents(one_period_each(monthly_cents, worked_millidays), working_millidays)
    return before - pay_cents(one_period_each(monthly_cents, worked_millidays - unpaid_millidays), working_millidays)


def explain(figure: str, stretches: RatePeriods, working_millidays: int, index: int = 0) -> Explanation:
    """How the pay of one person for a month came about."""
    own = stretches.people == index
    parts = list(zip(stretches.monthly_cents[own].tolist(), stretches.worked_millidays[own].tolist(), strict=True))
    alone = RatePeriods(
        np.zeros(len(parts), dtype=np.intp), stretches.monthly_cents[own], stretches.worked_millidays[own]
    )
    amount = int(pay_cents(alone, millis([0]) + working_millidays)[0])
    worked = sum(days for _, days in parts)
    return Explanation(
        figure=figure,
        amount_cents=amount,
        inputs={
            "monthly rates": ", ".join(money(monthly) for monthly, _ in parts),
            "days worked": _days_worked([days for _, days in parts]),
            "working days of the month": format_millis(working_millidays),
        },
        rule="The month's pay × days worked ÷ working days of the month, public holidays included in both, "
        "rounded once to the nearest cent.",
        source=ACT,
        branch=_branch(worked, working_millidays, len(parts)),
        parameters=(),
        arithmetic=(step(_pay_expression(parts, working_millidays), amount),),
    )


def explain_unpaid_leave(
    monthly_cents: int, worked_millidays: int, unpaid_millidays: int, working_millidays: int
) -> Explanation:
    """How the deduction for unpaid leave came about."""
    columns = (
        cents([monthly_cents]),
        *(millis([0]) + days for days in (worked_millidays, unpaid_millidays, working_millidays)),
    )
    amount = int(unpaid_leave_cents(*columns)[0])
    before = int(pay_cents(one_period_each(columns[0], columns[1]), columns[3])[0])
    left = worked_millidays - unpaid_millidays
    return Explanation(
        figure="unpaid_leave",
        amount_cents=amount,
        inputs={
            "monthly rate": money(monthly_cents),
            "days in service": format_millis(worked_millidays),
            "of these, unpaid": format_millis(unpaid_millidays),
            "working days of the month": format_millis(working_millidays),
        },
        rule="Unpaid leave takes what makes the month's pay that of an incomplete month without those days.",
        source=ACT,
        branch="the whole month was in service" if worked_millidays == working_millidays else "part of the month was",
        parameters=(),
        arithmetic=(
            step(_pay_expression([(monthly_cents, worked_millidays)], working_millidays), before),
            line(f"{format_millis(worked_millidays)} − {format_millis(unpaid_millidays)}", format_millis(left)),
            step(_pay_expression([(monthly_cents, left)], working_millidays), before - amount),
            step(f"{money(before)} − {money(before - amount)}", amount),
        ),
    )


def _days_worked(stretches: list[int]) -> str:
    """The days of each rate, and their sum where there are several."""
    days = " + ".join(format_millis(each) for each in stretches)
    return f"{days} = {format_millis(sum(stretches))}" if len(stretches) > 1 else days or "0"


def _branch(worked_millidays: int, working_millidays: int, rates: int) -> str:
    if worked_millidays == 0:
        return "no working day of the month was worked"
    month = "the month is complete" if worked_millidays == working_millidays else "the month is incomplete"
    return month + (", and each rate counts for its own days" if rates > 1 else "")


def _pay_expression(parts: list[tuple[int, int]], working_millidays: int) -> str:
    worked = [f"{money(monthly)} × {format_millis(days)}" for monthly, days in parts if days]
    if not worked:
        return zero_expression()
    total = worked[0] if len(worked) == 1 else f"({' + '.join(worked)})"
    return f"round_cents({total} ÷ {format_millis(working_millidays)})"
