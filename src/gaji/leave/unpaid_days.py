"""Unpaid leave of payslips, in working days."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple, Protocol

import numpy as np

from gaji.core.law_loader import current_law
from gaji.db.tenancy import Transaction
from gaji.engine.leave.day_length import LeaveDayError
from gaji.engine.leave.unpaid_days import MAX_SEARCH_DAYS, UnpaidDates, unpaid_millidays
from gaji.engine.payslip_input import ServiceInterval
from gaji.law.columns import date_column, flags
from gaji.law.pay.working_days import weeks
from gaji.law.quantities import counts
from gaji.leave.balances.columns import LeaveBalances
from gaji.leave.days import repository
from gaji.leave.days.duration import DayLengths, load_day_lengths

MAX_LOOKBACK = timedelta(days=MAX_SEARCH_DAYS)
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


async def load_unpaid_days(
    tx: Transaction, client_id: int, balances: LeaveBalances, payslips: Sequence[PaidSpan]
) -> dict[int, int]:
    """Return the thousandths of working days that payslips do not pay for, by index of the payslip."""
    unpaid_types = {
        leave_type.id: leave_type
        for leave_type in balances.types
        if not all(policy.paid for policy in leave_type.policies)
    }
    # An unpaid public holiday follows unpaid leave, in the period or before it.
    if not np.isin(balances.recorded.type_ids, list(unpaid_types)).any():
        return {}
    rows = await repository.load_hours_by_type(
        tx,
        client_id,
        [payslip.employee_id for payslip in payslips],
        [payslip.start - MAX_LOOKBACK for payslip in payslips],
        [payslip.end + MAX_LOOKBACK for payslip in payslips],
        list(unpaid_types),
    )
    parts_by_date: dict[tuple[int, date], list[LeavePart]] = defaultdict(list)
    for row in rows:
        index, day = row["place"] - 1, row["date"]
        if not unpaid_types[row["leave_type_id"]].policy(day).paid and _covers(payslips[index].service, day):
            part = LeavePart(row["millihours"], row["day_millihours"], row["working_millidays"])
            parts_by_date[index, day].append(part)
    if not parts_by_date:
        return {}
    indexes = sorted({index for index, _ in parts_by_date})
    day_lengths = await load_day_lengths(tx, client_id, [payslips[index].employee_id for index in indexes])
    millidays = _unpaid_millidays(day_lengths, [payslips[index] for index in indexes], indexes, parts_by_date)
    return dict(zip(indexes, millidays, strict=True))


def _unpaid_millidays(
    day_lengths: DayLengths,
    payslips: Sequence[PaidSpan],
    indexes: Sequence[int],
    parts_by_date: Mapping[tuple[int, date], Sequence[LeavePart]],
) -> list[int]:
    """The unpaid working days of each payslip."""
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
    millidays: list[int] = unpaid_millidays(
        current_law().holidays,
        weeks([_half_days(day_lengths, payslip) for payslip in payslips]),
        unpaid,
        date_column([payslip.start for payslip in payslips]),
        date_column([payslip.end for payslip in payslips]),
    ).tolist()
    return millidays


def _half_days(day_lengths: DayLengths, payslip: PaidSpan) -> Sequence[int]:
    """The half days of a working week. A month that the law does not cover has no pay, so its week does not matter."""
    try:
        return day_lengths.week(payslip.employee_id, payslip.end).half_days
    except LeaveDayError:
        return FIVE_DAYS


def _covers(intervals: Sequence[ServiceInterval], day: date) -> bool:
    return any(interval.start <= day and (interval.end is None or day <= interval.end) for interval in intervals)
