"""SQL for tax certificates."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import asyncpg
import msgspec

from gaji.core.threads import run_in_thread_if_many
from gaji.core.vault import SealedCell, mask
from gaji.db.json_lists import Filters, ListOrder, ListPage, fetch_page, filter_rows
from gaji.db.query_plans import ids_condition
from gaji.db.tenancy import Transaction
from gaji.documents.tax_certificates.certificate import CertificateContent, StoredCertificate, TaxCertificate
from gaji.people.employees.directory import employee_orders

COLUMNS = """client_id, id, employee_id, year, content, identifier_sealed, dirty, released,
    (generated_at AT TIME ZONE 'Asia/Singapore')::date AS generated_on"""
WRITTEN_COLUMNS = {
    "worked_from": "date",
    "worked_to": "date",
    "content": "text",
    "identifier_sealed": "bytea",
    "identifier_masked": "text",
}
"""The columns that a draft sets, with the types of their parameters."""

ORDERS = {**employee_orders("tax_certificates"), "state": ["released", "dirty"]}
"""The SQL expressions that certificates can be ordered by."""
CONDITIONS = {"ids": ids_condition("id"), "year": "year = {}"}
"""The SQL condition of each filter."""

_decode = msgspec.json.Decoder(CertificateContent).decode


class CertificateDraft(NamedTuple):
    """A certificate to be saved."""

    id: int
    employee_id: int
    content: CertificateContent
    identifier: str | None


async def lock_certificates(tx: Transaction, client_id: int) -> None:
    """Block other transactions from generating or invalidating certificates of a client."""
    await tx.execute("SELECT pg_advisory_xact_lock(hashtextextended('tax certificates', $1))", client_id)


async def list_years(tx: Transaction, client_id: int) -> list[int]:
    """Return the years for which certificates of a client were generated."""
    rows = await tx.fetch("SELECT year FROM tax_certificate_years WHERE client_id = $1 ORDER BY year", client_id)
    return [row["year"] for row in rows]


async def find_released_clients(tx: Transaction, client_ids: Sequence[int], year: int) -> set[int]:
    """Return the clients whose certificates of a year were reported in a set, or are all released one by one."""
    rows = await tx.fetch(
        "SELECT client_id FROM tax_certificate_sets WHERE client_id = ANY ($1::bigint[]) AND year = $2 "
        "UNION SELECT client_id FROM tax_certificates WHERE client_id = ANY ($1::bigint[]) AND year = $2 "
        "GROUP BY client_id HAVING bool_and(released)",
        client_ids,
        year,
    )
    return {row["client_id"] for row in rows}


async def mark_dirty(tx: Transaction, client_id: int, year: int, employee_ids: Sequence[int]) -> None:
    """Mark the certificates of employees as out of date."""
    await tx.execute(
        "UPDATE tax_certificates SET dirty = true, updated_at = now() WHERE client_id = $1 AND year = $2 "
        "AND NOT dirty AND employee_id = ANY ($3::bigint[])",
        client_id,
        year,
        employee_ids,
    )


async def load_year(tx: Transaction, client_id: int, year: int) -> dict[int, StoredCertificate]:
    """Return the certificates of a year by employee."""
    rows = await tx.fetch(
        f"SELECT {COLUMNS} FROM tax_certificates WHERE client_id = $1 AND year = $2 ORDER BY employee_id",
        client_id,
        year,
    )
    return await run_in_thread_if_many(len(rows), lambda: {row["employee_id"]: _certificate(tx, row) for row in rows})


async def list_released(
    tx: Transaction, client_id: int, employee_id: int, page: ListPage | None, filters: Filters
) -> tuple[list[StoredCertificate], int]:
    """Return a page of an employee's released certificates, ordered by id, and their total number."""
    conditions, arguments = filter_rows(CONDITIONS, filters, client_id, employee_id)
    source = f"tax_certificates WHERE client_id = $1 AND employee_id = $2 AND released{conditions}"
    rows, total = await fetch_page(tx, f"SELECT {COLUMNS} FROM {source} ORDER BY id", source, page, *arguments)
    return [_certificate(tx, row) for row in rows], total


