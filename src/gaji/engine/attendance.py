"""Presence: the working days of a pay period, and how many of them each person was in service."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gaji.engine.payslip_input import PayslipInput, PayPeriod
from gaji.engine.regular_hours import RegularHours
from gaji.law.columns import Cents, Dates, Flags, any_nonzero, date_column
from gaji.law.holidays import HolidayCalendar
from gaji.law.pay import incomplete_month, working_days
from gaji.law.quantities import Millis

DAYS_A_WEEK = 7
MONDAY = 4
"""1 January 1970, from which NumPy counts days, was a Thursday: the first Monday was day 4."""


@dataclass(frozen=True)
class Attendance:
    """Who was in service when, in one pay period."""

    holidays: HolidayCalendar
    regular_hours: RegularHours
    interval_people: npt.NDArray[np.intp]
    """Whose each stretch of service is."""
    first_days: Dates
    last_days: Dates
    working_millidays: Millis
    """The working days of the whole period."""
    served_millidays: Millis
    """Those in service."""
    complete: Flags
    """Who was in service on every day of the period."""

    def prorated_cents(self, amounts_cents: Cents, less_millidays: Millis | int = 0) -> Cents:
        """What amounts for a whole period come to for the days in service, less some."""
        whole = self.complete & (np.asarray(less_millidays) == 0)
        if not any_nonzero(~whole):
            return amounts_cents
        worked = np.maximum(self.served_millidays - less_millidays, 0)
        part = incomplete_month.pay_cents(
            incomplete_month.one_period_each(amounts_cents, np.minimum(worked, self.working_millidays)), self.working_millidays
        )
        return np.where(whole, amounts_cents, part)

    def served_millidays_from(self, starts: Dates) -> Millis:
        """The working days in service from a day of each person on."""
        first = np.fmax(self.first_days, starts[self.interval_people])
        return self._summed(
            working_days.count_between(self.holidays, self.regular_hours.weeks[self.interval_people], first, self.last_days)
        )

    def regular_millihours(self) -> Millis:
        """The regular hours of the days in service, those of public holidays included."""
        counts = _weekday_counts(self.first_days, self.last_days)
        return self._summed((counts * self.regular_hours.hours[self.interval_people]).sum(axis=1))

    def _summed(self, of_stretches: npt.NDArray[np.int64]) -> Millis:
        summed = np.zeros(len(self.complete), dtype=np.int64)
        np.add.at(summed, self.interval_people, of_stretches)
        return summed


def build_attendance(holidays: HolidayCalendar, period: PayPeriod, cases: Sequence[PayslipInput], regular: RegularHours) -> Attendance:
    """The presence of a batch."""
    start, end = period.start, period.end
    stretches = [
        (place, max(one.start, start), min(one.end or end, end))
        for place, case in enumerate(cases)
        for one in case.service
        if one.start <= end and (one.end is None or one.end >= start)
    ]
    people = np.array([place for place, _, _ in stretches], dtype=np.intp)
    first, last = date_column([one for _, one, _ in stretches]), date_column([one for _, _, one in stretches])
    working = working_days.count_in_period(holidays, start, end, regular.weeks)
    served_days = np.zeros(len(cases), dtype=np.int64)
    np.add.at(served_days, people, (last - first).astype(np.int64) + 1)
    complete = served_days == (end - start).days + 1
    served = np.where(complete, working, 0)
    # Most people are there all the time, and then there is nothing more to count.
    partly = np.flatnonzero(~complete[people])
    if len(partly):
        weeks = regular.weeks[people[partly]]
        np.add.at(served, people[partly], working_days.count_between(holidays, weeks, first[partly], last[partly]))
    return Attendance(holidays, regular, people, first, last, working, served, complete)


def _weekday_counts(first: Dates, last: Dates) -> npt.NDArray[np.int64]:
    """How many of each weekday, Monday to Sunday, lie from each first to each last day."""
    weekdays = np.arange(DAYS_A_WEEK)[None, :] + MONDAY
    until, before = last.astype(np.int64)[:, None], first.astype(np.int64)[:, None] - 1
    counts: npt.NDArray[np.int64] = (until - weekdays) // DAYS_A_WEEK - (before - weekdays) // DAYS_A_WEEK
    return counts
