"""The days of leave that the government pays, by claim: one for each birth or adoption, and for each calendar year.

The employer pays the first weeks of maternity and adoption leave of the first and second child, and the first days of
childcare leave in a calendar year. The government pays the rest, up to the entitlement by law.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import groupby

from gaji.engine.leave.child_leave import TakenDays, TakenLeave, clamp_month, year_entitlements, year_share
from gaji.engine.leave.child_leave_types import (
    ADOPTION,
    CHILDCARE,
    EXTENDED_CHILDCARE,
    MATERNITY,
    PATERNITY,
    SHARED_PARENTAL,
)
from gaji.engine.leave.children import Parent, Relationship
from gaji.engine.leave.parental_leave import ParentalGrant, event_date, months_before, parental_grants
from gaji.law.columns import date_column, flags
from gaji.law.explanation import long_date
from gaji.law.government_paid_leave import GovernmentPaidLeaveParameters, claim_by
from gaji.law.leave import LeaveParameters, parental
from gaji.law.length_of_service import completed_months_before
from gaji.law.quantities import MILLI

PARENTAL_TYPES = (MATERNITY, PATERNITY, SHARED_PARENTAL, ADOPTION)
CLAIMABLE_TYPES = (*PARENTAL_TYPES, CHILDCARE, EXTENDED_CHILDCARE)
"""Leave that the government reimburses. Infant care leave is unpaid."""
THIRD = 3


@dataclass(frozen=True)
class LeaveClaim:
    """The days of one claim that the government pays."""

    leave_type: str
    event_date: date | None
    """The birth or the adoption. None for leave of a calendar year."""
    days: TakenDays
    claim_by: date
    reason: str
    has_child: bool = True
    """Whether a child on record gives the leave. If not, nothing can be calculated."""


def list_claims(
    law: LeaveParameters, terms: GovernmentPaidLeaveParameters, parent: Parent, taken: TakenLeave
) -> list[LeaveClaim]:
    """List the claims for the leave that a parent has taken, in the order of types and dates."""
    claims: list[LeaveClaim] = []
    grants = list(_claimable_grants(law, parent))
    for leave_type in PARENTAL_TYPES:
        own_grants = [grant for grant in grants if grant.leave_type == leave_type]
        claims += _parental_claims(terms, parent, leave_type, own_grants, taken.get(leave_type, ()))
    for leave_type in (CHILDCARE, EXTENDED_CHILDCARE):
        for year, days in groupby(taken.get(leave_type, ()), key=lambda entry: entry[0].year):
            claims += _year_claims(law, terms, parent, taken, leave_type, year, list(days))
    return claims


def list_claims_without_children(terms: GovernmentPaidLeaveParameters, taken: TakenLeave) -> list[LeaveClaim]:
    """List the leave of an employee without children on record. Nothing can be calculated for it."""
    return [
        _unknown_claim(terms, leave_type, list(days))
        for leave_type in CLAIMABLE_TYPES
        for _, days in groupby(taken.get(leave_type, ()), key=lambda entry: entry[0].year)
    ]


def _claimable_grants(law: LeaveParameters, parent: Parent) -> Iterator[ParentalGrant]:
    """The grants, with the weeks of paternity leave that depend on the employer's agreement."""
    for grant in parental_grants(law, parent):
        if grant.leave_type != PATERNITY or not grant.weeks:
            yield grant
            continue
        columns = date_column([grant.event_date]), flags([grant.child.citizen]), months_before(parent, grant.event_date)
        weeks = int(parental.paternity_weeks(law, *columns)[0][0])
        yield replace(grant, weeks=weeks, millidays=parent.weeks_millidays(weeks, grant.event_date))


@dataclass
class _GrantUse:
    """How much of a grant has been taken, and the days of it that the government pays."""

    grant: ParentalGrant
    employer_millidays: int
    used: int = 0
    days: list[tuple[date, int]] = field(default_factory=list)

    def take(self, day: date, millidays: int) -> int:
        """Take leave from the grant and return what it does not cover."""
        if not self.grant.start <= day < self.grant.end:
            return millidays
        taken = min(self.grant.millidays - self.used, millidays)
        by_employer = min(max(self.employer_millidays - self.used, 0), taken)
        self.used += taken
        if taken > by_employer and self.grant.child.citizen:
            self.days.append((day, taken - by_employer))
        return millidays - taken


