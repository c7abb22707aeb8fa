"""Movements: every step by which the balance of one employee and type of leave came about, with its reason."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

import numpy as np

from gaji.engine.leave.accrual import accrued
from gaji.engine.leave.balances import LeaveEntries, BalanceResult, BalanceDates, ServiceColumns, compute_balances
from gaji.engine.leave.policies import AccrualMethod, Policies, policy_on
from gaji.engine.leave.leave_years import ServiceStarts, DateWindow
from gaji.law.columns import Dates, date_column, date_at
from gaji.law.length_of_service import ONE_DAY
from gaji.law.months import MONTHS_PER_YEAR
from gaji.law.quantities import counts, format_millis

A_DAY = timedelta(days=1)


class MovementKind(StrEnum):
    """What a movement is, in the order in which those of one day happen."""

    END_OF_SERVICE = "end_of_service"
    TAKE_ON = "take_on"
    EXPIRY = "carry_over_expiry"
    ACCRUAL = "accrual"
    ADJUSTMENT = "adjustment"
    TAKEN = "taken"
    ENCASHMENT = "encashment"
    FORFEITURE = "forfeiture"


ORDER = {kind: place for place, kind in enumerate(MovementKind)}


class Settlement(StrEnum):
    """What becomes of a balance above zero on the last day of service."""

    PAID_OUT = "paid out"
    LOST = "lost"
    ENDS = "ends"


@dataclass(frozen=True)
class Movement:
    """One step."""

    date: date
    kind: MovementKind
    millidays: int
    reason: str


@dataclass(frozen=True)
class LeaveService:
    """One service of the employee."""

    first: date
    last: date | None = None
    settlement: Settlement = Settlement.ENDS
    since: date | None = None
    """The take-on day, if something was taken on in this service."""

    @property
    def as_columns(self) -> ServiceColumns:
        """A column of one."""
        return ServiceColumns(date_column([self.first]), date_column([self.last]), date_column([self.since or self.first]))

    def counts_on(self, day: date) -> bool:
        """Whether a day counts: in service, and not before the take-on day."""
        return (self.since or self.first) <= day and (self.last is None or day <= self.last)


def list_movements(policies: Policies, service: LeaveService, recorded: Sequence[Movement], until: date) -> list[Movement]:
    """All movements of one service up to a day, in the order in which they happen."""
    if until < service.first:
        return []
    end = until if service.last is None else min(until, service.last)
    counted = [one for one in recorded if service.counts_on(one.date) and one.date <= end]
    outcome = compute_balances(policies, BalanceDates(service.as_columns, date_column([end])), _entries(counted))
    found = [
        *counted,
        *_accruals(policies, service, end),
        *_expiries(service, outcome),
        *_ending(service, outcome, until),
    ]
    return sorted(found, key=lambda one: (one.date, ORDER[one.kind]))


def encashed_millidays(settlement: Settlement, balance_millidays: int) -> int:
    """What is paid out of a balance on the last day of service."""
    return max(balance_millidays, 0) if settlement is Settlement.PAID_OUT else 0


def _entries(recorded: Sequence[Movement]) -> LeaveEntries:
    return LeaveEntries(
        np.zeros(len(recorded), dtype=np.intp),
        date_column([one.date for one in recorded]),
        counts([one.millidays for one in recorded]),
    )


def _accruals(policies: Policies, service: LeaveService, end: date) -> Iterator[Movement]:
    dates = _accrual_days(policies, service.first, end)
    served = ServiceStarts.since(np.full(len(dates), np.datetime64(service.first, "D")))
    years = served.month_numbers(dates) // MONTHS_PER_YEAR + 1
    amounts = accrued(policies, served, years, DateWindow.between(served, dates, dates))
    amounts[dates < np.datetime64(service.since or service.first, "D")] = 0
    for place in np.flatnonzero(amounts).tolist():
        day = date_at(dates, place) or end
        reason = _why(policies, service.first, int(years[place]), day)
        yield Movement(day, MovementKind.ACCRUAL, int(amounts[place]), reason)


def _accrual_days(policies: Policies, first: date, end: date) -> Dates:
    """Every day on which something may accrue."""
    served = ServiceStarts.since(date_column([first]))
    months = int(served.month_number(end)[0])
    begins = ServiceStarts(*(np.repeat(column, months + 2) for column in (served.month, served.day))).month_starts(
        np.arange(months + 2, dtype=np.int64)
    )
    changes = date_column([one.since for one in policies if one.since is not None])
    found = np.unique(np.concatenate([begins, begins[1:] - ONE_DAY, changes]))
    return found[(found >= np.datetime64(first, "D")) & (found <= np.datetime64(end, "D"))]


def _why(policies: Policies, first: date, year: int, day: date) -> str:
    """The reason of an accrual."""
    served = ServiceStarts.since(date_column([first]))
    begin = _begin(served, (year - 1) * MONTHS_PER_YEAR)
    policy = policy_on(policies, begin)
    if policy.accrual is not AccrualMethod.YEARLY:
        policy = policy_on(policies, day)
    entitled = format_millis(int(policy.entitlement.at(counts([year]))[0]))
    if policy.accrual is AccrualMethod.YEARLY and day == begin:
        return f"Entitlement of year {year} of service: {entitled} days"
    if policy.accrual is AccrualMethod.YEARLY and day == policy.since:
        return f"Rest of year {year} of service by the policy from {day}: {entitled} days a year"
    months = int(served.month_number(day + A_DAY)[0]) - (year - 1) * MONTHS_PER_YEAR
    return f"{_completed(months)} of year {year} of service at {entitled} days a year"


def _begin(served: ServiceStarts, month: int) -> date:
    """The first day of a month of service of one person."""
    begin = date_at(served.month_starts(counts([month])))
    assert begin is not None  # noqa: S101 - there is no service without a first day
    return begin


def _completed(months: int) -> str:
    return f"{months} completed month{'' if months == 1 else 's'}"


def _expiries(service: LeaveService, outcome: BalanceResult) -> Iterator[Movement]:
    served = ServiceStarts.since(date_column([service.first]))
    for turn in outcome.expiries:
        month, months = (turn.year - 1) * MONTHS_PER_YEAR, int(turn.within[0])
        told = (
            (month, turn.expired, f"Carried over from year {turn.year - 2} of service and not taken in a year"),
            (month, turn.beyond_limit, f"Left of year {turn.year - 1} of service beyond what is carried over"),
            (month + months, turn.expired_within, _not_taken_in(turn.year - 1, months)),
        )
        for begins, amount, reason in told:
            if amount[0]:
                yield Movement(_begin(served, begins), MovementKind.EXPIRY, -int(amount[0]), reason)


def _not_taken_in(year: int, months: int) -> str:
    return f"Carried over from year {year} of service and not taken in {months} month{'' if months == 1 else 's'}"


def _ending(service: LeaveService, outcome: BalanceResult, until: date) -> Iterator[Movement]:
    """What happens on the last day of service and on the day after it."""
    last, left, back = service.last, int(outcome.millidays[0]), int(outcome.cut_back[0])
    if last is None or until < last:
        return
    if back:
        yield Movement(last, MovementKind.ACCRUAL, -back, f"Service ended on {last}: only completed months of the year count")
    if left > 0 and service.settlement is Settlement.PAID_OUT:
        yield Movement(last, MovementKind.ENCASHMENT, -left, "Paid out with the last payslip")
    elif left > 0 and service.settlement is Settlement.LOST:
        yield Movement(last, MovementKind.FORFEITURE, -left, "Lost by dismissal for misconduct")
    elif left and until > last:
        what = "taken beyond the balance" if left < 0 else "left"
        reason = f"Service ended on {last}: {format_millis(abs(left))} days {what} end with it"
        yield Movement(last + A_DAY, MovementKind.END_OF_SERVICE, -left, reason)
