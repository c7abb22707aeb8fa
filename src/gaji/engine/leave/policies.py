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


class Accrual(StrEnum):
    """How an entitlement comes."""

    MONTHLY = "monthly"
    YEARLY = "yearly"
    NONE = "none"


@dataclass(frozen=True)
class Policy:
    """What is given of one type of leave; days are thousandths."""

    accrual: Accrual
    entitlement: Scale = NOTHING
    """By year of service."""
    since: date | None = None
    """From when it holds; from the beginning without it."""
    least_months: int = 0
    """Completed months of service before there is any."""
    first_year: Scale | None = None
    """Of yearly accrual: by completed months, what there is in the first year."""
    carry_limit_millidays: int | None = None
    expiry_months: int | None = None
    prorate: bool = True
    below_zero: bool = False
    paid: bool = True

    def part_of_year(self, years: Counts, months: Counts) -> Millis:
        """The part of a year's entitlement that so many of its months stand for."""
        entitled = self.entitlement.at(years)
        if self.prorate:
            return prorated_days(entitled, months) * MILLI
        part: Millis = (2 * entitled * months + MONTHS_PER_YEAR) // (2 * MONTHS_PER_YEAR)
        return part

    def granted(self, years: Counts, months: Counts) -> Millis:
        """Of yearly accrual, what there is of a year's entitlement after so many of its months."""
        if self.first_year is None:
            in_first = np.where(months >= self.least_months, self.entitlement.at(years), 0)
        else:
            in_first = self.first_year.at(months)
        return np.where(years == 1, in_first, self.entitlement.at(years))


Policies = Sequence[Policy]
"""Those of one type, in the order of their dates; the first holds from the beginning."""


def with_ends(policies: Policies) -> Iterator[tuple[Policy, date | None]]:
    """Each policy with the day on which the next one begins."""
    yield from ((one, following.since) for one, following in pairwise(policies))
    yield policies[-1], None


def in_force(policies: Policies, day: date) -> Policy:
    """The policy that holds on a day."""
    return [one for one in policies if one.since is None or one.since <= day][-1]
