"""Leave balances of many people at once, computed one leave year after the other."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property

import numpy as np

from gaji.engine.leave.accrual import accrued_millidays, leaver_reduction_millidays
from gaji.engine.leave.leave_years import DateWindow, LeaveYears, PersonIndexes, ServiceStarts, months_of_year
from gaji.engine.leave.policies import LeaveYearSegment, Policies, split_by_leave_year
from gaji.law.columns import Dates, Flags, date_column
from gaji.law.length_of_service import ONE_DAY
from gaji.law.months import MONTHS_PER_YEAR
from gaji.law.quantities import Counts, Millis

NO_LIMIT = 2**40
"""More thousandths of a day than any balance, and far below the limit of 64 bits."""
A_DAY = timedelta(days=1)
NO_EXPIRY = 0


@dataclass(frozen=True)
class ServiceColumns:
    """The service of each person that a balance is computed for."""

    first: Dates
    last: Dates
    """NaT if the service has not ended."""
    counted_from: Dates
    """The take-on day. Without a take-on balance, the first day of service."""


@dataclass(frozen=True)
class BalanceDates:
    """The services of people, and the date of each balance."""

    services: ServiceColumns
    as_of: Dates

    def select(self, people: PersonIndexes) -> "BalanceDates":
        """The services of some people."""
        services = self.services
        selected = ServiceColumns(services.first[people], services.last[people], services.counted_from[people])
        return BalanceDates(selected, self.as_of[people])

    @cached_property
    def in_service(self) -> Flags:
        """Whether the person is in service on the date."""
        in_service: Flags = (self.services.first <= self.as_of) & ~(self.as_of > self.services.last)
        return in_service

    def leave_years(self, month: int | None) -> LeaveYears:
        """The leave years that begin in a month. None: years of service."""
        if month not in self._leave_years:
            self._leave_years[month] = LeaveYears.of_policy(self.services.first, month)
        return self._leave_years[month]

    def window(self, month: int | None) -> DateWindow:
        """The days that count for the balance. People not in service have only their first day."""
        if month not in self._windows:
            until = np.where(self.in_service, self.as_of, self.services.first)
            starts = self.leave_years(month).starts
            self._windows[month] = DateWindow.between(starts, self.services.counted_from, until)
        return self._windows[month]

    @cached_property
    def _leave_years(self) -> dict[int | None, LeaveYears]:
        return {}

    @cached_property
    def _windows(self) -> dict[int | None, DateWindow]:
        return {}


@dataclass(frozen=True)
class LeaveEntries:
    """Recorded entries: leave taken (negative), adjustments and take-on balances."""

    people: PersonIndexes
    dates: Dates
    millidays: Millis

    def select(self, people: PersonIndexes, person_count: int) -> "LeaveEntries":
        """The entries of some people, who are numbered again from 0."""
        numbers = np.full(person_count, -1, dtype=np.intp)
        numbers[people] = np.arange(len(people))
        rows = numbers[self.people] >= 0
        return LeaveEntries(numbers[self.people[rows]], self.dates[rows], self.millidays[rows])


NO_ENTRIES = LeaveEntries(np.zeros(0, dtype=np.intp), date_column([]), np.zeros(0, dtype=np.int64))


@dataclass(frozen=True)
class YearExpiry:
    """The days that expired in one leave year of some people."""

    year: int
    people: PersonIndexes
    expired: Millis
    """On the first day: days carried into the previous year."""
    beyond_limit: Millis
    """On the first day: days left of the previous year beyond the carry-over limit."""
    excess: Millis
    """On the first day: days taken beyond those of the previous year that do not count any more."""
    expired_within: Millis
    """During the year: days carried into it."""
    expiry_months: Counts
    """The months of the year after which carried days expire."""


@dataclass(frozen=True)
class BalanceResult:
    """The balance of each person, and what expired on the way."""

    millidays: Millis
    expiries: Sequence[YearExpiry]
    reduction_millidays: Millis
    """The reduction on the last day of service."""
    closing_millidays: Millis
    """The reduction on the first day of the next segment, because a leave year ended early."""


@dataclass
class _YearEndState:
    """The state of each person at the end of a leave year."""

    balance: Millis
    carried: Millis
    used: Millis
    """The days used in the leave year."""
    expiry_months: Counts


def compute_balances(
    policies: Policies, dates: BalanceDates, entries: LeaveEntries, minimum: Policies | None = None
) -> BalanceResult:
    """Compute the balance of each person on a date. It is zero outside the service.

    Where leave years do not follow the service, the days of each year of service are topped up to the `minimum`.
    """
    segments = split_by_leave_year(policies)
    result = compute_segment(segments[0], segment_dates(segments[0], dates), entries, minimum)
    for segment in segments[1:]:
        if not (reached := _has_reached(segment, dates)).any():
            break
        opening = _opening_entries(segment, dates, result.millidays - result.closing_millidays, reached)
        later = compute_segment(segment, segment_dates(segment, dates), _concatenate(entries, opening), minimum)
        result = replace(
            later,
            millidays=np.where(reached, later.millidays, result.millidays),
            reduction_millidays=np.where(reached, later.reduction_millidays, result.reduction_millidays),
            closing_millidays=np.where(reached, later.closing_millidays, 0),
        )
    return result


def compute_segment(
    segment: LeaveYearSegment, dates: BalanceDates, entries: LeaveEntries, minimum: Policies | None
) -> BalanceResult:
    """Compute the balance of each person on a date within one segment, or on its last day."""
    policies, month = segment.policies, segment.leave_year_month
    person_count, in_service = len(dates.as_of), dates.in_service
    leave_years, window = dates.leave_years(month), dates.window(month)
    if minimum is not None and month is not None:
        entries = _concatenate(entries, minimum_top_ups(policies, minimum, leave_years, dates))
    rows = _counted_rows(leave_years.starts, window, entries, in_service)
    latest_year = np.where(in_service, window.until_month // MONTHS_PER_YEAR + 1, 0)
    state = _YearEndState(*(np.zeros(person_count, dtype=np.int64) for _ in range(4)))
    expiries = []
    for year in range(1, int(latest_year.max(initial=0)) + 1):
        people = np.flatnonzero(latest_year >= year)
        expiries.append(
            _process_year(
                policies, year, people, leave_years.select(people), window.select(people), state, rows.in_year(year)
            )
        )
    last_days = in_service & (dates.as_of == dates.services.last)
    reduction = _reduction(policies, leave_years, window, latest_year, last_days)
    closes = np.zeros_like(last_days)
    if segment.end is not None:
        closes = in_service & ~last_days & (dates.as_of == np.datetime64(segment.end - A_DAY, "D"))
    closing = _reduction(policies, leave_years, window, latest_year, closes)
    return BalanceResult(state.balance - reduction, expiries, reduction, closing)


def segment_dates(segment: LeaveYearSegment, dates: BalanceDates) -> BalanceDates:
    """The part of the dates that belongs to a segment."""
    if segment.start is None and segment.end is None:
        return dates
    services, as_of = dates.services, dates.as_of
    if segment.start is not None:
        counted_from = np.maximum(services.counted_from, np.datetime64(segment.start, "D"))
        services = replace(services, counted_from=counted_from)
    if segment.end is not None:
        as_of = np.minimum(as_of, np.datetime64(segment.end - A_DAY, "D"))
    return BalanceDates(services, np.where(dates.in_service, as_of, dates.as_of))


def minimum_top_ups(
    policies: Policies, minimum: Policies, leave_years: LeaveYears, dates: BalanceDates
) -> LeaveEntries:
    """The days that policies with other leave years lack to the minimum.

    They are due on the last day of each year of service and on the last day of service.
    """
    services, service_years = dates.services, dates.leave_years(None)
    count = len(dates.as_of)
    missing = np.zeros(count, dtype=np.int64)
    people, due_dates, amounts = [], [], []
    last_year = np.where(dates.in_service, service_years.numbers(dates.as_of), 0)
    for year in range(1, int(last_year.max(initial=0)) + 1):
        months = np.full(count, year * MONTHS_PER_YEAR, dtype=np.int64)
        since = np.maximum(service_years.starts.month_starts(months - MONTHS_PER_YEAR), services.counted_from)
        year_end = service_years.starts.month_starts(months) - ONE_DAY
        is_leaving = (dates.as_of == services.last) & (dates.as_of < year_end)
        until = np.where(is_leaving, dates.as_of, year_end)
        due = np.flatnonzero((last_year >= year) & (since <= until) & (until <= dates.as_of))
        missing[due] += _missing(policies, minimum, (leave_years, service_years), year, due, since, until)
        leavers = np.flatnonzero((until == services.last)[due])
        reduced = due[leavers]
        window = DateWindow.between(leave_years.select(reduced).starts, since[reduced], until[reduced])
        years = leave_years.select(reduced).numbers(until[reduced])
        lost = np.zeros(count, dtype=np.int64)
        lost[reduced] = leaver_reduction_millidays(policies, leave_years.select(reduced), years, window)
        top_up = np.maximum(missing[due] + lost[due], 0)
        missing[due] -= top_up
        people.append(due)
        due_dates.append(until[due])
        amounts.append(top_up)
    if not people:
        return NO_ENTRIES
    return LeaveEntries(np.concatenate(people), np.concatenate(due_dates), np.concatenate(amounts))


def _missing(
    policies: Policies,
    minimum: Policies,
    years: tuple[LeaveYears, LeaveYears],
    year: int,
    people: PersonIndexes,
    since: Dates,
    until: Dates,
) -> Millis:
    """The days of the minimum between two days of a year of service, less those of the policies."""
    leave_years, service_years = (column.select(people) for column in years)
    first, last = since[people], until[people]
    served = np.full(len(people), year, dtype=np.int64)
    required = accrued_millidays(minimum, service_years, served, DateWindow.between(service_years.starts, first, last))
    window = DateWindow.between(leave_years.starts, first, last)
    first_year = leave_years.numbers(first)
    granted = accrued_millidays(policies, leave_years, first_year, window)
    granted += accrued_millidays(policies, leave_years, first_year + 1, window)
    missing: Millis = required - granted
    return missing


def _reduction(
    policies: Policies, leave_years: LeaveYears, window: DateWindow, latest_year: Counts, applies: Flags
) -> Millis:
    """The days of a year that ends early beyond the share of its completed months."""
    reduction = np.zeros(len(applies), dtype=np.int64)
    if len(people := np.flatnonzero(applies)):
        reduction[people] = leaver_reduction_millidays(
            policies, leave_years.select(people), latest_year[people], window.select(people)
        )
    return reduction


def _has_reached(segment: LeaveYearSegment, dates: BalanceDates) -> Flags:
    """Whether each person is in service on a date in the segment or after it."""
    reached: Flags = dates.in_service & (dates.as_of >= np.datetime64(segment.start, "D"))
    return reached


def _opening_entries(segment: LeaveYearSegment, dates: BalanceDates, balances: Millis, reached: Flags) -> LeaveEntries:
    """The balances at the end of the previous segment, of employees who were in service during it."""
    start = np.datetime64(segment.start, "D")
    people = np.flatnonzero(reached & (dates.services.counted_from < start))
    return LeaveEntries(people, np.full(len(people), start), balances[people])


def _concatenate(entries: LeaveEntries, others: LeaveEntries) -> LeaveEntries:
    return LeaveEntries(
        np.concatenate([entries.people, others.people]),
        np.concatenate([entries.dates, others.dates]),
        np.concatenate([entries.millidays, others.millidays]),
    )


def _process_year(
    policies: Policies,
    year: int,
    people: PersonIndexes,
    leave_years: LeaveYears,
    window: DateWindow,
    state: _YearEndState,
    rows: "_EntryRows",
) -> YearExpiry:
    """Advance the state of some people by one leave year."""
    first_month = (year - 1) * MONTHS_PER_YEAR
    limit, expiry_months, carries_negative = _carry_over_terms(policies, leave_years.starts, first_month)
    balance = state.balance[people]
    unused = np.maximum(state.carried[people] - state.used[people], 0)
    expired = np.where(state.expiry_months[people] == MONTHS_PER_YEAR, unused, 0)
    balance -= expired
    beyond_limit = np.maximum(balance - limit, 0)
    balance -= beyond_limit
    excess = np.where(carries_negative, 0, np.maximum(-balance, 0))
    balance += excess
    carried = np.maximum(balance, 0)
    state.expiry_months[people] = expiry_months
    net, used, used_early = (sums[people] for sums in rows.sums(len(state.balance), state.expiry_months))
    reached = months_of_year(window.until_month, np.full_like(expiry_months, first_month)) >= expiry_months
    has_expired = (expiry_months != NO_EXPIRY) & (expiry_months < MONTHS_PER_YEAR) & reached
    expired_within = np.where(has_expired, np.maximum(carried - used_early, 0), 0)
    accrued = accrued_millidays(policies, leave_years, np.full_like(expiry_months, year), window)
    state.balance[people] = balance + accrued + net - expired_within
    state.carried[people] = np.where(has_expired, 0, carried)
    state.used[people] = used
    return YearExpiry(year, people, expired, beyond_limit, excess, expired_within, expiry_months)


def _carry_over_terms(policies: Policies, starts: ServiceStarts, first_month: int) -> tuple[Millis, Counts, Flags]:
    """The carry-over limit into a leave year, the months until expiry, and whether negative balances are carried over.

    The policy on the first day of the year decides.
    """
    limit = np.full(len(starts.month), NO_LIMIT, dtype=np.int64)
    expiry_months = np.full(len(starts.month), NO_EXPIRY, dtype=np.int64)
    carries_negative = np.ones(len(starts.month), dtype=np.bool_)
    for policy in policies:
        applies = slice(None) if policy.since is None else starts.month_number(policy.since - A_DAY) < first_month
        limit[applies] = NO_LIMIT if policy.carry_limit_millidays is None else policy.carry_limit_millidays
        expiry_months[applies] = policy.expiry_months or NO_EXPIRY
        carries_negative[applies] = policy.carries_negative
    return limit, expiry_months, carries_negative


@dataclass(frozen=True)
class _EntryRows:
    """Entries within the window, ordered by month of service."""

    people: PersonIndexes
    millidays: Millis
    months: Counts
    """The completed months of service at the start of the day."""

    def in_year(self, year: int) -> "_EntryRows":
        """The entries of one leave year, with months counted from its start."""
        first_month = (year - 1) * MONTHS_PER_YEAR
        start, stop = np.searchsorted(self.months, [first_month, first_month + MONTHS_PER_YEAR])
        return _EntryRows(self.people[start:stop], self.millidays[start:stop], self.months[start:stop] - first_month)

    def sums(self, person_count: int, expiry_months: Counts) -> tuple[Millis, Millis, Millis]:
        """For each person the net total, the days used, and the days used before carried days expire."""
        if not len(self.people):
            return (np.zeros(person_count, dtype=np.int64),) * 3
        used = np.maximum(-self.millidays, 0)
        used_early = np.where(self.months < expiry_months[self.people], used, 0)
        return (
            self._sum_by_person(person_count, self.millidays),
            self._sum_by_person(person_count, used),
            self._sum_by_person(person_count, used_early),
        )

    def _sum_by_person(self, person_count: int, millidays: Millis) -> Millis:
        # bincount adds floats, which are exact for integers of this size.
        return np.bincount(self.people, weights=millidays, minlength=person_count).astype(np.int64)


def _counted_rows(starts: ServiceStarts, window: DateWindow, entries: LeaveEntries, in_service: Flags) -> _EntryRows:
    people = entries.people
    counted = in_service[people] & (window.since[people] <= entries.dates) & (entries.dates <= window.until[people])
    people, dates, millidays = people[counted], entries.dates[counted], entries.millidays[counted]
    months = starts.select(people).month_numbers(dates)
    # Months of a service fit into 16 bits, which NumPy sorts in linear time.
    order = np.argsort(months.astype(np.int16), kind="stable")
    return _EntryRows(people[order], millidays[order], months[order])
