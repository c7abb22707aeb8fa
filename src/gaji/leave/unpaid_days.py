"""Unpaid leave and national service leave of payslips, in working days."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from types import MappingProxyType
from typing import NamedTuple, Protocol

import numpy as np

from gaji.core.law_loader import current_law
from gaji.db.tenancy import Transaction
from gaji.engine.leave.day_length import LeaveDayError
from gaji.engine.leave.unpaid_days import MAX_SEARCH_DAYS, UnpaidDates, unpaid_days
from gaji.engine.payslip_input import ServiceInterval
from gaji.law.columns import date_column, flags
from gaji.law.pay.working_days import weeks
from gaji.law.quantities import counts
from gaji.leave.balances.columns import LeaveBalances
from gaji.leave.days import repository
from gaji.leave.days.duration import DayLengths, load_day_lengths
from gaji.leave.types.queries import NATIONAL_SERVICE, LeaveType

MAX_LOOKBACK = timedelta(days=MAX_SEARCH_DAYS)
A_DAY = timedelta(days=1)
FIVE_DAYS = (2, 2, 2, 2, 2, 0, 0)


class PaidSpan(Protocol):
    """The parts of a payslip that unpaid leave depends on."""

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


class LeavePart(NamedTuple):
    """Unpaid leave of one type on a date, in thousandths."""

    taken_millihours: int
    day_millihours: int
    working_millidays: int


class AbsentDays(NamedTuple):
    """The working days of absence on a payslip, in thousandths."""

    total: int = 0
    previous: int | None = None
    """The part in the month before that of the period's end. None if the period has only one month."""
    dates: Mapping[date, int] = MappingProxyType({})
    """The days by date."""


NO_ABSENCE = AbsentDays()
IsAbsence = Callable[[LeaveType, date], bool]
"""Whether leave of a type on a day is an absence of the kind to count."""


def is_unpaid(leave_type: LeaveType, day: date) -> bool:
    """Return whether leave of a type on a day is unpaid."""
    return not leave_type.policy(day).paid


def is_national_service(leave_type: LeaveType, day: date) -> bool:
    """Return whether leave of a type on a day is national service. As unpaid leave it counts as such."""
    return leave_type.system_type == NATIONAL_SERVICE and leave_type.policy(day).paid


async def load_absent_days(
    tx: Transaction, client_id: int, balances: LeaveBalances, payslips: Sequence[PaidSpan], is_absence: IsAbsence
) -> dict[int, AbsentDays]:
    """Return the working days of absence, by index of the payslip."""
    types = {
        leave_type.id: leave_type
        for leave_type in balances.types
        if any(is_absence(leave_type, policy.since or date.min) for policy in leave_type.policies)
    }
    # An unpaid public holiday follows unpaid leave, in the period or before it.
    if not np.isin(balances.recorded.type_ids, list(types)).any():
        return {}
    rows = await repository.load_hours_by_type(
        tx,
        client_id,
        [payslip.employee_id for payslip in payslips],
        [payslip.start - MAX_LOOKBACK for payslip in payslips],
        [payslip.end + MAX_LOOKBACK for payslip in payslips],
        list(types),
    )
    parts_by_date: dict[tuple[int, date], list[LeavePart]] = defaultdict(list)
    for row in rows:
        index, day = row["place"] - 1, row["date"]
        if is_absence(types[row["leave_type_id"]], day) and _covers(payslips[index].service, day):
            part = LeavePart(row["millihours"], row["day_millihours"], row["working_millidays"])
            parts_by_date[index, day].append(part)
    if not parts_by_date:
        return {}
    indexes = sorted({index for index, _ in parts_by_date})
    day_lengths = await load_day_lengths(tx, client_id, [payslips[index].employee_id for index in indexes])
    absent = _absent_days(day_lengths, [payslips[index] for index in indexes], indexes, parts_by_date)
    return dict(zip(indexes, absent, strict=True))


def _absent_days(
    day_lengths: DayLengths,
    payslips: Sequence[PaidSpan],
    indexes: Sequence[int],
    parts_by_date: Mapping[tuple[int, date], Sequence[LeavePart]],
) -> list[AbsentDays]:
    """The working days of absence of each payslip."""
    row_of = {index: row for row, index in enumerate(indexes)}
    dates = list(parts_by_date)
    parts_of_dates = list(parts_by_date.values())
    # Days that another wave pays for make a neighbouring holiday unpaid, but do not count themselves.
    is_paid_here = [_covers(payslips[row_of[index]].paid, day) for index, day in dates]
    unpaid = UnpaidDates(
        people=np.array([row_of[index] for index, _ in dates], dtype=np.intp),
        dates=date_column([day for _, day in dates]),
        working_millidays=counts(
            [
                sum(part.working_millidays for part in parts) if counted else 0
                for parts, counted in zip(parts_of_dates, is_paid_here, strict=True)
            ]
        ),
        is_whole_day=flags(
            [sum(part.taken_millihours for part in parts) >= parts[0].day_millihours > 0 for parts in parts_of_dates]
        ),
    )
    half_days = weeks([half_days_of_week(day_lengths, payslip.employee_id, payslip.end) for payslip in payslips])
    starts, ends = [payslip.start for payslip in payslips], [payslip.end for payslip in payslips]
    month_ends = [end.replace(day=1) - A_DAY for end in ends]
    days = unpaid_days(current_law().holidays, half_days, unpaid, date_column(starts), date_column(ends))
    total, previous = (days.total(len(payslips), date_column(last)).tolist() for last in (ends, month_ends))
    by_date: list[dict[date, int]] = [{} for _ in payslips]
    for row, day, millidays in sorted(
        zip(days.people.tolist(), days.dates.tolist(), days.millidays.tolist(), strict=True)
    ):
        if millidays:
            by_date[row][day] = millidays
    return [
        AbsentDays(days, before if start <= month_end else None, dates)
        for days, before, start, month_end, dates in zip(total, previous, starts, month_ends, by_date, strict=True)
    ]


def half_days_of_week(day_lengths: DayLengths, employee_id: int, day: date) -> Sequence[int]:
    """Return the half days of an employee's working week on a day.

    A month that the law does not cover has no pay, so its week does not matter.
    """
    try:
        return day_lengths.week(employee_id, day).half_days
    except LeaveDayError:
        return FIVE_DAYS


def _covers(intervals: Sequence[ServiceInterval], day: date) -> bool:
    return any(interval.start <= day and (interval.end is None or day <= interval.end) for interval in intervals)
