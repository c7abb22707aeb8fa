"""The SQL of tax certificates."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import asyncpg
import msgspec

from gaji.core.vault import Place, masked
from gaji.db.json_lists import Page, counted
from gaji.db.tenancy import Transaction
from gaji.documents.tax_certificates.certificate import Content, Stored

STORED = """client_id, id, employee_id, year, content, dirty, released,
    (generated_at AT TIME ZONE 'Asia/Singapore')::date AS generated_on"""
WRITTEN = {
    "worked_from": "date",
    "worked_to": "date",
    "content": "text",
    "identifier_sealed": "bytea",
    "identifier_masked": "text",
}

_decode = msgspec.json.Decoder(Content).decode


class Draft(NamedTuple):
    """A certificate to be saved."""

    id: int
    employee_id: int
    content: Content
    identifier: str | None


async def hold(tx: Transaction, client_id: int) -> None:
    """Until the transaction ends, nobody else generates certificates of a client or marks them as changed."""
    await tx.execute("SELECT pg_advisory_xact_lock(hashtextextended('tax certificates', $1))", client_id)


async def years(tx: Transaction, client_id: int) -> list[int]:
    """The years that certificates of a client were generated for."""
    rows = await tx.fetch("SELECT year FROM tax_certificate_years WHERE client_id = $1 ORDER BY year", client_id)
    return [row[0] for row in rows]


async def mark(tx: Transaction, client_id: int, year: int, employee_ids: Sequence[int] | None = None) -> None:
    """Note that the figures of the certificates of a year are no longer what they were, of all or of these."""
    await tx.execute(
        "UPDATE tax_certificates SET dirty = true, updated_at = now() WHERE client_id = $1 AND year = $2 "
        "AND NOT dirty AND ($3::bigint[] IS NULL OR employee_id = ANY ($3))",
        client_id,
        year,
        employee_ids,
    )


async def of_year(tx: Transaction, client_id: int, year: int) -> dict[int, tuple[Stored, str | None]]:
    """The certificates of a year, each with its identity number, by employee."""
    rows = await tx.fetch(
        f"SELECT {STORED}, identifier_sealed FROM tax_certificates WHERE client_id = $1 AND year = $2", client_id, year
    )
    return {row["employee_id"]: (_stored(row), _opened(tx, row)) for row in rows}


async def released_of_employee(
    tx: Transaction, client_id: int, employee_id: int, page: Page | None
) -> tuple[list[Stored], int]:
    """The certificates of an employee that are released, by id; and how many there are."""
    source = "tax_certificates WHERE client_id = $1 AND employee_id = $2 AND released"
    rows, total = await counted(tx, f"SELECT {STORED} FROM {source} ORDER BY id", source, page, client_id, employee_id)
    return [_stored(row) for row in rows], total


async def of_client(tx: Transaction, client_id: int, year: int | None, page: Page | None) -> tuple[list[Stored], int]:
    """The certificates of a client, of one year or of all, by id; and how many there are."""
    source = "tax_certificates WHERE client_id = $1 AND ($2::smallint IS NULL OR year = $2)"
    rows, total = await counted(tx, f"SELECT {STORED} FROM {source} ORDER BY id", source, page, client_id, year)
    return [_stored(row) for row in rows], total


async def released(tx: Transaction, certificate_id: int) -> tuple[Stored, str | None] | None:
    """A released certificate with the identity number, masked for a caller who may not see it whole."""
    row = await tx.fetchrow(
        f"SELECT {STORED}, identifier_sealed, identifier_masked FROM tax_certificates WHERE id = $1 AND released",
        certificate_id,
    )
    if row is None:
        return None
    return _stored(row), row["identifier_masked"] if tx.caller.hide_identifiers else _opened(tx, row)


async def employee_of(tx: Transaction, certificate_id: int) -> int | None:
    """The employee of a certificate that the caller may see."""
    found: int | None = await tx.fetchval("SELECT employee_id FROM tax_certificates WHERE id = $1", certificate_id)
    return found


async def for_release(tx: Transaction, client_id: int, certificate_id: int) -> Stored | None:
    """A certificate, locked until the transaction ends."""
    row = await tx.fetchrow(
        f"SELECT {STORED} FROM tax_certificates WHERE client_id = $1 AND id = $2 FOR NO KEY UPDATE",
        client_id,
        certificate_id,
    )
    return _stored(row) if row else None


async def release(tx: Transaction, client_id: int, certificate_id: int) -> None:
    """Let the employee see a certificate."""
    await tx.execute(
        "UPDATE tax_certificates SET released = true, updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        certificate_id,
    )


async def new_ids(tx: Transaction, count: int) -> list[int]:
    """So many ids that no certificate has."""
    rows = await tx.fetch(
        "SELECT nextval(pg_get_serial_sequence('tax_certificates', 'id')) FROM generate_series(1, $1)", count
    )
    return [row[0] for row in rows]


async def insert(tx: Transaction, client_id: int, year: int, drafts: Sequence[Draft]) -> None:
    """Save certificates that are new."""
    columns = ", ".join(WRITTEN)
    values = ", ".join(f"n.{column}{'::json' if column == 'content' else ''}" for column in WRITTEN)
    await tx.execute(
        f"INSERT INTO tax_certificates (client_id, year, id, employee_id, {columns}) "
        f"SELECT $1, $2, n.id, n.employee_id, {values} FROM {_arriving()}",
        client_id,
        year,
        *_columns(tx, client_id, drafts),
    )


async def replace(tx: Transaction, client_id: int, year: int, drafts: Sequence[Draft]) -> None:
    """Save certificates that say something else than before; employees see them when they are released again."""
    changes = ", ".join(f"{column} = n.{column}{'::json' if column == 'content' else ''}" for column in WRITTEN)
    await tx.execute(
        f"UPDATE tax_certificates t SET {changes}, dirty = false, released = false, generated_at = now(), "
        f"updated_at = now() FROM {_arriving()} WHERE t.client_id = $1 AND t.year = $2 AND t.id = n.id",
        client_id,
        year,
        *_columns(tx, client_id, drafts),
    )


async def confirm(tx: Transaction, client_id: int, certificate_ids: Collection[int]) -> None:
    """Note that certificates, generated again, say what they said."""
    await tx.execute(
        "UPDATE tax_certificates SET dirty = false, updated_at = now() "
        "WHERE client_id = $1 AND id = ANY ($2::bigint[]) AND dirty",
        client_id,
        list(certificate_ids),
    )


async def remove(tx: Transaction, client_id: int, certificate_ids: Collection[int]) -> None:
    """Remove certificates of employees who have nothing of the year any more."""
    await tx.execute(
        "DELETE FROM tax_certificates WHERE client_id = $1 AND id = ANY ($2::bigint[])",
        client_id,
        list(certificate_ids),
    )


async def note_year(tx: Transaction, client_id: int, year: int, certificates: int) -> None:
    """Keep that the certificates of a year were generated, and how many they are."""
    await tx.execute(
        "INSERT INTO tax_certificate_years (client_id, year, certificates) VALUES ($1, $2, $3) ON CONFLICT "
        "(client_id, year) DO UPDATE SET certificates = excluded.certificates, generated_at = now()",
        client_id,
        year,
        certificates,
    )


def _arriving() -> str:
    types = ("bigint", "bigint", *WRITTEN.values())
    arrays = ", ".join(f"${number}::{kind}[]" for number, kind in enumerate(types, start=3))
    return f"unnest({arrays}) AS n(id, employee_id, {', '.join(WRITTEN)})"


def _columns(tx: Transaction, client_id: int, drafts: Sequence[Draft]) -> Sequence[Sequence[object]]:
    rows = [
        (
            draft.id,
            draft.employee_id,
            draft.content.worked_from,
            draft.content.worked_to,
            msgspec.json.encode(draft.content).decode(),
            draft.identifier and tx.vault.seal(draft.identifier, _place(client_id, draft.id)),
            draft.identifier and masked(draft.identifier),
        )
        for draft in drafts
    ]
    return list(zip(*rows, strict=True)) or [[]] * (len(WRITTEN) + 2)


def _stored(row: asyncpg.Record) -> Stored:
    return Stored(
        row["client_id"],
        row["id"],
        row["employee_id"],
        row["year"],
        _decode(row["content"]),
        row["dirty"],
        row["released"],
        row["generated_on"],
    )


def _opened(tx: Transaction, row: asyncpg.Record) -> str | None:
    sealed = row["identifier_sealed"]
    return None if sealed is None else tx.vault.open(sealed, _place(row["client_id"], row["id"]))


def _place(client_id: int, certificate_id: int) -> Place:
    return Place(client_id, "tax_certificates", certificate_id, "identifier_sealed")
