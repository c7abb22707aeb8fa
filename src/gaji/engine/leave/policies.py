"""Policies of leave: what a company gives of one type, and from when."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from itertools import pairwise

import numpy as np

from gaji.law.leave.annual import prorated_days
from gaji.law.months import MONTHS_PER_YEAR
from gaji.law.quantities import MILLI, Counts, Millis
from gaji.law.scale import Scale

NOTHING = Scale((), ())


class AccrualMethod(StrEnum):
    """How an entitlement comes."""

    MONTHLY = "monthly"
    YEARLY = "yearly"
    NONE = "none"


@dataclass(frozen=True)
class LeavePolicy:
    """What is given of one type of leave; days are thousandths."""

    accrual: AccrualMethod
    entitlement: Scale = NOTHING
    """By year of service."""
    since: date | None = None
    """From when it holds; from the beginning without it."""
    min_service_months: int = 0
    """Completed months of service before there is any."""
    first_year: Scale | None = None
    """Of yearly accrual: by completed months, what there is in the first year."""
    carry_limit_millidays: int | None = None
    expiry_months: int | None = None
    prorate: bool = True
    allows_negative: bool = False
    paid: bool = True

    def prorated_millidays(self, years: Counts, months: Counts) -> Millis:
        """The part of a year's entitlement that so many of its months stand for."""
        entitled = self.entitlement.at(years)
        if self.prorate:
            return prorated_days(entitled, months) * MILLI
        part: Millis = (2 * entitled * months + MONTHS_PER_YEAR) // (2 * MONTHS_PER_YEAR)
        return part

    def granted_millidays(self, years: Counts, months: Counts) -> Millis:
        """Of yearly accrual, what there is of a year's entitlement after so many of its months."""
        if self.first_year is None:
            in_first = np.where(months >= self.min_service_months, self.entitlement.at(years), 0)
        else:
            in_first = self.first_year.at(months)
        return np.where(years == 1, in_first, self.entitlement.at(years))


Policies = Sequence[LeavePolicy]
"""Those of one type, in the order of their dates; the first holds from the beginning."""


def policies_with_end(policies: Policies) -> Iterator[tuple[LeavePolicy, date | None]]:
    """Each policy with the day on which the next one begins."""
    yield from ((one, following.since) for one, following in pairwise(policies))
    yield policies[-1], None


def policy_on(policies: Policies, day: date) -> LeavePolicy:
    """The policy that holds on a day."""
    return [one for one in policies if one.since is None or one.since <= day][-1]