def _parental_claims(
    terms: GovernmentPaidLeaveParameters,
    parent: Parent,
    leave_type: str,
    grants: Sequence[ParentalGrant],
    taken: TakenDays,
) -> Iterator[LeaveClaim]:
    uses = [_grant_use(terms, parent, grant) for grant in sorted(grants, key=lambda grant: grant.end)]
    unknown: list[tuple[date, int]] = []
    for day, millidays in taken:
        left = millidays
        for use in uses:
            left = use.take(day, left)
        if left == millidays and not any(use.grant.start <= day < use.grant.end for use in uses):
            unknown.append((day, millidays))
    for use in uses:
        if use.days:
            yield _parental_claim(terms, parent, use)
    if unknown:
        yield _unknown_claim(terms, leave_type, unknown)


def _grant_use(terms: GovernmentPaidLeaveParameters, parent: Parent, grant: ParentalGrant) -> _GrantUse:
    in_force = terms.terms(grant.leave_type).nearest(grant.event_date).value
    is_third = child_number(parent, grant) >= THIRD
    weeks = in_force.employer_weeks_from_third if is_third else in_force.employer_weeks
    return _GrantUse(grant, parent.weeks_millidays(weeks, grant.event_date))


def child_number(parent: Parent, grant: ParentalGrant) -> int:
    """The number of the child of a grant: one more than the children on record who came before it."""
    earlier = [
        child
        for child in parent.children
        if child.relationship is not Relationship.STEPCHILD and event_date(child) < grant.event_date
    ]
    return len(earlier) + 1


def _parental_claim(terms: GovernmentPaidLeaveParameters, parent: Parent, use: _GrantUse) -> LeaveClaim:
    grant = use.grant
    what = "adopted" if grant.leave_type == ADOPTION else "born"
    reason = f"Child {child_number(parent, grant)} on record, {what} on {long_date(grant.event_date)}"
    week = parent.weeks_millidays(1, grant.event_date)
    if use.employer_millidays and week:
        reason += f"; the employer pays the first {use.employer_millidays // week} weeks"
    return LeaveClaim(grant.leave_type, grant.event_date, use.days, claim_by(terms, use.days[-1][0]), reason)


def _year_claims(
    law: LeaveParameters,
    terms: GovernmentPaidLeaveParameters,
    parent: Parent,
    taken: TakenLeave,
    leave_type: str,
    year: int,
    days: TakenDays,
) -> Iterator[LeaveClaim]:
    """The claim for childcare or extended childcare leave of a calendar year, if the government pays any of it."""
    employer_days = law.childcare_paid_by_employer.nearest(days[0][0]).value if leave_type == CHILDCARE else 0
    used, paid = 0, []
    for day, millidays in days:
        entitled = _entitled_millidays(law, parent, taken, leave_type, day)
        covered = max(min(used + millidays, entitled), used)
        by_government = covered - max(min(covered, employer_days * MILLI), used)
        used += millidays
        if by_government > 0:
            paid.append((day, by_government))
    if paid:
        reason = f"Leave of {year}"
        if employer_days:
            reason += f"; the employer pays the first {employer_days} days"
        yield LeaveClaim(leave_type, None, paid, claim_by(terms, date(year, 12, 31)), reason)


def _entitled_millidays(law: LeaveParameters, parent: Parent, taken: TakenLeave, leave_type: str, day: date) -> int:
    """The days of the calendar year that the law gives on a day, in thousandths."""
    months = completed_months_before(date_column([parent.first]), date_column([day]))
    days = int(year_entitlements(law, clamp_month(law, day), parent, taken, [day], months)[leave_type][0])
    return year_share(law, parent, taken, leave_type, day).millidays(days)


def _unknown_claim(terms: GovernmentPaidLeaveParameters, leave_type: str, days: TakenDays) -> LeaveClaim:
    last_day = days[-1][0] if leave_type in PARENTAL_TYPES else date(days[-1][0].year, 12, 31)
    reason = "No child on record gives this leave, so the claim cannot be calculated"
    return LeaveClaim(leave_type, None, days, claim_by(terms, last_day), reason, has_child=False)
