"""SQL for released versions of certificates and for the sets that report them."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import asyncpg
import msgspec

from gaji.core.threads import run_in_thread_if_many
from gaji.core.vault import SealedCell, mask
from gaji.db.tenancy import Transaction
from gaji.documents.tax_certificates.certificate import CertificateContent, IdentifiedContent
from gaji.documents.tax_certificates.versions import CertificateVersion

_decode = msgspec.json.Decoder(CertificateContent).decode


class VersionDraft(NamedTuple):
    """A version to be saved."""

    employee_id: int
    version: int
    certificate_id: int
    identified: IdentifiedContent


class SetRow(NamedTuple):
    """A set of a year, and who released it when."""

    number: int
    versions: int
    """How many versions it reports. The first set has as many records."""
    released_at: datetime
    released_by: str | None


async def load_versions(
    tx: Transaction, client_id: int, year: int, employee_ids: Sequence[int] | None = None
) -> dict[int, list[CertificateVersion]]:
    """Return the versions of a year by employee, in order, for some employees or all."""
    rows = await tx.fetch(
        "SELECT client_id, id, employee_id, version, certificate_id, content, identifier_sealed, set_number, "
        "(released_at AT TIME ZONE 'Asia/Singapore')::date AS released_on FROM tax_certificate_versions "
        "WHERE client_id = $1 AND year = $2 AND ($3::bigint[] IS NULL OR employee_id = ANY ($3)) "
        "ORDER BY employee_id, version",
        client_id,
        year,
        employee_ids,
    )
    return await run_in_thread_if_many(len(rows), lambda: _group_versions(tx, rows))


async def insert_versions(tx: Transaction, client_id: int, year: int, drafts: Sequence[VersionDraft]) -> None:
    """Record that the caller releases certificates."""
    if not drafts:
        return
    ids = await tx.fetch(
        "SELECT nextval(pg_get_serial_sequence('tax_certificate_versions', 'id')) AS id FROM generate_series(1, $1)",
        len(drafts),
    )
    columns = await run_in_thread_if_many(
        len(drafts), lambda: _version_columns(tx, client_id, [row["id"] for row in ids], drafts)
    )
    await tx.execute(
        "INSERT INTO tax_certificate_versions (client_id, year, released_by, id, employee_id, version, certificate_id, "
        "content, identifier_sealed, identifier_masked) SELECT $1, $2, $3, n.id, n.employee_id, n.version, "
        "n.certificate_id, n.content::json, n.identifier_sealed, n.identifier_masked FROM unnest($4::bigint[], "
        "$5::bigint[], $6::integer[], $7::bigint[], $8::text[], $9::bytea[], $10::text[]) AS n(id, employee_id, "
        "version, certificate_id, content, identifier_sealed, identifier_masked)",
        client_id,
        year,
        tx.caller.user_id,
        *columns,
    )


async def insert_set(
    tx: Transaction, client_id: int, year: int, number: int, versions: Sequence[CertificateVersion]
) -> None:
    """Record a set that the caller releases, with its versions."""
    await tx.execute(
        "INSERT INTO tax_certificate_sets (client_id, year, number, records, released_by) VALUES ($1, $2, $3, $4, $5)",
        client_id,
        year,
        number,
        len(versions),
        tx.caller.user_id,
    )
    await tx.execute(
        "UPDATE tax_certificate_versions v SET set_number = $3 FROM unnest($4::bigint[], $5::integer[]) "
        "AS n(employee_id, version) WHERE v.client_id = $1 AND v.year = $2 AND v.employee_id = n.employee_id "
        "AND v.version = n.version",
        client_id,
        year,
        number,
        [version.employee_id for version in versions],
        [version.version for version in versions],
    )


async def load_sets(tx: Transaction, client_id: int, year: int) -> list[SetRow]:
    """Return the sets of a year, in order."""
    rows = await tx.fetch(
        "SELECT s.number, s.records, s.released_at, coalesce(nullif(u.name, ''), u.email) AS released_by "
        "FROM tax_certificate_sets s LEFT JOIN users u ON u.id = s.released_by "
        "WHERE s.client_id = $1 AND s.year = $2 ORDER BY s.number",
        client_id,
        year,
    )
    return [SetRow(row["number"], row["records"], row["released_at"], row["released_by"]) for row in rows]


async def load_rules_versions(tx: Transaction, client_id: int, year: int, number: int) -> list[str]:
    """Return the rules versions of the amounts in a set."""
    rows = await tx.fetch(
        "SELECT DISTINCT json_array_elements_text(content -> 'rules_versions') AS rules_version "
        "FROM tax_certificate_versions WHERE client_id = $1 AND year = $2 AND set_number = $3",
        client_id,
        year,
        number,
    )
    return [row["rules_version"] for row in rows]


async def list_employees(tx: Transaction, client_id: int, year: int, first_set: int) -> list[int]:
    """Return the employees with a version in a set of a year, from one set on."""
    rows = await tx.fetch(
        "SELECT DISTINCT employee_id FROM tax_certificate_versions "
        "WHERE client_id = $1 AND year = $2 AND set_number >= $3",
        client_id,
        year,
        first_set,
    )
    return [row["employee_id"] for row in rows]


def _group_versions(tx: Transaction, rows: Sequence[asyncpg.Record]) -> dict[int, list[CertificateVersion]]:
    versions: dict[int, list[CertificateVersion]] = {}
    for row in rows:
        versions.setdefault(row["employee_id"], []).append(_version(tx, row))
    return versions


def _version(tx: Transaction, row: asyncpg.Record) -> CertificateVersion:
    sealed = row["identifier_sealed"]
    identifier = None if sealed is None else tx.vault.open(sealed, _sealed_cell(row["client_id"], row["id"]))
    return CertificateVersion(
        employee_id=row["employee_id"],
        version=row["version"],
        certificate_id=row["certificate_id"],
        identified=IdentifiedContent(_decode(row["content"]), identifier),
        released_on=row["released_on"],
        set_number=row["set_number"],
    )


def _version_columns(
    tx: Transaction, client_id: int, ids: Sequence[int], drafts: Sequence[VersionDraft]
) -> Sequence[Sequence[object]]:
    rows = [
        (
            row_id,
            draft.employee_id,
            draft.version,
            draft.certificate_id,
            msgspec.json.encode(draft.identified.content).decode(),
            (identifier := draft.identified.identifier) and tx.vault.seal(identifier, _sealed_cell(client_id, row_id)),
            identifier and mask(identifier),
        )
        for row_id, draft in zip(ids, drafts, strict=True)
    ]
    return list(zip(*rows, strict=True))


def _sealed_cell(client_id: int, version_id: int) -> SealedCell:
    return SealedCell(client_id, "tax_certificate_versions", version_id, "identifier_sealed")
