"""Pay for an incomplete month (Employment Act 1968, s. 20A): monthly pay × days worked ÷ working days of the month.

The result is rounded once to the nearest cent. With more than one rate in a month, each rate applies to its own days
and the sum is rounded once. Unpaid leave deducts the difference it makes to the month's pay.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from gaji.law.columns import Cents
from gaji.law.explanation import Explanation, money, step
from gaji.law.pay.rates import zero_expression
from gaji.law.quantities import MILLI, Millis, format_millis, millis, share_cents
from gaji.law.reasons import ProratedAmount, Reason

ACT = "Employment Act 1968, s. 20A"


@dataclass(frozen=True)
class RatePeriods:
    """Parts of the month, each with its rate. A person may have several or none."""

    people: npt.NDArray[np.intp]
    """The index of the person in the columns of people."""
    monthly_cents: Cents
    worked_millidays: Millis


def one_period_each(monthly_cents: Cents, worked_millidays: Millis) -> RatePeriods:
    """Return one period per person."""
    return RatePeriods(np.arange(len(monthly_cents)), monthly_cents, worked_millidays)


def pay_cents(periods: RatePeriods, working_millidays: Millis) -> Cents:
    """The pay of each person for the days worked, out of the working days of the month.

    Raises ValueError if someone worked more days than the month has.
    """
    worked, earned = np.zeros_like(working_millidays), np.zeros_like(working_millidays)
    np.add.at(worked, periods.people, periods.worked_millidays)
    np.add.at(earned, periods.people, periods.monthly_cents * periods.worked_millidays)
    too_many = worked > working_millidays
    if too_many.any():
        indices = np.flatnonzero(too_many)[:10].tolist()
        raise ValueError(f"more days worked than the month has for the people at index {indices}")
    return share_cents(earned, np.sign(worked), working_millidays)


def explain(figure: str, periods: RatePeriods, working_millidays: int, index: int = 0) -> Explanation:
    """Explain the pay of the person at this index for a month."""
    selected = periods.people == index
    monthly, worked = periods.monthly_cents[selected], periods.worked_millidays[selected]
    parts = list(zip(monthly.tolist(), worked.tolist(), strict=True))
    person = RatePeriods(np.zeros(len(parts), dtype=np.intp), monthly, worked)
    amount = int(pay_cents(person, millis([0]) + working_millidays)[0])
    return Explanation(
        figure=figure,
        amount_cents=amount,
        inputs={
            "monthly rates": ", ".join(money(rate) for rate, _ in parts),
            "days worked": _days_worked([days for _, days in parts]),
            "working days of the month": format_millis(working_millidays),
        },
        rule="Monthly pay × days worked ÷ working days of the month, both including public holidays, "
        "rounded once to the nearest cent.",
        source=ACT,
        branch=_branch(sum(days for _, days in parts), working_millidays, len(parts)),
        parameters=(),
        arithmetic=(step(_pay_expression(parts, working_millidays), amount),),
        reason=_reason(parts, working_millidays),
    )


def _reason(parts: list[tuple[int, int]], working_millidays: int) -> Reason | None:
    """The reason of the pay at one rate. Several rates, or none, have no reason."""
    worked = [part for part in parts if part[1]]
    if len(worked) != 1:
        return None
    [(monthly, days)] = worked
    return ProratedAmount(monthly, Fraction(days, MILLI), Fraction(working_millidays, MILLI))


def _days_worked(period_days: list[int]) -> str:
    """The days at each rate, and their sum if there are several rates."""
    days = " + ".join(format_millis(millidays) for millidays in period_days)
    return f"{days} = {format_millis(sum(period_days))}" if len(period_days) > 1 else days or "0"


def _branch(worked_millidays: int, working_millidays: int, rates: int) -> str:
    if worked_millidays == 0:
        return "no day of the month was worked"
    month = "the month is complete" if worked_millidays == working_millidays else "the month is incomplete"
    return month + ("; each rate applies to its own days" if rates > 1 else "")


def _pay_expression(parts: list[tuple[int, int]], working_millidays: int) -> str:
    worked = [f"{money(monthly)} × {format_millis(days)}" for monthly, days in parts if days]
    if not worked:
        return zero_expression()
    total = worked[0] if len(worked) == 1 else f"({' + '.join(worked)})"
    return f"round_cents({total} ÷ {format_millis(working_millidays)})"
