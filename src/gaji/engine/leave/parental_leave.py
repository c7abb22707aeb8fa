"""Leave for a birth or an adoption: granted once, and lapsing after twelve months."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from gaji.engine.leave.child_leave_types import ADOPTION, MATERNITY, PATERNITY, SHARED_PARENTAL
from gaji.engine.leave.children import Child, Parent, Relationship, anniversary
from gaji.engine.leave.movements import Movement, MovementKind
from gaji.law.columns import date_column, flags
from gaji.law.explanation import long_date
from gaji.law.leave import LeaveParameters, parental
from gaji.law.length_of_service import completed_months_before
from gaji.law.parameters import History
from gaji.law.quantities import Counts

BEFORE_BIRTH = timedelta(weeks=4)
"""Maternity leave can start this long before the birth."""


@dataclass(frozen=True)
class ParentalGrant:
    """The weeks of leave for one birth or adoption, and the days between which they can be taken."""

    leave_type: str
    child: Child
    event_date: date
    weeks: int
    start: date
    end: date
    """The first day on which they can no longer be taken."""
    millidays: int
    reason: str


def list_parental_grants(
    law: LeaveParameters, parent: Parent, taken: Mapping[str, Sequence[tuple[date, int]]], until: date
) -> dict[str, list[Movement]]:
    """List the grants and lapses of parental leave up to a day, by leave type, in chronological order."""
    by_type: dict[str, list[ParentalGrant]] = {}
    for grant in parental_grants(law, parent):
        if grant.millidays:
            by_type.setdefault(grant.leave_type, []).append(grant)
    return {
        leave_type: sorted(
            (movement for movement in _movements(grants, taken.get(leave_type, ())) if movement.date <= until),
            key=lambda movement: movement.date,
        )
        for leave_type, grants in by_type.items()
    }


def parental_grants(law: LeaveParameters, parent: Parent) -> Iterator[ParentalGrant]:
    """The grants for each birth and adoption during the service. Children born on the same day are one birth."""
    births = _events(parent, Relationship.BIRTH_CHILD)
    adoptions = _events(parent, Relationship.ADOPTED)
    for child in births:
        yield from _birth_grants(law, parent, child)
    for child in adoptions if parent.is_mother else ():
        yield from _adoption_grants(law, parent, child)


def event_date(child: Child) -> date:
    """The date that decides about parental leave: the birth, or the formal intent to adopt."""
    return child.adoption_date or child.birthdate


def months_before(parent: Parent, day: date) -> Counts:
    """The completed months of service before a day."""
    return completed_months_before(date_column([parent.first]), date_column([day]))


def _events(parent: Parent, relationship: Relationship) -> list[Child]:
    """One child for each date of birth or adoption in the service; a citizen if there is one."""
    children: dict[date, Child] = {}
    for child in sorted(parent.children, key=lambda child: not child.citizen):
        day = event_date(child)
        counts_on_day = child.leave_from is None or child.leave_from <= day
        if child.relationship is relationship and parent.serves(day) and counts_on_day and parent.counted_from <= day:
            children.setdefault(day, child)
    return list(children.values())


def _birth_grants(law: LeaveParameters, parent: Parent, child: Child) -> Iterator[ParentalGrant]:
    own_history: History[object] = law.maternity if parent.is_mother else law.paternity
    day = child.birthdate
    if not _is_covered(own_history, day) or not _is_covered(law.shared_parental, day):
        return
    weeks, shared_weeks = birth_weeks(law, parent, child)
    if parent.is_mother:
        start = max(day - BEFORE_BIRTH, parent.counted_from)
        yield _grant(parent, MATERNITY, child, weeks, law.maternity.on(day).source, start)
    else:
        yield _grant(parent, PATERNITY, child, weeks, law.paternity.on(day).source)
    yield _grant(parent, SHARED_PARENTAL, child, shared_weeks, law.shared_parental.on(day).source)


def birth_weeks(law: LeaveParameters, parent: Parent, child: Child) -> tuple[int, int]:
    """The weeks of maternity or paternity leave, and of shared parental leave, for a birth that is covered."""
    dates, citizen, months = (
        date_column([child.birthdate]),
        flags([child.citizen]),
        months_before(parent, child.birthdate),
    )
    if parent.is_mother:
        weeks = int(parental.maternity_weeks(law, dates, citizen, months)[0][0])
    else:
        weeks = int(parental.paternity_weeks(law, dates, citizen, months)[1][0])
    pool, default_share = (int(column[0]) for column in parental.shared_parental_weeks(law, dates, citizen))
    shared = min(default_share if child.shared_weeks is None else child.shared_weeks, pool) if weeks else 0
    if parent.is_mother and parental.shared_from_maternity(law, dates)[0]:
        return max(weeks - shared, 0), 0
    return weeks, shared


def _adoption_grants(law: LeaveParameters, parent: Parent, child: Child) -> Iterator[ParentalGrant]:
    day = event_date(child)
    if _is_covered(law.adoption, day):
        weeks = parental.adoption_weeks(law, date_column([day]), flags([child.citizen]), months_before(parent, day))
        yield _grant(parent, ADOPTION, child, int(weeks[0]), law.adoption.on(day).source)


def _is_covered(history: History[object], day: date) -> bool:
    return bool(parental.is_covered(history, date_column([day]))[0])


def _grant(
    parent: Parent, leave_type: str, child: Child, weeks: int, source: str, start: date | None = None
) -> ParentalGrant:
    day, what = event_date(child), "adopted" if leave_type == ADOPTION else "born"
    return ParentalGrant(
        leave_type,
        child,
        day,
        weeks,
        start or day,
        anniversary(day, 1),
        parent.weeks_millidays(weeks, day) if weeks else 0,
        f"{weeks} weeks for the child {what} on {long_date(day)} ({source})",
    )


def _movements(grants: Sequence[ParentalGrant], taken: Iterable[tuple[date, int]]) -> Iterator[Movement]:
    """The movements of the grants of one type. Leave is taken from the grant that lapses first."""
    ordered = sorted(grants, key=lambda grant: grant.end)
    left = {grant.event_date: grant.millidays for grant in ordered}
    for day, millidays in taken:
        for grant in ordered:
            if grant.start <= day < grant.end:
                used = min(left[grant.event_date], millidays)
                left[grant.event_date] -= used
                millidays -= used
    for grant in ordered:
        yield Movement(grant.start, MovementKind.GRANT, grant.millidays, grant.reason)
        if unused := left[grant.event_date]:
            reason = f"Not taken within twelve months of {long_date(grant.event_date)}"
            yield Movement(grant.end, MovementKind.LAPSE, -unused, reason)
