"""Export the sets of certificates of a year. A set is frozen when all certificates of the year are released."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from gaji.company.clients.queries import load_employer
from gaji.company.clients.service import require_client
from gaji.core import clock
from gaji.core.errors import Conflict, ErrorCode, Errors, Forbidden, NotFound, ValidationError
from gaji.db.tenancy import Tenant, Transaction
from gaji.documents.certainty import Certainty
from gaji.documents.tax_certificates import file_repository, repository, version_repository
from gaji.documents.tax_certificates.certificate_sets import FIRST_SET, SetRecord, load_records
from gaji.documents.tax_certificates.export_formats import (
    EXPORT_FORMATS,
    FORMATS_BY_EXTENSION,
    ExportFormat,
    ExportHead,
    export_record,
)
from gaji.documents.tax_certificates.file_repository import FilePart

MAX_RECORDS = 2000
"""Records in one file, as in one call of IRAS's interface."""
BACK_YEARS = 4
"""IRAS takes records of this year of assessment and of four before it (AIS-API 2.0, grade A)."""
NAME = re.compile(r"ir8a_(\d{4})_(?:amended_\d{1,4}_)?\d{1,4}\.[a-z]{4}", re.ASCII)
MAX_ECHOED_NAME = 60
UEN_REQUIRED = ErrorCode("uen_required", "is required on the client: the file identifies the employer by it")
T = TypeVar("T")
CERTAINTY = Certainty(None, "Our own layout. IRAS gives its field names to registered vendors only")


@dataclass(frozen=True)
class ExportFile:
    """A file with a part of a set."""

    head: ExportHead
    part: FilePart

    @property
    def format(self) -> ExportFormat:
        """The encoding."""
        return FORMATS_BY_EXTENSION[self.part.extension]

    @property
    def name(self) -> str:
        """The name of the file."""
        amendment = f"amended_{self.head.amendment}_" if self.head.amendment else ""
        return f"ir8a_{self.head.year}_{amendment}{self.head.part}.{self.format.extension}"

    @property
    def certainty(self) -> Certainty:
        """How certain the layout is."""
        return CERTAINTY

    @property
    def errors(self) -> Errors:
        """What prevents the file."""
        return Errors() if self.head.employer.uen else Errors.single("uen", UEN_REQUIRED)

    @property
    def set_number(self) -> int:
        """The number of the set."""
        return self.head.amendment + FIRST_SET

    def to_json(self) -> dict[str, Any]:
        """Return the file as the API returns it."""
        return {
            "name": self.name,
            "year": self.head.year,
            "set": self.set_number,
            "certainty": self.certainty.to_json(),
            "accepted": is_accepted(self.head.year),
            "media_type": self.format.media_type,
            "part": self.head.part,
            "parts": self.head.parts,
            "records": self.part.record_count,
            "errors": self.errors.messages(),
        }


def is_accepted(year: int) -> bool:
    """Return whether IRAS takes records of a year of income now: after the year, and for four years more."""
    current = clock.today().year
    return current - BACK_YEARS <= year + 1 <= current


async def list_files(tenant: Tenant, client_id: int, year: int) -> list[ExportFile]:
    """Return the files of the sets of a year. Raises Conflict if there are certificates but no set yet."""
    async with tenant.snapshot() as tx:
        await require_client(tx, client_id)
        return await _load_files(tx, client_id, year)


async def read_file(tenant: Tenant, client_id: int, name: str) -> tuple[ExportFile, bytes, list[str]]:
    """Return a file, its content and the rules versions of its set.

    Raises Forbidden for callers who may not see identifiers.
    """
    async with tenant.snapshot() as tx:
        await require_client(tx, client_id)
        match = NAME.fullmatch(name)
        files = {file.name: file for file in await _load_files(tx, client_id, int(match[1]))} if match else {}
        if name not in files:
            raise NotFound(f"Client {client_id} has no file {name[:MAX_ECHOED_NAME]!r} of tax certificates")
        if tx.caller.hide_identifiers:
            raise Forbidden("The file contains identifiers, which this API key is not allowed to see")
        file = files[name]
        if file.errors:
            raise ValidationError(file.errors, f"The file {name} cannot be generated: see errors")
        content = await _load_content(tx, client_id, file)
        versions = await version_repository.load_rules_versions(tx, client_id, file.head.year, file.set_number)
    return file, file.format.add_head(file.head, content), versions


async def store_files(tx: Transaction, client_id: int, year: int, number: int) -> None:
    """Encode and store the files of a set that was just recorded."""
    parts = await _encode_set(tx, client_id, year, number)
    await file_repository.insert_files(tx, client_id, year, number, parts)


def divide_records(records: Sequence[T]) -> list[Sequence[T]]:
    """Divide the records of a set into parts of at most `MAX_RECORDS`."""
    return [records[start : start + MAX_RECORDS] for start in range(0, len(records), MAX_RECORDS)]


async def _load_files(tx: Transaction, client_id: int, year: int) -> list[ExportFile]:
    sets = await version_repository.load_sets(tx, client_id, year)
    if not sets:
        await _require_no_certificates(tx, client_id, year)
    employer = await load_employer(tx, client_id)
    stored = await file_repository.load_files(tx, client_id, year)
    parts = {row.number: stored.get(row.number) or await _plan_set(tx, client_id, year, row.number) for row in sets}
    return [
        ExportFile(ExportHead(year, number - FIRST_SET, part.number, _count_parts(set_parts), employer), part)
        for number, set_parts in parts.items()
        for part in set_parts
    ]


def _count_parts(parts: Sequence[FilePart]) -> int:
    return max(part.number for part in parts)


async def _require_no_certificates(tx: Transaction, client_id: int, year: int) -> None:
    if stored := await repository.load_year(tx, client_id, year):
        waiting = sum(not certificate.released for certificate, _ in stored.values())
        raise Conflict(
            f"The certificates of {year} have not been released as a set, and {waiting:,} of {len(stored):,} are not "
            "released at all; release all certificates first"
        )


async def _load_content(tx: Transaction, client_id: int, file: ExportFile) -> bytes:
    """Return the encoded records of a file. Sets that were released before files were stored are encoded now."""
    if file.part.stored_id:
        return await file_repository.load_content(tx, client_id, file.part.stored_id)
    parts = await _encode_set(tx, client_id, file.head.year, file.set_number)
    return next(part.content for part in parts if part.key == file.part.key)


async def _plan_set(tx: Transaction, client_id: int, year: int, number: int) -> list[FilePart]:
    """Return the parts of a set whose files are not stored, without their contents."""
    parts = divide_records(await load_records(tx, client_id, year, number))
    return [
        FilePart(export_format.extension, part_number, len(part))
        for export_format in EXPORT_FORMATS
        for part_number, part in enumerate(parts, 1)
    ]


async def _encode_set(tx: Transaction, client_id: int, year: int, number: int) -> list[FilePart]:
    records = await load_records(tx, client_id, year, number)
    return await asyncio.to_thread(lambda: list(_encode_records(year, records)))


def _encode_records(year: int, records: Sequence[SetRecord]) -> Iterator[FilePart]:
    parts = divide_records([export_record(record) for record in records])
    for export_format in EXPORT_FORMATS:
        for number, part in enumerate(parts, 1):
            yield FilePart(export_format.extension, number, len(part), export_format.encode_records(year, part))
