"""Leave of part-time employees: policies in proportion to their hours, and changes of hours within a leave year."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from functools import lru_cache
from itertools import pairwise

from gaji.engine.leave.accrual import yearly_terms
from gaji.engine.leave.leave_years import LeaveYears
from gaji.engine.leave.movements import LeaveService, Movement, MovementKind
from gaji.engine.leave.policies import AccrualMethod, LeavePolicy, policy_on
from gaji.engine.regular_hours import WorkSchedule, WorkWeek
from gaji.law.columns import date_column
from gaji.law.leave.part_time import FullTimeHours, PartTimeHours
from gaji.law.months import MONTHS_PER_YEAR
from gaji.law.quantities import MILLI, counts

A_DAY = timedelta(days=1)


def part_time_hours(week: WorkWeek, full_time: FullTimeHours, part_time_below: int) -> PartTimeHours | None:
    """The hours of an employee who works fewer hours a week than the limit. None for other employees."""
    if week.week_millihours >= part_time_below * MILLI:
        return None
    return PartTimeHours(week.week_millihours, week.leave_day_millihours, full_time)


@lru_cache(maxsize=10_000)
def prorate_policies(
    policies: tuple[LeavePolicy, ...], schedule: WorkSchedule, part_time_below: int
) -> tuple[LeavePolicy, ...]:
    """The policies of one employee: while the employee works part-time, in proportion to the hours."""
    if all(policy.full_time is None for policy in policies):
        return policies
    starts = {policy.since or date.min for policy in policies} | {since for since, _ in schedule.weeks}
    prorated: list[LeavePolicy] = []
    for start in sorted(starts):
        policy = policy_on(policies, start)
        hours = None
        if policy.full_time is not None:
            hours = part_time_hours(schedule.on(start), policy.full_time, part_time_below)
        candidate = replace(policy, since=None if start == date.min else start, part_time=hours)
        if prorated and policy.since != candidate.since and prorated[-1].part_time == candidate.part_time:
            continue
        prorated.append(candidate)
    return tuple(prorated) if any(policy.part_time for policy in prorated) else policies


def list_hours_changes(policies: tuple[LeavePolicy, ...], service: LeaveService, until: date) -> Iterator[Movement]:
    """List the corrections of leave years within which the hours of the employee change.

    Each month of monthly accrual accrues by the hours on its last day. It needs a correction only if the hours change
    within the waiting time.
    """
    end = min(until, service.last or until)
    for index, (before, after) in enumerate(pairwise(policies)):
        if after.since is None or not service.first < after.since <= end:
            continue
        if before.part_time == after.part_time or not _has_same_rules(before, after):
            continue
        change = _HoursChange(policies, index + 1, service)
        movements = change.movements() if after.accrual is AccrualMethod.YEARLY else change.waited_movements()
        yield from (movement for movement in movements if movement.date <= end and movement.millidays)


def _has_same_rules(policy: LeavePolicy, other: LeavePolicy) -> bool:
    """Whether two policies differ only in the hours of the employee."""
    return replace(policy, since=other.since, part_time=other.part_time) == other


class _HoursChange:
    """A change of hours within a leave year that was granted at once."""

    def __init__(self, policies: tuple[LeavePolicy, ...], index: int, service: LeaveService) -> None:
        self._policies = policies
        self._index = index
        self._before, self._after = policies[index - 1], policies[index]
        self._service = service
        self._day = self._after.since or service.first
        self._years = LeaveYears.of_policy(date_column([service.first]), self._after.leave_year_month)
        self._year = self._month_number(self._day) // MONTHS_PER_YEAR + 1
        self._first_month = (self._year - 1) * MONTHS_PER_YEAR

    def movements(self) -> Iterator[Movement]:
        """The correction on the day of the change, those of later steps, and what ends with the year."""
        granting = policy_on(self._policies, max(self._month_start(self._first_month), self._service.first))
        begins_here = self._month_number(self._day - A_DAY) < self._first_month
        if begins_here or not _has_same_rules(granting, self._after):
            return
        yield self._correction(self._day, self._remaining(self._month_number(self._day)), 1)
        yield from self._steps(granting)
        if self._after.prorate:
            yield from self._ends()

    def waited_movements(self) -> Iterator[Movement]:
        """For monthly accrual, on the last day of the waiting time: the months before the change, by their hours."""
        waiting_end = int(self._years.joined[0]) + self._after.min_service_months
        day = self._month_start(waiting_end) - A_DAY
        if self._after.accrual is not AccrualMethod.MONTHLY or self._month_number(self._day) >= waiting_end:
            return
        if self._is_in_year(day) and self._day <= day:
            since = max(self._before.since or self._service.first, self._service.first)
            months = [max(self._month_number(start) - self._first_month, 0) for start in (since, self._day)]
            low, high = (yearly_terms(self._before, self._years, self._year, month)[1] for month in months)
            yield Movement(day, MovementKind.ACCRUAL, high - low, "Months before the change of working hours")

    def _steps(self, granting: LeavePolicy) -> Iterator[Movement]:
        """Steps of the first year that follow the change. They were granted by the hours at the start of the year."""
        months = self._month_number(self._day) - self._first_month
        available = self._terms(months)[0]
        for month in range(months + 1, MONTHS_PER_YEAR + 1):
            day = self._month_start(self._first_month + month) - A_DAY
            if any(policy.since and policy.since <= day for policy in self._policies[self._index + 1 :]):
                return
            step, available = self._terms(month)[0] - available, self._terms(month)[0]
            if step:
                millidays = self._after.shared_millidays(step) - granting.shared_millidays(step)
                yield Movement(day, MovementKind.ACCRUAL, millidays, self._reason())

    def _ends(self) -> Iterator[Movement]:
        """What the change added for months after the end of the service, or after leave years change."""
        others = [policy for policy in self._policies[self._index :] if not self._has_same_leave_years(policy)]
        last = self._service.last
        if last is not None and (not others or last < (others[0].since or last)):
            if self._is_in_year(last):
                yield self._correction(last, self._remaining(self._month_number(last + A_DAY)), -1)
        elif others and others[0].since is not None and self._is_in_year(others[0].since - A_DAY):
            day = others[0].since
            yield self._correction(day, self._remaining(self._month_number(day)), -1)

    def _has_same_leave_years(self, policy: LeavePolicy) -> bool:
        return policy.leave_year_month == self._after.leave_year_month

    def _is_in_year(self, day: date) -> bool:
        return self._month_number(day) // MONTHS_PER_YEAR + 1 == self._year

    def _remaining(self, month_number: int) -> int:
        """The days of a full-time employee that a change after these months concerns."""
        available, earned = self._terms(min(month_number - self._first_month, MONTHS_PER_YEAR))
        return max(available - earned, 0) if self._after.prorate else available

    def _terms(self, months: int) -> tuple[int, int]:
        return yearly_terms(replace(self._after, part_time=None), self._years, self._year, months)

    def _correction(self, day: date, millidays: int, sign: int) -> Movement:
        difference = self._after.shared_millidays(millidays) - self._before.shared_millidays(millidays)
        return Movement(day, MovementKind.ACCRUAL, sign * difference, self._reason())

    def _reason(self) -> str:
        hours = self._after.part_time
        return (
            f"Working hours change: days of the year × {hours.expression} hours"
            if hours
            else ("Working hours change: full-time")
        )

    def _month_number(self, day: date) -> int:
        return int(self._years.starts.month_number(day)[0])

    def _month_start(self, number: int) -> date:
        start: date = self._years.starts.month_starts(counts([number]))[0].item()
        return start
