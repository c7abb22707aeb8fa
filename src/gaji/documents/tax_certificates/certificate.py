"""A stored certificate: the employee, the period worked and the figures at the time it was generated."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

import msgspec

from gaji.company.clients.queries import Employer
from gaji.documents.tax_certificates.figures import IncomeFigures
from gaji.engine.payslip_input import ServiceInterval
from gaji.people.employees.tax_identity import EmployeeParticulars

FIRST_YEAR_OF_OMITTED_STARTS = 1969
"""The form asks for the day of commencement if it is in the year of income, or before this year."""


class CertificateContent(msgspec.Struct, frozen=True, omit_defaults=True):
    """The content of a certificate except the identity number, which is stored encrypted.

    It is stored as JSON, so the JSON keys are fixed.
    """

    employer: Employer
    employee: EmployeeParticulars
    worked_from: date
    worked_to: date
    commenced: date | None
    """The start of service, if it is in the year or before 1969."""
    ceased: date | None
    """The end of service, if it is in the year."""
    figures: IncomeFigures
    take_on_cents: dict[str, int] = msgspec.field(name="taken_on")
    """The part of the figures that comes from take-on balances, by item."""
    rules_versions: list[str]
    cleared: list[date] = []
    """The last days of the services whose income of the year was cleared with an IR21 and is not in the figures."""


class TaxCertificate(msgspec.Struct, frozen=True):
    """A stored certificate."""

    client_id: int
    id: int
    employee_id: int
    year: int
    content: CertificateContent
    dirty: bool
    released: bool
    generated_on: date

    @property
    def name(self) -> str:
        """The display name."""
        return f"IR8A {self.year}"

    def to_json(self, dirty: bool) -> dict[str, object]:
        """Return the certificate as the API returns it to employees."""
        return {
            "id": self.id,
            "name": self.name,
            "date": date(self.year, 12, 31),
            "worked_from": self.content.worked_from,
            "worked_to": self.content.worked_to,
            "dirty": dirty,
        }


class IdentifiedContent(NamedTuple):
    """The content of a certificate and the identity number for it."""

    content: CertificateContent
    identifier: str | None


class StoredCertificate(NamedTuple):
    """A stored certificate and its identity number."""

    certificate: TaxCertificate
    identifier: str | None

    @property
    def identified(self) -> IdentifiedContent:
        """What the certificate says."""
        return IdentifiedContent(self.certificate.content, self.identifier)


def worked_period(services: Sequence[ServiceInterval], year: int) -> tuple[date, date]:
    """Return the first and last day of service in a year. Services are in chronological order.

    If an employee has income in a year without service, the last service before that year counts, or else the first
    one after it.

    >>> worked_period([ServiceInterval(date(2024, 2, 1), date(2026, 3, 31)), ServiceInterval(date(2026, 9, 1))], 2026)
    (datetime.date(2026, 1, 1), datetime.date(2026, 12, 31))
    >>> worked_period([ServiceInterval(date(2024, 2, 1), date(2025, 11, 30))], 2026)
    (datetime.date(2024, 2, 1), datetime.date(2025, 11, 30))
    """
    first, last = date(year, 1, 1), date(year, 12, 31)
    in_year = [service for service in services if service.start <= last and _ends_on_or_after(service, first)]
    if in_year:
        end = in_year[-1].end
        return max(first, in_year[0].start), last if end is None else min(last, end)
    earlier = [service for service in services if service.start < first]
    nearest = earlier[-1] if earlier else services[0]
    return nearest.start, nearest.end or nearest.start


def start_and_end_in_year(services: Sequence[ServiceInterval], year: int) -> tuple[date | None, date | None]:
    """Return the last start and the last end of service in a year. The end is None if service continued.

    A start before 1969 is on the certificates of all years of that service.
    """
    starts = [
        service.start
        for service in services
        if service.start.year == year
        or (service.start.year < FIRST_YEAR_OF_OMITTED_STARTS and _ends_on_or_after(service, date(year, 1, 1)))
    ]
    ends = [service.end for service in services if service.end is not None and service.end.year == year]
    continued = any(
        service.start.year <= year and (service.end is None or service.end.year > year) for service in services
    )
    return (starts[-1] if starts else None), (ends[-1] if ends and not continued else None)


def is_current(stored: StoredCertificate | None, generated: IdentifiedContent | None) -> bool:
    """Return whether a stored certificate is the one that would be generated now."""
    return stored is not None and generated is not None and stored.identified == generated


def _ends_on_or_after(service: ServiceInterval, day: date) -> bool:
    return service.end is None or service.end >= day