async def list_by_client(
    tx: Transaction, client_id: int, page: ListPage | None, filters: Filters, order: ListOrder | None = None
) -> tuple[list[StoredCertificate], int]:
    """Return a page of a client's certificates, by ID by default, and their total number."""
    conditions, arguments = filter_rows(CONDITIONS, filters, client_id)
    source = f"tax_certificates WHERE client_id = $1{conditions}"
    by = order.sql(ORDERS, "id") if order else "id"
    rows, total = await fetch_page(tx, f"SELECT {COLUMNS} FROM {source} ORDER BY {by}", source, page, *arguments)
    return await run_in_thread_if_many(len(rows), lambda: [_certificate(tx, row) for row in rows]), total


async def find_released(tx: Transaction, certificate_id: int) -> StoredCertificate | None:
    """Return a released certificate."""
    row = await tx.fetchrow(f"SELECT {COLUMNS} FROM tax_certificates WHERE id = $1 AND released", certificate_id)
    return _certificate(tx, row) if row else None


async def find_employee_id(tx: Transaction, certificate_id: int) -> int | None:
    """Return the employee of a certificate that the caller may see."""
    employee_id: int | None = await tx.fetchval(
        "SELECT employee_id FROM tax_certificates WHERE id = $1", certificate_id
    )
    return employee_id


async def find_certificate(tx: Transaction, client_id: int, certificate_id: int) -> StoredCertificate | None:
    """Return a certificate, released or not."""
    row = await tx.fetchrow(
        f"SELECT {COLUMNS} FROM tax_certificates WHERE client_id = $1 AND id = $2", client_id, certificate_id
    )
    return _certificate(tx, row) if row else None


async def lock_certificate(tx: Transaction, client_id: int, certificate_id: int) -> StoredCertificate | None:
    """Lock a certificate until the end of the transaction and return it."""
    row = await tx.fetchrow(
        f"SELECT {COLUMNS} FROM tax_certificates WHERE client_id = $1 AND id = $2 FOR NO KEY UPDATE",
        client_id,
        certificate_id,
    )
    return _certificate(tx, row) if row else None


async def mark_released(tx: Transaction, client_id: int, certificate_ids: Sequence[int]) -> list[int]:
    """Make certificates visible to their employees. Returns the IDs of those that were not."""
    rows = await tx.fetch(
        "UPDATE tax_certificates SET released = true, updated_at = now() "
        "WHERE client_id = $1 AND id = ANY ($2::bigint[]) AND NOT released RETURNING id",
        client_id,
        certificate_ids,
    )
    return [row["id"] for row in rows]


async def allocate_ids(tx: Transaction, count: int) -> list[int]:
    """Return new ids from the sequence."""
    rows = await tx.fetch(
        "SELECT nextval(pg_get_serial_sequence('tax_certificates', 'id')) AS id FROM generate_series(1, $1)", count
    )
    return [row["id"] for row in rows]


async def insert(tx: Transaction, client_id: int, year: int, drafts: Sequence[CertificateDraft]) -> None:
    """Insert new certificates."""
    columns = ", ".join(WRITTEN_COLUMNS)
    values = ", ".join(f"n.{column}{_cast(column)}" for column in WRITTEN_COLUMNS)
    draft_columns = await run_in_thread_if_many(len(drafts), lambda: _draft_columns(tx, client_id, drafts))
    await tx.execute(
        f"INSERT INTO tax_certificates (client_id, year, id, employee_id, {columns}) "
        f"SELECT $1, $2, n.id, n.employee_id, {values} FROM {_drafts_table()}",
        client_id,
        year,
        *draft_columns,
    )


async def replace(tx: Transaction, client_id: int, year: int, drafts: Sequence[CertificateDraft]) -> None:
    """Replace the content of certificates. They are no longer released."""
    changes = ", ".join(f"{column} = n.{column}{_cast(column)}" for column in WRITTEN_COLUMNS)
    draft_columns = await run_in_thread_if_many(len(drafts), lambda: _draft_columns(tx, client_id, drafts))
    await tx.execute(
        f"UPDATE tax_certificates t SET {changes}, dirty = false, released = false, generated_at = now(), "
        f"updated_at = now() FROM {_drafts_table()} WHERE t.client_id = $1 AND t.year = $2 AND t.id = n.id",
        client_id,
        year,
        *draft_columns,
    )


async def mark_clean(tx: Transaction, client_id: int, certificate_ids: Collection[int]) -> None:
    """Mark certificates as up to date."""
    await tx.execute(
        "UPDATE tax_certificates SET dirty = false, updated_at = now() "
        "WHERE client_id = $1 AND id = ANY ($2::bigint[]) AND dirty",
        client_id,
        list(certificate_ids),
    )


