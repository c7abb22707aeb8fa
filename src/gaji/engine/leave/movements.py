"""Movements: the entries that make up the leave balance of one employee and leave type, each with a reason."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from functools import lru_cache

import numpy as np

from gaji.engine.leave.accrual import accrued_millidays
from gaji.engine.leave.balances import (
    BalanceDates,
    BalanceResult,
    LeaveEntries,
    ServiceColumns,
    compute_segment,
    minimum_top_ups,
    segment_dates,
)
from gaji.engine.leave.leave_years import DateWindow, LeaveYears, ServiceStarts
from gaji.engine.leave.policies import (
    AccrualMethod,
    LeavePolicy,
    LeaveYearSegment,
    Policies,
    policy_on,
    split_by_leave_year,
)
from gaji.law.columns import Dates, date_at, date_column
from gaji.law.explanation import long_date
from gaji.law.length_of_service import ONE_DAY
from gaji.law.months import MONTHS_PER_YEAR
from gaji.law.quantities import counts, format_millis
from gaji.law.scale import Scale

A_DAY = timedelta(days=1)
TOP_UP_REASON = "Top-up to the legal minimum of the year of service"


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
    policies: Policies,
    service: LeaveService,
    recorded: Sequence[Movement],
    until: date,
    minimum: Policies | None = None,
    *,
    describe: bool = True,
) -> list[Movement]:
    """List all movements of one service up to a day, in chronological order.

    Where leave years do not follow the service, the days of each year of service are topped up to the `minimum`.
    Without `describe`, accruals have no reason. This is ten times as fast.
    """
    if until < service.first:
        return []
    end = until if service.last is None else min(until, service.last)
    counted = [movement for movement in recorded if service.counts_on(movement.date) and movement.date <= end]
    movements, opening = list(counted), 0
    earliest = min(service.counted_days[0], end)
    for segment in split_by_leave_year(policies):
        if segment.end is not None and segment.end <= earliest:
            continue
        if segment.start is not None and end < segment.start:
            break
        part = _SegmentMovements(segment, service, end, minimum, describe)
        movements += part.list(counted, opening)
        opening = part.closing_balance
        result = part.result
    movements += _end_of_service(service, result, until)
    return sorted(movements, key=lambda movement: (movement.date, MOVEMENT_ORDER[movement.kind]))


class _SegmentMovements:
    """The movements of one service in one segment of policies."""

    def __init__(
        self, segment: LeaveYearSegment, service: LeaveService, end: date, minimum: Policies | None, describe: bool
    ) -> None:
        self._segment = segment
        self._service = service
        self._end = end
        self._minimum = minimum
        self._describe = describe
        self._dates = segment_dates(segment, BalanceDates(service.as_columns, date_column([end])))
        self._leave_years = self._dates.leave_years(segment.leave_year_month)
        self.result: BalanceResult
        self.closing_balance = 0

    def list(self, counted: Sequence[Movement], opening: int) -> "list[Movement]":
        """List accruals, top-ups, expiries and the closing of a leave year that ends early."""
        start, last = self._segment.start or self._service.first, date_at(self._dates.as_of) or self._end
        entries = [movement for movement in counted if start <= movement.date <= last]
        if opening:
            entries.append(Movement(start, MovementKind.TAKE_ON, opening, ""))
        self.result = compute_segment(self._segment, self._dates, _entries(entries), self._minimum)
        self.closing_balance = int((self.result.millidays - self.result.closing_millidays)[0])
        return [
            *_accruals(self._segment, self._leave_years, self._counted_from, last, describe=self._describe),
            *self._top_ups(),
            *_expiries(self._segment, self._leave_years, self.result),
            *self._closing(),
        ]

    @property
    def _counted_from(self) -> date:
        return date_at(self._dates.services.counted_from) or self._service.first

    def _top_ups(self) -> Iterator[Movement]:
        if self._minimum is None or self._segment.leave_year_month is None:
            return
        entries = minimum_top_ups(self._segment.policies, self._minimum, self._leave_years, self._dates)
        days: list[date] = entries.dates.astype(object).tolist()
        for day, millidays in zip(days, entries.millidays.tolist(), strict=True):
            if millidays:
                yield Movement(day, MovementKind.ACCRUAL, millidays, TOP_UP_REASON)

    def _closing(self) -> Iterator[Movement]:
        reduction = int(self.result.closing_millidays[0])
        if reduction and self._segment.end is not None and self._segment.end <= self._end:
            reason = "The leave years change: only the completed months of the year count"
            yield Movement(self._segment.end, MovementKind.ACCRUAL, -reduction, reason)


def encashed_millidays(settlement: Settlement, balance_millidays: int) -> int:
    """The days of a balance that are paid out on the last day of service."""
    return max(balance_millidays, 0) if settlement is Settlement.PAID_OUT else 0


def _entries(recorded: Sequence[Movement]) -> LeaveEntries:
    return LeaveEntries(
        np.zeros(len(recorded), dtype=np.intp),
        date_column([movement.date for movement in recorded]),
        counts([movement.millidays for movement in recorded]),
    )


def _accruals(
    segment: LeaveYearSegment, leave_years: LeaveYears, counted_from: date, end: date, *, describe: bool
) -> Iterator[Movement]:
    dates = _accrual_dates(segment.policies, leave_years, end)
    repeated = leave_years.select(np.zeros(len(dates), dtype=np.intp))
    starts, years = repeated.starts, repeated.numbers(dates)
    amounts = accrued_millidays(segment.policies, repeated, years, DateWindow.between(starts, dates, dates))
    amounts[dates < np.datetime64(counted_from, "D")] = 0
    first_months = (years - 1) * MONTHS_PER_YEAR
    year_starts = np.maximum(starts.month_starts(first_months), repeated.first).astype(object)
    joined = np.maximum(repeated.joined - first_months, 0)
    completed_months = np.maximum(starts.month_numbers(dates + ONE_DAY) - first_months - joined, 0)
    days: list[date] = dates.astype(object).tolist()
    for i in np.flatnonzero(amounts).tolist():
        reason = ""
        if describe:
            year = _LeaveYear(year_starts[i], int(years[i]), int(MONTHS_PER_YEAR - joined[i]))
            reason = _accrual_reason(segment.policies, year, days[i], int(completed_months[i]))
        yield Movement(days[i], MovementKind.ACCRUAL, int(amounts[i]), reason)


def _accrual_dates(policies: Policies, leave_years: LeaveYears, end: date) -> Dates:
    """Every day on which leave may accrue."""
    start, first = leave_years.starts, leave_years.first[0]
    month_count = int(start.month_number(end)[0]) + 2
    repeated = start.select(np.zeros(month_count, dtype=np.intp))
    month_starts = repeated.month_starts(np.arange(month_count, dtype=np.int64))
    policy_changes = date_column([policy.since for policy in policies if policy.since is not None])
    dates = np.unique(np.concatenate([leave_years.first, month_starts, month_starts[1:] - ONE_DAY, policy_changes]))
    in_service: Dates = dates[(dates >= first) & (dates <= np.datetime64(end, "D"))]
    return in_service


@dataclass(frozen=True)
class _LeaveYear:
    """The leave year of an accrual."""

    start: date
    number: int
    months: int
    """The months of it that belong to the service."""

    def label(self, policy: LeavePolicy) -> str:
        """How reasons name it."""
        if policy.leave_year_month is None:
            return f"year {self.number} of service"
        return f"the leave year from {long_date(self.start)}"


def _accrual_reason(policies: Policies, year: _LeaveYear, day: date, completed_months: int) -> str:
    policy = policy_on(policies, year.start)
    if policy.accrual is not AccrualMethod.YEARLY:
        policy = policy_on(policies, day)
    entitlement, label = _entitlement_days(policy.entitlement, year.number), year.label(policy)
    hours = "" if policy.part_time is None else f" × {policy.part_time.expression} hours"
    if policy.accrual is AccrualMethod.YEARLY and day == year.start:
        share = "" if year.months == MONTHS_PER_YEAR else f" a year, for {_count_months(year.months)}"
        return f"Entitlement of {label}: {entitlement} days{share}{hours}"
    if policy.accrual is AccrualMethod.YEARLY and day == policy.since:
        return f"Rest of {label} under the policy from {long_date(day)}: {entitlement} days a year{hours}"
    return f"{_count_months(completed_months, 'completed month')} of {label} at {entitlement} days a year{hours}"


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


def _expiries(segment: LeaveYearSegment, leave_years: LeaveYears, result: BalanceResult) -> Iterator[Movement]:
    start = leave_years.starts
    for expiry in result.expiries:
        year, months = expiry.year, int(expiry.expiry_months[0])
        first_month = (year - 1) * MONTHS_PER_YEAR
        last_year, year_before = (_year_label(segment, start, number) for number in (year - 1, year - 2))
        expired = (
            (first_month, expiry.expired, f"Carried over from {year_before} and not taken within a year"),
            (first_month, expiry.beyond_limit, f"Left from {last_year}, above the carry-over limit"),
            (first_month, -expiry.excess, f"Taken beyond the days of {last_year}, which does not reduce later years"),
            (
                first_month + months,
                expiry.expired_within,
                f"Carried over from {last_year} and not taken within {_count_months(months)}",
            ),
        )
        for month, amount, reason in expired:
            if amount[0]:
                yield Movement(_month_start(start, month), MovementKind.EXPIRY, -int(amount[0]), reason)


def _year_label(segment: LeaveYearSegment, start: ServiceStarts, year: int) -> str:
    """How reasons name a leave year that has ended."""
    if segment.leave_year_month is None:
        return f"year {year} of service"
    return f"the leave year until {long_date(_month_start(start, year * MONTHS_PER_YEAR) - A_DAY)}"


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
