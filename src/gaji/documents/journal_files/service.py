"""Journal file use cases."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from gaji.core.errors import Errors, NotFound, ValidationError
from gaji.db.tenancy import Tenant
from gaji.documents.file_result import json_amount
from gaji.documents.journal_files.entries import JournalEntry, JournalHeader, list_entries
from gaji.documents.journal_files.formats import FORMATS, JournalFormat
from gaji.documents.journal_files.parts import divide_entries
from gaji.documents.journal_files.rules import find_unmapped
from gaji.payroll.account_mappings import queries as account_mappings
from gaji.payroll.account_mappings.schemas import ExportSettings
from gaji.payroll.accounting.run_journal import load_run_journal
from gaji.payroll.payment_runs.models import PaymentRun, load_run
from gaji.tabular.csv_lines import csv_lines

MEDIA_TYPE = "text/csv"
MAX_ECHOED_NAME = 60


@dataclass(frozen=True)
class JournalFile:
    """A file of a run's journal, or the errors that prevent it."""

    name: str
    format: JournalFormat
    header: JournalHeader
    entries: Sequence[JournalEntry]
    part: int
    parts: int
    errors: Errors
    data: bytes | None

    @property
    def rules_versions(self) -> Sequence[str]:
        """The rules versions of the run's payslips."""
        return self.header.rules_versions

    @property
    def file_name(self) -> str:
        """The name of the downloaded file."""
        stem, _, extension = self.name.rpartition(".")
        return f"{stem}_{self.header.run_id}.{extension}"

    @property
    def total_cents(self) -> int:
        """The total of the debits, which is that of the credits."""
        return sum(entry.debit_cents for entry in self.entries)

    def to_json(self) -> dict[str, Any]:
        """Return the file as the API returns it."""
        return {
            "name": self.name,
            "program": self.format.program,
            "description": self.format.description,
            "certainty": self.format.certainty.to_json(),
            "date": str(self.header.day),
            "narration": self.header.narration,
            "part": self.part,
            "parts": self.parts,
            "lines": len(self.entries),
            "file_name": self.file_name,
            "media_type": MEDIA_TYPE,
            "total": json_amount(self.total_cents),
            "bytes": None if self.data is None else len(self.data),
            "sha256": None if self.data is None else sha256(self.data).hexdigest(),
            "errors": self.errors.messages(),
        }


async def list_files(tenant: Tenant, run_id: int) -> list[JournalFile]:
    """Return the files of the journal of a finalised run. Those with unmapped accounts have errors and no content."""
    async with tenant.snapshot() as tx:
        run = await load_run(tx, run_id)
        run.require_finalised("exported to an accounting program")
        journal = await load_run_journal(tx, run.client_id, run_id)
        mappings = await account_mappings.load_mappings(tx, run.client_id)
        settings = await account_mappings.load_settings(tx, run.client_id)
    return await asyncio.to_thread(lambda: _build_files(_header(run), list_entries(journal, mappings), settings))


async def read_file(tenant: Tenant, run_id: int, name: str) -> JournalFile:
    """Return one file of the journal of a finalised run. Raises ValidationError if accounts are not mapped."""
    files = {file.name: file for file in await list_files(tenant, run_id)}
    if name not in files:
        available = f"it has {', '.join(files)}" if files else "its journal is empty"
        raise NotFound(f"The journal of payment run {run_id} has no file {name[:MAX_ECHOED_NAME]!r}; {available}")
    if errors := files[name].errors:
        raise ValidationError(errors, f"The file {name} of payment run {run_id} cannot be generated: see errors")
    return files[name]


def _header(run: PaymentRun) -> JournalHeader:
    kind = "Payroll correction" if run.key.corrects else "Special payroll" if run.key.special else "Payroll"
    narration = f"{kind} {run.period_end_date:%d %b %Y}, run {run.id}"
    return JournalHeader(run.id, run.period_end_date, narration, run.rules_versions)


def _build_files(header: JournalHeader, entries: Sequence[JournalEntry], settings: ExportSettings) -> list[JournalFile]:
    return [file for journal_format in FORMATS for file in _build_parts(journal_format, header, entries, settings)]


def _build_parts(
    journal_format: JournalFormat, header: JournalHeader, entries: Sequence[JournalEntry], settings: ExportSettings
) -> list[JournalFile]:
    """Return the files of one format. If an account is not mapped, none of them is generated."""
    errors = find_unmapped(journal_format, entries)
    parts = divide_entries(entries, journal_format.max_rows or max(len(entries), 1))
    files = []
    for number, part in enumerate(parts, 1):
        is_only_part = len(parts) == 1
        name = f"{journal_format.name}.csv" if is_only_part else f"{journal_format.name}_{number}.csv"
        narration = header.narration if is_only_part else f"{header.narration} ({number}/{len(parts)})"
        part_header = replace(header, narration=narration)
        data = None if errors else csv_lines(journal_format.build_rows(part_header, part, settings))
        files.append(JournalFile(name, journal_format, part_header, part, number, len(parts), errors, data))
    return files