async def delete(tx: Transaction, client_id: int, certificate_ids: Collection[int]) -> None:
    """Delete certificates of employees who no longer have income in the year."""
    await tx.execute(
        "DELETE FROM tax_certificates WHERE client_id = $1 AND id = ANY ($2::bigint[])",
        client_id,
        list(certificate_ids),
    )


async def record_year(tx: Transaction, client_id: int, year: int, certificates: int, generator: str) -> None:
    """Record that the certificates of a year were generated, with their number and the version of the generator."""
    await tx.execute(
        "INSERT INTO tax_certificate_years (client_id, year, certificates, generated_with) VALUES ($1, $2, $3, $4) "
        "ON CONFLICT (client_id, year) DO UPDATE SET certificates = excluded.certificates, "
        "generated_with = excluded.generated_with, generated_at = now()",
        client_id,
        year,
        certificates,
        generator,
    )
    await delete_changes(tx, client_id, year)


async def find_generator(tx: Transaction, client_id: int, year: int) -> str | None:
    """Return the version that the certificates of a year were last generated with."""
    version: str | None = await tx.fetchval(
        "SELECT generated_with FROM tax_certificate_years WHERE client_id = $1 AND year = $2", client_id, year
    )
    return version


async def record_changes(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], years: Collection[int] | None = None
) -> None:
    """Mark employees whose certificates may have changed, for some of the years that were generated or all."""
    await tx.execute(
        "INSERT INTO tax_certificate_changes (client_id, year, employee_id) SELECT y.client_id, y.year, e.employee_id "
        "FROM tax_certificate_years y, unnest($2::bigint[]) AS e(employee_id) WHERE y.client_id = $1 "
        "AND ($3::smallint[] IS NULL OR y.year = ANY ($3)) ON CONFLICT DO NOTHING",
        client_id,
        employee_ids,
        None if years is None else list(years),
    )


async def load_changed(tx: Transaction, client_id: int, year: int) -> set[int]:
    """Return the employees who were marked since the certificates of a year were last compared."""
    rows = await tx.fetch(
        "SELECT employee_id FROM tax_certificate_changes WHERE client_id = $1 AND year = $2", client_id, year
    )
    return {row["employee_id"] for row in rows}


async def delete_changes(tx: Transaction, client_id: int, year: int, employee_ids: Sequence[int] | None = None) -> None:
    """Delete the marks of a year, for all employees or for some, after their certificates were compared."""
    await tx.execute(
        "DELETE FROM tax_certificate_changes WHERE client_id = $1 AND year = $2 "
        "AND ($3::bigint[] IS NULL OR employee_id = ANY ($3))",
        client_id,
        year,
        employee_ids,
    )


def _drafts_table() -> str:
    types = ("bigint", "bigint", *WRITTEN_COLUMNS.values())
    arrays = ", ".join(f"${number}::{type_name}[]" for number, type_name in enumerate(types, start=3))
    return f"unnest({arrays}) AS n(id, employee_id, {', '.join(WRITTEN_COLUMNS)})"


def _cast(column: str) -> str:
    return "::json" if column == "content" else ""


def _draft_columns(tx: Transaction, client_id: int, drafts: Sequence[CertificateDraft]) -> Sequence[Sequence[object]]:
    rows = [
        (
            draft.id,
            draft.employee_id,
            draft.content.worked_from,
            draft.content.worked_to,
            msgspec.json.encode(draft.content).decode(),
            draft.identifier and tx.vault.seal(draft.identifier, _sealed_cell(client_id, draft.id)),
            draft.identifier and mask(draft.identifier),
        )
        for draft in drafts
    ]
    return list(zip(*rows, strict=True)) or [[]] * (len(WRITTEN_COLUMNS) + 2)


def _certificate(tx: Transaction, row: asyncpg.Record) -> StoredCertificate:
    certificate = TaxCertificate(
        client_id=row["client_id"],
        id=row["id"],
        employee_id=row["employee_id"],
        year=row["year"],
        content=_decode(row["content"]),
        dirty=row["dirty"],
        released=row["released"],
        generated_on=row["generated_on"],
    )
    return StoredCertificate(certificate, _open_identifier(tx, row))


def _open_identifier(tx: Transaction, row: asyncpg.Record) -> str | None:
    sealed = row["identifier_sealed"]
    return None if sealed is None else tx.vault.open(sealed, _sealed_cell(row["client_id"], row["id"]))


def _sealed_cell(client_id: int, certificate_id: int) -> SealedCell:
    return SealedCell(client_id, "tax_certificates", certificate_id, "identifier_sealed")
