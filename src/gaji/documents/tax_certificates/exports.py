"""Export the certificates of a year, once all of them are released."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gaji.company.clients.queries import Employer, load_employer
from gaji.company.clients.service import require_client
from gaji.core.errors import Conflict, Forbidden, NotFound
from gaji.db.tenancy import Tenant
from gaji.documents.tax_certificates import repository
from gaji.documents.tax_certificates.certificate import TaxCertificate
from gaji.documents.tax_certificates.export_formats import (
    EXPORT_FORMATS,
    ExportFormat,
    ExportPart,
    ExportRecord,
    export_record,
)

MAX_RECORDS = 2000
"""Certificates in one file."""
NAME = re.compile(r"ir8a_(\d{4})_(\d{1,4})\.([a-z]{4})", re.ASCII)
MAX_ECHOED_NAME = 60


@dataclass(frozen=True)
class ExportFile:
    """A file with a part of the certificates of a year."""

    format: ExportFormat
    part: ExportPart

    @property
    def name(self) -> str:
        """The name of the file."""
        return f"ir8a_{self.part.year}_{self.part.part}.{self.format.extension}"

    def to_json(self) -> dict[str, Any]:
        """Return the file as the API returns it."""
        return {
            "name": self.name,
            "year": self.part.year,
            "media_type": self.format.media_type,
            "part": self.part.part,
            "parts": self.part.parts,
            "records": len(self.part.records),
        }


async def list_files(tenant: Tenant, client_id: int, year: int) -> list[ExportFile]:
    """Return the files of a year. Raises Conflict while a certificate is not released or out of date."""
    async with tenant.snapshot() as tx:
        await require_client(tx, client_id)
        stored = await repository.load_year(tx, client_id, year)
        employer = await load_employer(tx, client_id)
    waiting = sum(certificate.dirty or not certificate.released for certificate, _ in stored.values())
    if waiting:
        noun = "1 certificate" if waiting == 1 else f"{waiting:,} certificates"
        verb = "is" if waiting == 1 else "are"
        raise Conflict(f"{noun} of {year} {verb} not released or out of date; release all certificates first")
    certificates = [stored[employee_id] for employee_id in sorted(stored)]
    return await asyncio.to_thread(_build_files, year, employer, certificates)


def _build_files(
    year: int, employer: Employer, certificates: Sequence[tuple[TaxCertificate, str | None]]
) -> list[ExportFile]:
    records = [export_record(certificate, identifier) for certificate, identifier in certificates]
    return [
        ExportFile(export_format, part)
        for export_format in EXPORT_FORMATS
        for part in divide_records(year, employer, records)
    ]


def divide_records(year: int, employer: Employer, records: Sequence[ExportRecord]) -> list[ExportPart]:
    """Divide the records of a year into parts of at most `MAX_RECORDS`."""
    starts = range(0, len(records), MAX_RECORDS)
    return [
        ExportPart(year, number, len(starts), employer, records[start : start + MAX_RECORDS])
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
    return file, await asyncio.to_thread(file.format.encode, file.part)
