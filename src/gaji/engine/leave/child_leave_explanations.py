"""Explanations of the leave that the law grants a parent: the rule, its source, the parameters and the arithmetic."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from gaji.engine.leave.child_leave import (
    CHILD_END,
    EXTENDED_END,
    INFANT_END,
    TYPES_WITH_MINIMUM,
    TakenLeave,
    YearShare,
    childcare_days_taken,
    clamp_month,
    days_taken_for_child,
    year_entitlements,
    year_share,
)
from gaji.engine.leave.child_leave_types import (
    ADOPTION,
    CHILDCARE,
    EXTENDED_CHILDCARE,
    INFANT_CARE,
    MATERNITY,
    PATERNITY,
    SHARED_PARENTAL,
)
from gaji.engine.leave.children import A_DAY, MAX_WEEK_MILLIDAYS, Parent
from gaji.engine.leave.parental_leave import ParentalGrant, months_before, parental_grants
from gaji.law.explanation import FactExplanation
from gaji.law.leave import LeaveParameters
from gaji.law.leave.explanations import childcare, parental
from gaji.law.leave.part_time import hours_text
from gaji.law.notation import line
from gaji.law.quantities import HALF_DAY, MILLI, format_millis

Explanations = tuple[FactExplanation, ...]


@dataclass(frozen=True)
class StatutoryEntitlement:
    """What the law grants of one leave type, and between which days it can be taken."""

    leave_type: str
    first: date
    last: date
    millidays: int
    explanations: Explanations


def explain_child_leave(
    law: LeaveParameters, parent: Parent, taken: TakenLeave, day: date
) -> Iterator[StatutoryEntitlement]:
    """Explain the entitlements of the calendar year of a day, and those for births and adoptions that day can use."""
    if clamp_month(law, day).last_day >= day >= law.childcare.covered_from.first_day:
        yield from _explain_year(law, parent, taken, day)
    for grant in parental_grants(law, parent):
        if grant.start <= day < grant.end:
            explanations = *_explain_grant(law, parent, grant), _explain_days(parent, grant)
            yield StatutoryEntitlement(grant.leave_type, grant.start, grant.end - A_DAY, grant.millidays, explanations)


def _explain_year(law: LeaveParameters, parent: Parent, taken: TakenLeave, day: date) -> Iterator[StatutoryEntitlement]:
    """Explain childcare, extended childcare and infant care leave of the calendar year, as of a day in it."""
    month, months = clamp_month(law, day), months_before(parent, day)
    days = {
        leave_type: int(column[0])
        for leave_type, column in year_entitlements(law, month, parent, taken, [day], months).items()
    }
    citizens = [child for child in parent.children if child.citizen]
    under_7 = [child for child in parent.children if child.is_aged(day, 0, CHILD_END)]
    year_start = date(day.year, 1, 1)
    explanations: dict[str, Explanations] = {
        CHILDCARE: (
            childcare.explain_days_per_year(
                law,
                month,
                int(months[0]),
                any(child.citizen for child in under_7),
                any(not child.citizen for child in under_7),
            ),
            *(
                childcare.explain_days_left_for_child(
                    law, month, days_taken_for_child(parent.children, taken, child, year_start)
                )
                for child in under_7
            ),
        ),
        EXTENDED_CHILDCARE: (
            childcare.explain_extended_days(
                law,
                month,
                int(months[0]),
                any(child.is_aged(day, CHILD_END, EXTENDED_END) for child in citizens),
                max(days[CHILDCARE], childcare_days_taken(taken, day)),
            ),
        ),
        INFANT_CARE: (
            childcare.explain_infant_care_days(
                law, month, int(months[0]), any(child.is_aged(day, 0, INFANT_END) for child in citizens)
            ),
        ),
    }
    for leave_type, facts in explanations.items():
        share = year_share(law, parent, taken, leave_type, day)
        millidays = share.millidays(days[leave_type])
        first, last = max(year_start, parent.first), date(day.year, 12, 31)
        yield StatutoryEntitlement(leave_type, first, last, millidays, (*facts, *_explain_share(share, days)))


def _explain_share(share: YearShare, days: Mapping[str, int]) -> Iterator[FactExplanation]:
    """Explain the part of a year's days that a part-time employee has."""
    if share.hours is not None:
        yield childcare.explain_part_time_days(
            share.law,
            share.month,
            share.leave_type,
            days[share.leave_type],
            share.hours,
            has_minimum=share.leave_type in TYPES_WITH_MINIMUM,
        )


def _explain_days(parent: Parent, grant: ParentalGrant) -> FactExplanation:
    """Explain the days that the weeks of a grant count."""
    week = parent.week_millidays(grant.event_date)
    working_days, days = hours_text(week), format_millis(grant.millidays)
    inputs = {"weeks": str(grant.weeks), "working days of a week": working_days}
    if grant.child.shared_weeks is not None and grant.leave_type in (MATERNITY, SHARED_PARENTAL):
        inputs["weeks that the couple agreed to share"] = str(grant.child.shared_weeks)
    half_days, maximum = MILLI // HALF_DAY, MAX_WEEK_MILLIDAYS // MILLI
    inputs |= {"half days of a day": str(half_days), "maximum days of a week": str(maximum)}
    expression = f"floor({grant.weeks} × min({working_days}, {maximum}) × {half_days}) ÷ {half_days}"
    return FactExplanation(
        figure=f"{grant.leave_type}_days",
        result=days,
        unit="days",
        inputs=inputs,
        rule="Weeks of leave are counted in working days of the employee's week, at most six, down to half a day.",
        source="Child Development Co-Savings Act 2001",
        branch="by the working days on the date of the birth or adoption",
        parameters=(),
        arithmetic=(line(expression, days),),
    )


def _explain_grant(law: LeaveParameters, parent: Parent, grant: ParentalGrant) -> Explanations:
    child, months = grant.child, int(months_before(parent, grant.event_date)[0])
    if grant.leave_type == ADOPTION:
        return (parental.explain_adoption(law, grant.event_date, child.citizen, months),)
    shared = parental.explain_shared_parental(law, child.birthdate, child.citizen)
    return {
        MATERNITY: parental.explain_maternity(law, child.birthdate, child.citizen, months),
        PATERNITY: parental.explain_paternity(law, child.birthdate, child.citizen, months),
        SHARED_PARENTAL: shared,
    }[grant.leave_type]
