"""Unpaid leave of payslips: which days of leave are not paid, and what they come to in working days."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Protocol

import numpy as np

from gaji.core.law_loader import law
from gaji.db.tenancy import Transaction
from gaji.engine.leave.day_length import LeaveDayError
from gaji.engine.leave.unpaid_days import MAX_SEARCH_DAYS, UnpaidDates, unpaid_millidays
from gaji.engine.payslip_input import ServiceInterval
from gaji.law.columns import date_column, flags
from gaji.law.pay.working_days import weeks
from gaji.law.quantities import counts
from gaji.leave.balances.columns import Standing
from gaji.leave.days import repository
from gaji.leave.days.duration import Measure, measure_of

FARTHEST = timedelta(days=MAX_SEARCH_DAYS)
FIVE_DAYS = (2, 2, 2, 2, 2, 0, 0)


class Paying(Protocol):
    """A payslip, as far as unpaid leave goes by it."""

    @property
    def employee_id(self) -> int: ...
    @property
    def start(self) -> date: ...
    @property
    def end(self) -> date: ...
    @property
    def service(self) -> Sequence[ServiceInterval]: ...
    @property
    def paid(self) -> Sequence[ServiceInterval]: ...


async def unpaid_of(tx: Transaction, client_id: int, standing: Standing, slips: Sequence[Paying]) -> dict[int, int]:
    """By place, the thousandths of working days that a payslip does not pay for; of those where there are any."""
    unpaid_types = {one.id: one for one in standing.types if not all(policy.paid for policy in one.policies)}
    # Whoever has a public holiday that is not paid has unpaid leave before it, in the period or earlier.
    if not np.isin(standing.recorded.type_ids, list(unpaid_types)).any():
        return {}
    rows = await repository.hours_of_types(
        tx,
        client_id,
        [slip.employee_id for slip in slips],
        [slip.start - FARTHEST for slip in slips],
        [slip.end + FARTHEST for slip in slips],
        list(unpaid_types),
    )
    by_date: dict[tuple[int, date], list[tuple[int, int, int]]] = defaultdict(list)
    for place, type_id, day, taken, of_day, working in rows:
        slip = slips[place - 1]
        if not unpaid_types[type_id].policy(day).paid and _in(slip.service, day):
            by_date[place - 1, day].append((taken, of_day, working))
    if not by_date:
        return {}
    places = sorted({place for place, _ in by_date})
    measure = await measure_of(tx, client_id, [slips[place].employee_id for place in places])
    found = _millidays(measure, [slips[place] for place in places], places, by_date)
    return dict(zip(places, found, strict=True))


def _millidays(
    measure: Measure,
    slips: Sequence[Paying],
    places: Sequence[int],
    by_date: Mapping[tuple[int, date], Sequence[tuple[int, int, int]]],
) -> list[int]:
    """What the unpaid dates of each payslip come to."""
    row_of = {place: row for row, place in enumerate(places)}
    dates = list(by_date)
    parts = list(by_date.values())
    # Days that another wave pays for count beside a holiday, and nothing themselves.
    own = [_in(slips[row_of[place]].paid, day) for place, day in dates]
    unpaid = UnpaidDates(
        people=np.array([row_of[place] for place, _ in dates], dtype=np.intp),
        dates=date_column([day for _, day in dates]),
        working_millidays=counts(
            [sum(one[2] for one in part) if counted else 0 for part, counted in zip(parts, own, strict=True)]
        ),
        whole=flags([sum(one[0] for one in part) >= part[0][1] > 0 for part in parts]),
    )
    found: list[int] = unpaid_millidays(
        law().holidays,
        weeks([_week(measure, slip) for slip in slips]),
        unpaid,
        date_column([slip.start for slip in slips]),
        date_column([slip.end for slip in slips]),
    ).tolist()
    return found


def _week(measure: Measure, slip: Paying) -> Sequence[int]:
    """The half days of a week; of a month that the law does not cover there is no pay anyway."""
    try:
        return measure.week(slip.employee_id, slip.end).half_days
    except LeaveDayError:
        return FIVE_DAYS


def _in(stretches: Sequence[ServiceInterval], day: date) -> bool:
    return any(one.start <= day and (one.end is None or day <= one.end) for one in stretches)
