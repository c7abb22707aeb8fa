"""Sets of a year: what is reported to the tax authority each time all certificates are released.

The first set has all certificates. Each further one, an amended set, has those that changed since the last set that
reported them: a revised record overwrites the record that was submitted.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from gaji.company.clients.service import require_client
from gaji.core.clock import SINGAPORE
from gaji.core.threads import run_in_thread_if_many
from gaji.db.tenancy import Tenant, Transaction
from gaji.documents.tax_certificates import version_repository
from gaji.documents.tax_certificates.certificate import IdentifiedContent, StoredCertificate
from gaji.documents.tax_certificates.version_repository import SetRow, VersionDraft
from gaji.documents.tax_certificates.versions import (
    CertificateChange,
    CertificateVersion,
    last_reported,
    list_changes,
    without_income,
)

FIRST_SET = 1


class RecordKind(StrEnum):
    """How the tax authority treats a record."""

    ORIGINAL = "original"
    REVISED = "revised"
    """It overwrites the record with the same identity number."""


@dataclass(frozen=True)
class SetRecord:
    """A record of a set: what it reports, and what changed since it was last reported."""

    kind: RecordKind
    version: CertificateVersion
    identified: IdentifiedContent
    """Without income, it takes back what was reported."""
    changes: Sequence[CertificateChange] = ()


@dataclass(frozen=True)
class CertificateSet:
    """A set of a year."""

    year: int
    number: int
    released_at: datetime
    released_by: str | None
    record_count: int
    revisions: Sequence[SetRecord]
    """The records of an amended set, by employee. The first set has too many to list them."""

    @property
    def is_amended(self) -> bool:
        """Whether the set amends earlier ones."""
        return self.number > FIRST_SET

    def to_json(self) -> dict[str, Any]:
        """Return the set as the API returns it."""
        return {
            "number": self.number,
            "year": self.year,
            "amended": self.is_amended,
            "released_at": self.released_at.astimezone(SINGAPORE).isoformat(timespec="microseconds"),
            "released_by": self.released_by,
            "record_count": self.record_count,
            "revisions": [_revision_json(record) for record in self.revisions],
        }


async def record_versions(tx: Transaction, client_id: int, year: int, released: Iterable[StoredCertificate]) -> None:
    """Record what released certificates say, unless their last version says the same."""
    certificates = list(released)
    if not certificates:
        return
    employee_ids = [certificate.employee_id for certificate, _ in certificates]
    versions = await version_repository.load_versions(tx, client_id, year, employee_ids)
    drafts = []
    for stored in certificates:
        before = versions.get(stored.certificate.employee_id, [])
        if not before or before[-1].identified != stored.identified:
            number = before[-1].version + 1 if before else 1
            employee_id, certificate_id = stored.certificate.employee_id, stored.certificate.id
            drafts.append(VersionDraft(employee_id, number, certificate_id, stored.identified))
    await version_repository.insert_versions(tx, client_id, year, drafts)


async def record_set(
    tx: Transaction, client_id: int, year: int, stored: Mapping[int, StoredCertificate]
) -> tuple[int, int] | None:
    """Record the set of the certificates of a year, all released. Returns its number and the number of its records.

    Returns None if nothing changed since the last set.
    """
    sets = await version_repository.load_sets(tx, client_id, year)
    versions = await version_repository.load_versions(tx, client_id, year)
    withdrawn = list(_list_withdrawals(versions, stored))
    if withdrawn:
        await version_repository.insert_versions(tx, client_id, year, withdrawn)
        versions = await version_repository.load_versions(tx, client_id, year)
    members = await run_in_thread_if_many(len(versions), lambda: list(_list_unreported(versions)))
    if sets and not members:
        return None
    number = sets[-1].number + 1 if sets else FIRST_SET
    await version_repository.insert_set(tx, client_id, year, number, members)
    return number, len(members)


async def list_sets(tenant: Tenant, client_id: int, year: int) -> list[CertificateSet]:
    """Return the sets of a year, in order."""
    async with tenant.snapshot() as tx:
        await require_client(tx, client_id)
        return await load_sets(tx, client_id, year)


async def load_sets(tx: Transaction, client_id: int, year: int) -> list[CertificateSet]:
    """Load the sets of a year, in order."""
    rows = await version_repository.load_sets(tx, client_id, year)
    if not rows:
        return []
    amended = await version_repository.list_employees(tx, client_id, year, FIRST_SET + 1)
    versions = await version_repository.load_versions(tx, client_id, year, amended)
    return await run_in_thread_if_many(len(versions), lambda: [_build_set(year, row, versions) for row in rows])


async def load_records(tx: Transaction, client_id: int, year: int, number: int) -> list[SetRecord]:
    """Load the records of a set, by employee."""
    versions = await version_repository.load_versions(tx, client_id, year)
    return await run_in_thread_if_many(len(versions), lambda: _list_set_records(number, versions))


def _list_withdrawals(
    versions: Mapping[int, Sequence[CertificateVersion]], stored: Mapping[int, StoredCertificate]
) -> Iterator[VersionDraft]:
    """Yield the employees who were reported and no longer have a certificate."""
    for employee_id, history in versions.items():
        last = history[-1]
        if employee_id not in stored and last_reported(history) is not None and not last.is_withdrawn:
            yield VersionDraft(employee_id, last.version + 1, last.certificate_id, without_income(last.identified))


def _list_unreported(versions: Mapping[int, Sequence[CertificateVersion]]) -> Iterator[CertificateVersion]:
    """Yield the last version of each employee, if it reports something else than the sets so far."""
    for history in versions.values():
        last, reported = history[-1], last_reported(history)
        if last.set_number is None and (reported is None or list_changes(reported.identified, last.identified)):
            yield last


def _build_set(year: int, row: SetRow, versions: Mapping[int, Sequence[CertificateVersion]]) -> CertificateSet:
    is_first = row.number == FIRST_SET
    revisions = [] if is_first else _list_set_records(row.number, versions)
    count = row.versions if is_first else len(revisions)
    return CertificateSet(year, row.number, row.released_at, row.released_by, count, revisions)


def _list_set_records(number: int, versions: Mapping[int, Sequence[CertificateVersion]]) -> list[SetRecord]:
    return [
        record
        for history in versions.values()
        for version in history
        if version.set_number == number
        for record in _list_records(version, last_reported(history, number))
    ]


def _list_records(version: CertificateVersion, before: CertificateVersion | None) -> list[SetRecord]:
    """Return the records that report a version. After a wrong identity number, the old record is taken back."""
    if before is None:
        return [SetRecord(RecordKind.ORIGINAL, version, version.identified)]
    changes = list_changes(before.identified, version.identified)
    if before.identified.identifier == version.identified.identifier:
        return [SetRecord(RecordKind.REVISED, version, version.identified, changes)]
    taken_back = without_income(before.identified)
    return [
        SetRecord(RecordKind.REVISED, version, taken_back, list_changes(before.identified, taken_back)),
        SetRecord(RecordKind.ORIGINAL, version, version.identified, changes),
    ]


def _revision_json(record: SetRecord) -> dict[str, Any]:
    employee = record.identified.content.employee
    return {
        "record": record.kind,
        "certificate_id": record.version.certificate_id,
        "employee_id": record.version.employee_id,
        "number": employee.number,
        "name": employee.name,
        "changes": [change.to_json() for change in record.changes],
    }
