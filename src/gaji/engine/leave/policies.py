"""Leave policies: a company's entitlement to one type of leave, by date."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from itertools import groupby, pairwise

import numpy as np

from gaji.law.leave.annual import prorated_days
from gaji.law.leave.part_time import FullTimeHours, PartTimeHours
from gaji.law.months import MONTHS_PER_YEAR
from gaji.law.quantities import MILLI, Counts, Millis
from gaji.law.rounding import divide_half_up
from gaji.law.scale import Scale

NO_ENTITLEMENT = Scale((), ())


class AccrualMethod(StrEnum):
    """How an entitlement accrues."""

    MONTHLY = "monthly"
    YEARLY = "yearly"
    NONE = "none"


class HolidayOffChoice(StrEnum):
    """What a policy gives for a public holiday on a day off."""

    NONE = "none"
    DAY_IN_LIEU = "day_in_lieu"
    PAY = "pay"


@dataclass(frozen=True)
class LeavePolicy:
    """The entitlement to one type of leave. The scales are in thousandths of a day."""

    accrual: AccrualMethod
    entitlement: Scale = NO_ENTITLEMENT
    """By year of service."""
    since: date | None = None
    """The first day on which the policy applies. None: from the beginning."""
    min_service_months: int = 0
    """The completed months of service before any leave is available."""
    first_year: Scale | None = None
    """For yearly accrual: the days available in the first year, by completed months."""
    carry_limit_millidays: int | None = None
    expiry_months: int | None = None
    prorate: bool = True
    allows_negative: bool = False
    carries_negative: bool = True
    """Whether a negative balance reduces the days of the next leave year."""
    paid: bool = True
    leave_year_month: int | None = None
    """The month in which leave years begin. None: on the anniversaries of the first day of service."""
    holidays_off: HolidayOffChoice = HolidayOffChoice.NONE
    full_time: FullTimeHours | None = None
    """The hours of a full-time employee. Part-time employees have days in proportion to them. None: as many days."""
    part_time: PartTimeHours | None = None
    """The hours of the part-time employee whose policy this is."""

    @property
    def is_unlimited(self) -> bool:
        """Whether leave is recorded without a limit, so that there is no balance to reduce."""
        return self.allows_negative and self.accrual is AccrualMethod.NONE

    def prorated_millidays(self, years: Counts, months: Counts) -> Millis:
        """The share of a year's entitlement for a number of its months."""
        entitled = self.entitlement.at(years)
        if self.prorate:
            return self._shared(prorated_days(entitled, months) * MILLI)
        return self._shared(divide_half_up(entitled * months, MONTHS_PER_YEAR))

    def entitled_millidays(self, years: Counts) -> Millis:
        """The entitlement of whole years."""
        return self._shared(self.entitlement.at(years))

    def granted_millidays(self, years: Counts, months: Counts) -> Millis:
        """For yearly accrual: the days available of a year's entitlement after a number of its months."""
        if self.first_year is None:
            in_first_year = np.where(months >= self.min_service_months, self.entitlement.at(years), 0)
        else:
            in_first_year = self.first_year.at(months)
        return self._shared(np.where(years == 1, in_first_year, self.entitlement.at(years)))

    def shared_millidays(self, millidays: int) -> int:
        """The days of the employee for the days of a full-time employee."""
        return millidays if self.part_time is None else self.part_time.share_millidays(millidays)

    def _shared(self, millidays: Millis) -> Millis:
        if self.part_time is None:
            return millidays
        share = self.part_time.share
        return divide_half_up(millidays * share.numerator, share.denominator)


Policies = Sequence[LeavePolicy]
"""The policies of one leave type, ordered by date. The first applies from the beginning."""


def policies_with_end(policies: Policies) -> Iterator[tuple[LeavePolicy, date | None]]:
    """Iterate over the policies, each with the first day of the next one."""
    yield from ((policy, next_policy.since) for policy, next_policy in pairwise(policies))
    yield policies[-1], None


@dataclass(frozen=True)
class LeaveYearSegment:
    """Consecutive policies with the same leave years, and the days on which they apply."""

    policies: Policies
    leave_year_month: int | None
    start: date | None
    """None: from the beginning."""
    end: date | None
    """The first day of the next segment."""


def split_by_leave_year(policies: Policies) -> list[LeaveYearSegment]:
    """Divide policies where the leave years change."""
    groups = [list(group) for _, group in groupby(policies, key=lambda policy: policy.leave_year_month)]
    starts = [group[0].since for group in groups]
    return [
        LeaveYearSegment(
            # Before its first policy a later segment grants nothing.
            group if start is None else [LeavePolicy(AccrualMethod.NONE), *group],
            group[0].leave_year_month,
            start,
            end,
        )
        for group, start, end in zip(groups, starts, [*starts[1:], None], strict=True)
    ]


def policy_on(policies: Policies, day: date) -> LeavePolicy:
    """The policy that applies on a day."""
    return [policy for policy in policies if policy.since is None or policy.since <= day][-1]
