"""A certificate as it is kept: who it is about, when they worked, and the figures, as it all was when it was made."""

from collections.abc import Mapping, Sequence
from datetime import date

import msgspec

from gaji.company.clients.queries import Employer
from gaji.documents.tax_certificates.figures import IncomeFigures
from gaji.engine.payslip_input import ServiceInterval
from gaji.people.employees.tax_identity import EmployeeParticulars


class Content(msgspec.Struct, frozen=True, omit_defaults=True):
    """All that a certificate says but for the identity number, which is kept encrypted."""

    employer: Employer
    employee: EmployeeParticulars
    worked_from: date
    worked_to: date
    commenced: date | None
    """When the service began, if that was in the year."""
    ceased: date | None
    """When it ended, if that was in the year."""
    figures: IncomeFigures
    taken_on: dict[str, int]
    """Of the figures, what was taken on when the company moved in, by item."""
    rules_versions: list[str]


class Stored(msgspec.Struct, frozen=True):
    """A certificate that is kept."""

    client_id: int
    id: int
    employee_id: int
    year: int
    content: Content
    dirty: bool
    released: bool
    generated_on: date

    @property
    def name(self) -> str:
        """What the certificate is called."""
        return f"IR8A {self.year}"

    def element(self, dirty: bool) -> dict[str, object]:
        """The certificate as the API shows it."""
        return {
            "id": self.id,
            "name": self.name,
            "date": date(self.year, 12, 31),
            "worked_from": self.content.worked_from,
            "worked_to": self.content.worked_to,
            "dirty": dirty,
        }


def worked(services: Sequence[ServiceInterval], year: int) -> tuple[date, date]:
    """The first and the last day of service in a year, the services given in the order of time.

    Whoever has income of a year without a day of service in it worked from the start to the end of the last service
    before it, or of the first one after it.

    >>> worked([Stretch(date(2024, 2, 1), date(2026, 3, 31)), Stretch(date(2026, 9, 1))], 2026)
    (datetime.date(2026, 1, 1), datetime.date(2026, 12, 31))
    >>> worked([Stretch(date(2024, 2, 1), date(2025, 11, 30))], 2026)
    (datetime.date(2024, 2, 1), datetime.date(2025, 11, 30))
    """
    first, last = date(year, 1, 1), date(year, 12, 31)
    within = [one for one in services if one.start <= last and (one.end is None or one.end >= first)]
    if within:
        end = within[-1].end
        return max(first, within[0].start), last if end is None else min(last, end)
    before = [one for one in services if one.start < first]
    nearest = before[-1] if before else services[0]
    return nearest.start, nearest.end or nearest.start


def begun_and_ended(services: Sequence[ServiceInterval], year: int) -> tuple[date | None, date | None]:
    """When the last service of a year began and when it ended, as far as it was in that year."""
    begun = [one.start for one in services if one.start.year == year]
    ended = [one.end for one in services if one.end is not None and one.end.year == year]
    still_there = any(one.start.year <= year and (one.end is None or one.end.year > year) for one in services)
    return (begun[-1] if begun else None), (ended[-1] if ended and not still_there else None)


def has_changed(kept: Stored, services: Sequence[ServiceInterval], taken_on: Mapping[str, int]) -> bool:
    """Whether what a certificate goes by has changed since it was made."""
    content = kept.content
    return (
        kept.dirty
        or worked(services, kept.year) != (content.worked_from, content.worked_to)
        or begun_and_ended(services, kept.year) != (content.commenced, content.ceased)
        or dict(taken_on) != content.taken_on
    )
