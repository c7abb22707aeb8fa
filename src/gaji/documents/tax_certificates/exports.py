"""Export the sets of certificates of a year. A set is frozen when all certificates of the year are released."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gaji.company.clients.queries import Employer, load_employer
from gaji.company.clients.service import require_client
from gaji.core import clock
from gaji.core.errors import Conflict, ErrorCode, Errors, Forbidden, NotFound, ValidationError
from gaji.db.tenancy import Tenant
from gaji.documents.certainty import Certainty
from gaji.documents.tax_certificates import repository
from gaji.documents.tax_certificates.certificate_sets import FIRST_SET, CertificateSet, load_sets
from gaji.documents.tax_certificates.export_formats import (
    EXPORT_FORMATS,
    ExportFormat,
    ExportPart,
    ExportRecord,
    export_record,
)

MAX_RECORDS = 2000
"""Records in one file, as in one call of IRAS's interface."""
BACK_YEARS = 4
"""IRAS takes records of this year of assessment and of four before it (AIS-API 2.0, grade A)."""
NAME = re.compile(r"ir8a_(\d{4})_(?:amended_\d{1,4}_)?\d{1,4}\.[a-z]{4}", re.ASCII)
MAX_ECHOED_NAME = 60
UEN_REQUIRED = ErrorCode("uen_required", "is required on the client: the file identifies the employer by it")
CERTAINTY = Certainty(None, "Our own layout. IRAS gives its field names to registered vendors only")


@dataclass(frozen=True)
class ExportFile:
    """A file with a part of a set."""

    format: ExportFormat
    part: ExportPart

    @property
    def name(self) -> str:
        """The name of the file."""
        amendment = f"amended_{self.part.amendment}_" if self.part.amendment else ""
        return f"ir8a_{self.part.year}_{amendment}{self.part.part}.{self.format.extension}"

    @property
    def certainty(self) -> Certainty:
        """How certain the layout is."""
        return CERTAINTY

    @property
    def errors(self) -> Errors:
        """What prevents the file."""
        return Errors() if self.part.employer.uen else Errors.single("uen", UEN_REQUIRED)

    @property
    def set_number(self) -> int:
        """The number of the set."""
        return self.part.amendment + FIRST_SET

    def to_json(self) -> dict[str, Any]:
        """Return the file as the API returns it."""
        return {
            "name": self.name,
            "year": self.part.year,
            "set": self.set_number,
            "certainty": self.certainty.to_json(),
            "accepted": is_accepted(self.part.year),
            "media_type": self.format.media_type,
            "part": self.part.part,
            "parts": self.part.parts,
            "records": len(self.part.records),
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
        sets = await load_sets(tx, client_id, year)
        stored = {} if sets else await repository.load_year(tx, client_id, year)
        employer = await load_employer(tx, client_id)
    if stored:
        waiting = sum(not certificate.released for certificate, _ in stored.values())
        raise Conflict(
            f"The certificates of {year} have not been released as a set, and {waiting:,} of {len(stored):,} are not "
            "released at all; release all certificates first"
        )
    return await asyncio.to_thread(
        lambda: [file for certificate_set in sets for file in _build_files(certificate_set, employer)]
    )


def _build_files(certificate_set: CertificateSet, employer: Employer) -> list[ExportFile]:
    records = [export_record(record) for record in certificate_set.records]
    parts = divide_records(certificate_set.year, certificate_set.number - FIRST_SET, employer, records)
    return [ExportFile(export_format, part) for export_format in EXPORT_FORMATS for part in parts]


def divide_records(year: int, amendment: int, employer: Employer, records: Sequence[ExportRecord]) -> list[ExportPart]:
    """Divide the records of a set into parts of at most `MAX_RECORDS`."""
    starts = range(0, len(records), MAX_RECORDS)
    return [
        ExportPart(year, amendment, number, len(starts), employer, records[start : start + MAX_RECORDS])
        for number, start in enumerate(starts, 1)
    ]


async def read_file(tenant: Tenant, client_id: int, name: str) -> tuple[ExportFile, bytes]:
    """Return a file and its content. Raises Forbidden for callers who may not see identifiers."""
    match = NAME.fullmatch(name)
    files = {file.name: file for file in await list_files(tenant, client_id, int(match[1]))} if match else {}
    if name not in files:
        raise NotFound(f"Client {client_id} has no file {name[:MAX_ECHOED_NAME]!r} of tax certificates")
    if tenant.caller.hide_identifiers:
        raise Forbidden("The file contains identifiers, which this API key is not allowed to see")
    file = files[name]
    if file.errors:
        raise ValidationError(file.errors, f"The file {name} cannot be generated: see errors")
    return file, await asyncio.to_thread(file.format.encode, file.part)
