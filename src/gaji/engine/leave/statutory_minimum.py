"""The statutory minimum of leave: default policies, and the check of a company's policies against them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from gaji.engine.leave.policies import AccrualMethod, LeavePolicy, Policies
from gaji.law.leave import LeaveParameters
from gaji.law.months import MONTHS_PER_YEAR
from gaji.law.parameters import History
from gaji.law.quantities import MILLI, Counts, Millis, counts, format_millis
from gaji.law.scale import Scale

GRANTED_BY_ADJUSTMENT = LeavePolicy(AccrualMethod.NONE)
WITHOUT_LIMIT = LeavePolicy(AccrualMethod.NONE, allows_negative=True)
TYPES_WITH_MINIMUM = ("annual_leave", "sick_leave", "hospitalisation_leave")
"""The types for which the law sets a number of days."""
COUNTED_BY_SERVICE = ("sick_leave", "hospitalisation_leave")
"""The types whose days the law counts by service, so that leave years cannot begin in a month."""


@dataclass(frozen=True)
class PolicyShortfall:
    """A year of service in which a policy grants less than the law."""

    year: int
    months: int
    """The completed months of the year after which it is less; 12 for the whole year."""
    granted_millidays: int
    minimum_millidays: int

    @property
    def is_of_whole_year(self) -> bool:
        """Whether the whole year has too few days, not only some of its months."""
        return self.months == MONTHS_PER_YEAR

    @property
    def params(self) -> dict[str, int | str]:
        """The parameters of a message about it."""
        days, minimum = format_millis(self.granted_millidays), format_millis(self.minimum_millidays)
        months = {} if self.is_of_whole_year else {"months": self.months}
        return {"days": days, "year": self.year, "minimum": minimum, **months}


def statutory_policies(law: LeaveParameters) -> Mapping[str, Policies]:
    """The policies of a client's default leave types, which give exactly the statutory minimum."""
    return {
        "annual_leave": _versions(lambda day: _annual_policy(law, day), law.annual, law.annual_min_months),
        "sick_leave": _versions(lambda day: _sick_policy(law.sick.on(day).value.outpatient), law.sick),
        "hospitalisation_leave": _versions(
            lambda day: _sick_policy(law.sick.on(day).value.with_hospitalisation), law.sick
        ),
        "childcare_leave": (GRANTED_BY_ADJUSTMENT,),
        "extended_childcare_leave": (GRANTED_BY_ADJUSTMENT,),
        "infant_care_leave": (replace(GRANTED_BY_ADJUSTMENT, paid=False),),
        "maternity_leave": (GRANTED_BY_ADJUSTMENT,),
        "paternity_leave": (GRANTED_BY_ADJUSTMENT,),
        "shared_parental_leave": (GRANTED_BY_ADJUSTMENT,),
        "adoption_leave": (GRANTED_BY_ADJUSTMENT,),
        "national_service_leave": (WITHOUT_LIMIT,),
        "compassionate_leave": (WITHOUT_LIMIT,),
        "unpaid_leave": (replace(WITHOUT_LIMIT, paid=False),),
    }


def find_shortfall(
    law: LeaveParameters, system_type: str | None, policy: LeavePolicy, since: date
) -> PolicyShortfall | None:
    """Return where a policy that applies from a given day falls below the legal minimum. None if it never does."""
    if system_type not in TYPES_WITH_MINIMUM:
        return None
    versions = statutory_policies(law)[system_type]
    applicable = [
        version
        for version, next_version in zip(versions, (*versions[1:], None), strict=True)
        if _applies_after(next_version, since)
    ]
    return next((shortfall for version in applicable if (shortfall := _compare(policy, version))), None)


def _applies_after(next_version: LeavePolicy | None, day: date) -> bool:
    return next_version is None or next_version.since is None or next_version.since > day


def _annual_policy(law: LeaveParameters, day: date) -> LeavePolicy:
    """Annual leave of a year is forfeited at the end of the next year (Employment Act 1968, s. 88A)."""
    scale = law.annual.on(day).value
    return LeavePolicy(
        AccrualMethod.MONTHLY,
        _to_millidays(scale),
        min_service_months=law.annual_min_months.on(day).value,
        expiry_months=MONTHS_PER_YEAR,
    )


def _sick_policy(scale: Scale) -> LeavePolicy:
    """A number of days in every year of service (Employment Act 1968, s. 89), by completed months in the first.

    More can be recorded, because someone is ill also beyond the limit. It does not reduce the days of later years.
    """
    full_year = int(scale.at(counts([MONTHS_PER_YEAR]))[0]) * MILLI
    return LeavePolicy(
        AccrualMethod.YEARLY,
        Scale((1,), (full_year,)),
        first_year=_to_millidays(scale),
        carry_limit_millidays=0,
        prorate=False,
        allows_negative=True,
        carries_negative=False,
    )


def _to_millidays(scale: Scale) -> Scale:
    return Scale(scale.thresholds, tuple(days * MILLI for days in scale.values))


def _versions(build: Callable[[date], LeavePolicy], *histories: History[object]) -> tuple[LeavePolicy, ...]:
    """A policy for each change of the law. The oldest also applies before its date: the law is older than our data."""
    first = max(history.values[-1].since for history in histories)
    changes = sorted({value.since for history in histories for value in history.values if value.since >= first})
    return tuple(replace(build(day), since=None if day == first else day) for day in changes)


def _compare(policy: LeavePolicy, statutory: LeavePolicy) -> PolicyShortfall | None:
    """Return the first year and month of service in which a policy falls below the legal minimum."""
    last_year = max((1, *policy.entitlement.thresholds, *statutory.entitlement.thresholds))
    # A shortfall of the whole year is reported before one after some of its months.
    months_in_year = [MONTHS_PER_YEAR, *range(MONTHS_PER_YEAR)]
    years = np.repeat(counts(range(1, last_year + 1)), len(months_in_year))
    months = np.tile(counts(months_in_year), last_year)
    actual, minimum = _given_millidays(policy, years, months), _given_millidays(statutory, years, months)
    below_minimum = np.flatnonzero(actual < minimum)
    if not len(below_minimum):
        return None
    i = int(below_minimum[0])
    return PolicyShortfall(int(years[i]), int(months[i]), int(actual[i]), int(minimum[i]))


def _given_millidays(policy: LeavePolicy, years: Counts, months: Counts) -> Millis:
    """The days of a year's leave that a policy has granted after a number of its months."""
    if policy.accrual is AccrualMethod.YEARLY:
        return policy.granted_millidays(years, months)
    if policy.accrual is AccrualMethod.NONE:
        return np.zeros_like(years)
    served = (years - 1) * MONTHS_PER_YEAR + months
    return np.where(served >= policy.min_service_months, policy.prorated_millidays(years, months), 0)
