"""Movements: the entries that make up the leave balance of one employee and leave type, each with a reason."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from functools import lru_cache

import numpy as np

from gaji.engine.leave.accrual import accrued_millidays
from gaji.engine.leave.balances import BalanceDates, BalanceResult, LeaveEntries, ServiceColumns, compute_balances
from gaji.engine.leave.leave_years import DateWindow, ServiceStarts
from gaji.engine.leave.policies import AccrualMethod, Policies, policy_on
from gaji.law.columns import Dates, date_at, date_column
from gaji.law.explanation import long_date
from gaji.law.length_of_service import ONE_DAY
from gaji.law.months import MONTHS_PER_YEAR
from gaji.law.quantities import counts, format_millis
from gaji.law.scale import Scale

A_DAY = timedelta(days=1)


class MovementKind(StrEnum):
    """The kind of a movement, in the order of movements on the same day."""

    END_OF_SERVICE = "end_of_service"
    TAKE_ON = "take_on"
    EXPIRY = "carry_over_expiry"
    LAPSE = "lapse"
    ACCRUAL = "accrual"
    GRANT = "grant"
    ADJUSTMENT = "adjustment"
    TAKEN = "taken"
    ENCASHMENT = "encashment"
    FORFEITURE = "forfeiture"


MOVEMENT_ORDER = {kind: i for i, kind in enumerate(MovementKind)}


class Settlement(StrEnum):
    """What happens to a positive balance on the last day of service."""

    PAID_OUT = "paid out"
    LOST = "lost"
    ENDS = "ends"


@dataclass(frozen=True)
class Movement:
    """A change of a leave balance."""

    date: date
    kind: MovementKind
    millidays: int
    reason: str


@dataclass(frozen=True)
class LeaveService:
    """One service period of the employee."""

    first: date
    last: date | None = None
    settlement: Settlement = Settlement.ENDS
    take_on_date: date | None = None
    """The take-on day, if the service has a take-on balance."""

    @property
    def as_columns(self) -> ServiceColumns:
        """The service as columns of length 1."""
        return ServiceColumns(
            date_column([self.first]), date_column([self.last]), date_column([self.take_on_date or self.first])
        )

    @property
    def counted_days(self) -> tuple[date, date]:
        """The first and the last day on which movements count: in service, and not before the take-on day."""
        return self.take_on_date or self.first, self.last or date.max

    def counts_on(self, day: date) -> bool:
        """Whether movements on a day count."""
        first, last = self.counted_days
        return first <= day <= last


def list_movements(
    policies: Policies, service: LeaveService, recorded: Sequence[Movement], until: date, *, describe: bool = True
) -> list[Movement]:
    """List all movements of one service up to a day, in chronological order.

    Without `describe`, accruals have no reason. This is ten times as fast.
    """
    if until < service.first:
        return []
    end = until if service.last is None else min(until, service.last)
    counted = [movement for movement in recorded if service.counts_on(movement.date) and movement.date <= end]
    result = compute_balances(policies, BalanceDates(service.as_columns, date_column([end])), _entries(counted))
    movements = [
        *counted,
        *_accruals(policies, service, end, describe=describe),
        *_expiries(service, result),
        *_end_of_service(service, result, until),
    ]
    return sorted(movements, key=lambda movement: (movement.date, MOVEMENT_ORDER[movement.kind]))


def encashed_millidays(settlement: Settlement, balance_millidays: int) -> int:
    """The days of a balance that are paid out on the last day of service."""
    return max(balance_millidays, 0) if settlement is Settlement.PAID_OUT else 0


def _entries(recorded: Sequence[Movement]) -> LeaveEntries:
    return LeaveEntries(
        np.zeros(len(recorded), dtype=np.intp),
        date_column([movement.date for movement in recorded]),
        counts([movement.millidays for movement in recorded]),
    )


def _accruals(policies: Policies, service: LeaveService, end: date, *, describe: bool) -> Iterator[Movement]:
    dates = _accrual_dates(policies, service.first, end)
    starts = ServiceStarts.from_dates(np.full(len(dates), np.datetime64(service.first, "D")))
    years = starts.month_numbers(dates) // MONTHS_PER_YEAR + 1
    amounts = accrued_millidays(policies, starts, years, DateWindow.between(starts, dates, dates))
    amounts[dates < np.datetime64(service.take_on_date or service.first, "D")] = 0
    first_months = (years - 1) * MONTHS_PER_YEAR
    year_starts = starts.month_starts(first_months).astype(object)
    completed_months = starts.month_numbers(dates + ONE_DAY) - first_months
    days: list[date] = dates.astype(object).tolist()
    for i in np.flatnonzero(amounts).tolist():
        reason = ""
        if describe:
            reason = _accrual_reason(policies, year_starts[i], int(years[i]), days[i], int(completed_months[i]))
        yield Movement(days[i], MovementKind.ACCRUAL, int(amounts[i]), reason)


def _accrual_dates(policies: Policies, first: date, end: date) -> Dates:
    """Every day on which leave may accrue."""
    start = ServiceStarts.from_dates(date_column([first]))
    month_count = int(start.month_number(end)[0]) + 2
    repeated = ServiceStarts(np.repeat(start.month, month_count), np.repeat(start.day, month_count))
    month_starts = repeated.month_starts(np.arange(month_count, dtype=np.int64))
    policy_changes = date_column([policy.since for policy in policies if policy.since is not None])
    dates = np.unique(np.concatenate([month_starts, month_starts[1:] - ONE_DAY, policy_changes]))
    return dates[(dates >= np.datetime64(first, "D")) & (dates <= np.datetime64(end, "D"))]


def _accrual_reason(policies: Policies, year_start: date, year: int, day: date, completed_months: int) -> str:
    policy = policy_on(policies, year_start)
    if policy.accrual is not AccrualMethod.YEARLY:
        policy = policy_on(policies, day)
    entitlement = _entitlement_days(policy.entitlement, year)
    if policy.accrual is AccrualMethod.YEARLY and day == year_start:
        return f"Entitlement of year {year} of service: {entitlement} days"
    if policy.accrual is AccrualMethod.YEARLY and day == policy.since:
        return f"Rest of year {year} of service under the policy from {long_date(day)}: {entitlement} days a year"
    return (
        f"{_count_months(completed_months, 'completed month')} of year {year} of service at {entitlement} days a year"
    )


@lru_cache(maxsize=10_000)
def _entitlement_days(entitlement: Scale, year: int) -> str:
    return format_millis(int(entitlement.at(counts([year]))[0]))


def _month_start(start: ServiceStarts, month: int) -> date:
    """The first day of a month of service of one person."""
    day = date_at(start.month_starts(counts([month])))
    assert day is not None  # noqa: S101 - every service has a first day
    return day


def _count_months(months: int, noun: str = "month") -> str:
    return f"{months} {noun}{'' if months == 1 else 's'}"


def _expiries(service: LeaveService, result: BalanceResult) -> Iterator[Movement]:
    start = ServiceStarts.from_dates(date_column([service.first]))
    for expiry in result.expiries:
        year, months = expiry.year, int(expiry.expiry_months[0])
        first_month = (year - 1) * MONTHS_PER_YEAR
        expired = (
            (first_month, expiry.expired, f"Carried over from year {year - 2} of service and not taken within a year"),
            (first_month, expiry.beyond_limit, f"Left from year {year - 1} of service, above the carry-over limit"),
            (
                first_month + months,
                expiry.expired_within,
                f"Carried over from year {year - 1} of service and not taken within {_count_months(months)}",
            ),
        )
        for month, amount, reason in expired:
            if amount[0]:
                yield Movement(_month_start(start, month), MovementKind.EXPIRY, -int(amount[0]), reason)


def _end_of_service(service: LeaveService, result: BalanceResult, until: date) -> Iterator[Movement]:
    """The movements on the last day of service and on the next day."""
    last, balance, reduction = service.last, int(result.millidays[0]), int(result.reduction_millidays[0])
    if last is None or until < last:
        return
    ended = f"Service ended on {long_date(last)}"
    if reduction:
        reason = f"{ended}: only the completed months of the year count"
        yield Movement(last, MovementKind.ACCRUAL, -reduction, reason)
    if balance > 0 and service.settlement is Settlement.PAID_OUT:
        yield Movement(last, MovementKind.ENCASHMENT, -balance, "Paid out with the last payslip")
    elif balance > 0 and service.settlement is Settlement.LOST:
        yield Movement(last, MovementKind.FORFEITURE, -balance, "Forfeited on dismissal for misconduct")
    elif balance and until > last:
        what = "taken in advance" if balance < 0 else "not taken"
        reason = f"{ended} with {format_millis(abs(balance))} days {what}"
        yield Movement(last + A_DAY, MovementKind.END_OF_SERVICE, -balance, reason)
