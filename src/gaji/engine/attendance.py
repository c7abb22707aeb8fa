"""Attendance: the working days of a pay period, and how many of them each employee was in service."""

from collections.abc import Sequence
from datetime import date

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from gaji.engine.payslip_input import PayPeriod, PayslipInput
from gaji.engine.regular_hours import RegularHours
from gaji.law.columns import Cents, Dates, Flags, any_nonzero, date_column, missing_dates
from gaji.law.holidays import HolidayCalendar
from gaji.law.pay import incomplete_month, work_cycles, working_days
from gaji.law.quantities import MILLI, Millis


class Attendance(Struct, frozen=True):
    """The days in service of each employee in one pay period."""

    holidays: HolidayCalendar
    regular_hours: RegularHours
    interval_people: npt.NDArray[np.intp]
    """The index of the employee that each service interval belongs to."""
    first_days: Dates
    """Of each service interval."""
    last_days: Dates
    working_millidays: Millis
    """The working days of the whole period."""
    served_millidays: Millis
    """The working days in service."""
    complete: Flags
    """Whether the employee was in service on every day of the period."""

    def prorated_cents(self, amounts_cents: Cents, less_millidays: Millis | int = 0) -> Cents:
        """Amounts for a whole period, prorated to the working days in service less some days."""
        in_full = self.complete & (np.asarray(less_millidays) == 0)
        if not any_nonzero(~in_full):
            return amounts_cents
        worked = np.maximum(self.served_millidays - less_millidays, 0)
        part = incomplete_month.pay_cents(
            incomplete_month.one_period_each(amounts_cents, np.minimum(worked, self.working_millidays)),
            self.working_millidays,
        )
        return np.where(in_full, amounts_cents, part)

    def served_millidays_from(self, starts: Dates) -> Millis:
        """The working days in service since each employee's start date."""
        first = np.fmax(self.first_days, starts[self.interval_people])
        weeks = self.regular_hours.weeks[self.interval_people]
        return self._sum_by_employee(working_days.count_between(self.holidays, weeks, first, self.last_days))

    def within(self, start: date, end: date) -> "Attendance":
        """The same attendance, limited to some days of the period."""
        first = np.maximum(self.first_days, np.datetime64(start, "D"))
        last = np.minimum(self.last_days, np.datetime64(end, "D"))
        inside = first <= last
        limited = replace(
            self, interval_people=self.interval_people[inside], first_days=first[inside], last_days=last[inside]
        )
        return replace(limited, served_millidays=limited.served_millidays_from(missing_dates(len(self.complete))))

    def served_calendar_millidays(self) -> Millis:
        """The calendar days in service."""
        return self._sum_by_employee(((self.last_days - self.first_days).astype(np.int64) + 1) * MILLI)

    def regular_millihours(self) -> Millis:
        """The regular hours of the days in service, including public holidays."""
        hours = self.regular_hours.hours[self.interval_people]
        counts = work_cycles.count_cycle_days(self.first_days, self.last_days, hours.shape[1])
        return self._sum_by_employee((counts * hours).sum(axis=1))

    def part_millidays(self, people: npt.NDArray[np.intp], first_days: Dates, last_days: Dates) -> Millis:
        """The working days in service of parts of the period, each of one employee."""
        parts, first, last = self._part_intervals(people, first_days, last_days)
        weeks = self.regular_hours.weeks[people[parts]]
        counts = working_days.count_between(self.holidays, weeks, first, last)
        return np.bincount(parts, weights=counts, minlength=len(people)).astype(np.int64)

    def part_millihours(self, people: npt.NDArray[np.intp], first_days: Dates, last_days: Dates) -> Millis:
        """The regular hours in service of parts of the period, each of one employee."""
        parts, first, last = self._part_intervals(people, first_days, last_days)
        day_hours = self.regular_hours.hours[people[parts]]
        hours = (work_cycles.count_cycle_days(first, last, day_hours.shape[1]) * day_hours).sum(axis=1)
        return np.bincount(parts, weights=hours, minlength=len(people)).astype(np.int64)

    def _part_intervals(
        self, people: npt.NDArray[np.intp], first_days: Dates, last_days: Dates
    ) -> tuple[npt.NDArray[np.intp], Dates, Dates]:
        """The days in service of each part: the index of the part, the first and the last day."""
        begins, ends = (np.searchsorted(self.interval_people, people, side=side) for side in ("left", "right"))
        counts = ends - begins
        parts = np.repeat(np.arange(len(people)), counts)
        intervals = np.arange(len(parts)) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(begins, counts)
        first = np.maximum(self.first_days[intervals], first_days[parts])
        last = np.minimum(self.last_days[intervals], last_days[parts])
        inside = first <= last
        return parts[inside], first[inside], last[inside]

    def _sum_by_employee(self, interval_values: npt.NDArray[np.int64]) -> Millis:
        sums = np.zeros(len(self.complete), dtype=np.int64)
        np.add.at(sums, self.interval_people, interval_values)
        return sums


def build_attendance(
    holidays: HolidayCalendar, period: PayPeriod, payslips: Sequence[PayslipInput], regular: RegularHours
) -> Attendance:
    """Count the working days of a batch."""
    start, end = period.start, period.end
    intervals = [
        (i, max(interval.start, start), min(interval.end or end, end))
        for i, payslip in enumerate(payslips)
        for interval in payslip.service
        if interval.start <= end and (interval.end is None or interval.end >= start)
    ]
    people = np.array([i for i, _, _ in intervals], dtype=np.intp)
    first, last = date_column([day for _, day, _ in intervals]), date_column([day for _, _, day in intervals])
    working = working_days.count_in_period(holidays, start, end, regular.weeks)
    served_days = np.zeros(len(payslips), dtype=np.int64)
    np.add.at(served_days, people, (last - first).astype(np.int64) + 1)
    complete = served_days == (end - start).days + 1
    served = np.where(complete, working, 0)
    # Most employees are in service for the whole period. Only the others need counting.
    incomplete = np.flatnonzero(~complete[people])
    if len(incomplete):
        weeks = regular.weeks[people[incomplete]]
        counts = working_days.count_between(holidays, weeks, first[incomplete], last[incomplete])
        np.add.at(served, people[incomplete], counts)
    return Attendance(holidays, regular, people, first, last, working, served, complete)
