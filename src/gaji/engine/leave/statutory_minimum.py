"""What the law gives at least: the policies of types that have none of their own, and the check of those that do."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date

import numpy as np

from gaji.engine.leave.policies import AccrualMethod, Policies, LeavePolicy
from gaji.law.leave import LeaveParameters
from gaji.law.months import MONTHS_PER_YEAR
from gaji.law.parameters import History
from gaji.law.quantities import MILLI, Counts, Millis, counts, format_millis
from gaji.law.scale import Scale

GRANTED = LeavePolicy(AccrualMethod.NONE)
WITHOUT_LIMIT = LeavePolicy(AccrualMethod.NONE, allows_negative=True)
TYPES_WITH_MINIMUM = ("annual_leave", "sick_leave", "hospitalisation_leave")
"""The types of which the law says how much there is."""


def statutory_policies(law: LeaveParameters) -> Mapping[str, Policies]:
    """The policies of the types that come with a client: what the law gives, and nothing more."""
    return {
        "annual_leave": _versions(lambda day: _annual(law, day), law.annual, law.annual_min_months),
        "sick_leave": _versions(lambda day: _sick(law.sick.on(day).value.outpatient), law.sick),
        "hospitalisation_leave": _versions(lambda day: _sick(law.sick.on(day).value.with_hospitalisation), law.sick),
        "childcare_leave": (GRANTED,),
        "extended_childcare_leave": (GRANTED,),
        "infant_care_leave": (replace(GRANTED, paid=False),),
        "maternity_leave": (GRANTED,),
        "paternity_leave": (GRANTED,),
        "shared_parental_leave": (GRANTED,),
        "adoption_leave": (GRANTED,),
        "national_service_leave": (WITHOUT_LIMIT,),
        "compassionate_leave": (WITHOUT_LIMIT,),
        "unpaid_leave": (replace(WITHOUT_LIMIT, paid=False),),
    }


def shortfall(law: LeaveParameters, system_type: str | None, policy: LeavePolicy, since: date) -> str | None:
    """Where a policy that holds from a day on gives less than the law; None where it never does."""
    if system_type not in TYPES_WITH_MINIMUM:
        return None
    versions = statutory_policies(law)[system_type]
    in_time = [one for one, later in zip(versions, (*versions[1:], None), strict=True) if _holds_after(later, since)]
    return next((told for one in in_time if (told := _less(policy, one))), None)


def _holds_after(later: LeavePolicy | None, day: date) -> bool:
    return later is None or later.since is None or later.since > day


def _annual(law: LeaveParameters, day: date) -> LeavePolicy:
    """Annual leave of one year is lost when the next has ended (Employment Act 1968, s. 88A)."""
    scale = law.annual.on(day).value
    return LeavePolicy(
        AccrualMethod.MONTHLY,
        Scale(scale.thresholds, tuple(days * MILLI for days in scale.values)),
        min_service_months=law.annual_min_months.on(day).value,
        expiry_months=MONTHS_PER_YEAR,
    )


def _sick(scale: Scale) -> LeavePolicy:
    """So many days in every year of service (Employment Act 1968, s. 89); in the first by its completed months."""
    a_year = int(scale.at(counts([MONTHS_PER_YEAR]))[0]) * MILLI
    steps = Scale(scale.thresholds, tuple(days * MILLI for days in scale.values))
    return LeavePolicy(AccrualMethod.YEARLY, Scale((1,), (a_year,)), first_year=steps, carry_limit_millidays=0, prorate=False)


def _versions(build: Callable[[date], LeavePolicy], *histories: History[object]) -> tuple[LeavePolicy, ...]:
    """The policy at each change of the law; the oldest also before it, because our figures begin later than the law."""
    begin = max(history.values[-1].since for history in histories)
    changes = sorted({value.since for history in histories for value in history.values if value.since >= begin})
    return tuple(replace(build(day), since=None if day == begin else day) for day in changes)


def _less(policy: LeavePolicy, law: LeavePolicy) -> str | None:
    """The first year of service, and in it the first month, in which a policy gives less than the law's."""
    last = max((1, *policy.entitlement.thresholds, *law.entitlement.thresholds))
    of_a_year = [MONTHS_PER_YEAR, *range(MONTHS_PER_YEAR)]
    years = np.repeat(counts(range(1, last + 1)), len(of_a_year))
    months = np.tile(counts(of_a_year), last)
    given, least = (_given(one, years, months) for one in (policy, law))
    short = np.flatnonzero(given < least)
    if not len(short):
        return None
    place = int(short[0])
    year, month = int(years[place]), int(months[place])
    when = "in" if month == MONTHS_PER_YEAR else f"after {month} completed month{'' if month == 1 else 's'} of"
    gives, needs = format_millis(int(given[place])), format_millis(int(least[place]))
    return f"gives {gives} days {when} year {year} of service; the law gives {needs}"


def _given(policy: LeavePolicy, years: Counts, months: Counts) -> Millis:
    """What a policy has given of a year's leave after so many of its months."""
    if policy.accrual is AccrualMethod.YEARLY:
        return policy.granted_millidays(years, months)
    if policy.accrual is AccrualMethod.NONE:
        return np.zeros_like(years)
    served = (years - 1) * MONTHS_PER_YEAR + months
    return np.where(served >= policy.min_service_months, policy.prorated_millidays(years, months), 0)
