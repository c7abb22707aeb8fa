"""Rotation of the secret: everything encrypted with the old secret is encrypted again, in one transaction.

Encrypted columns are recognised by name: `<name>_sealed` is encrypted for its client, table, row and column, and
`<name>_lookup`, if there is one, is the hash of the same value. The text of API keys is not stored, so they cannot be
hashed again: the key that hashes them is kept, sealed with the new secret. So are the keys of the chains of the audit
log: earlier links keep their hashes, and new ones get a new key.

The new secret is on disk before the database commits, and replaces the old one after. Wherever a rotation is
interrupted, a secret that matches the database remains.
"""

import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import asyncpg

from gaji.core.settings import Settings
from gaji.core.vault import DecryptionError, SealedCell, Vault, new_secret
from gaji.db import schema
from gaji.db.embedded.folders import sync_folder
from gaji.db.installation import Installation
from gaji.db.migrate import LOCK
from gaji.db.presence import require_exclusive_use
from gaji.db.schema import DatabaseTable, quote_identifier
from gaji.db.secret_key import (
    API_KEYS_CELL,
    AUDIT_KEYS_CELL,
    CHECK,
    CHECK_CELL,
    KEY_FILE,
    MIN_SECRET_LENGTH,
    NEXT_KEY_FILE,
    write_secret,
)

BATCH_ROWS = 1000
FILE_BATCH_ROWS = 10
"""Files have up to several megabytes each."""
FILE_COLUMN = "content_sealed"
MARKS = "secret_marks"
SEALED = "_sealed"
LOOKUP = "_lookup"


class RotationError(Exception):
    """The secret cannot be changed. The message says why and what to do."""


@dataclass(frozen=True)
class RotationResult:
    """The result of a rotation."""

    values: int
    old_secret: Path | None
    """The file with the old secret, if it was in a file."""


@dataclass(frozen=True)
class SealedColumns:
    """The encrypted columns of one table, and its key columns."""

    table: str
    keys: tuple[str, ...]
    """`client_id` and `id`, or `id` alone."""
    sealed: tuple[str, ...]
    lookups: tuple[str, ...]
    source: str = ""
    """For copies of encrypted values, the table that they are sealed for."""
    source_id: str = "id"
    """The column with the ID of the row that values are sealed for."""

    def cell(self, row: asyncpg.Record, column: str) -> SealedCell:
        """Return the cell that a value is sealed for."""
        client_id = row["id"] if self.table == "clients" else row["client_id"] if "client_id" in self.keys else 0
        return SealedCell(client_id, self.source or self.table, row[self.source_id], column)


COPIES = {
    "payment_run_snapshots": ("payment_run_id", "clients", "client_id"),
    "payslip_snapshots": ("payslip_id", "employees", "employee_id"),
}
"""Tables with copies of encrypted values: the key beside `client_id`, the table and the column with the ID of the row
that the values are sealed for."""


async def rotate_secret(installation: Installation, new_secret_key: str | None) -> RotationResult:
    """Change the secret to a generated one in the key file, or to the new one if the operator stores it elsewhere."""
    settings = installation.settings
    secret = _choose_secret(settings, new_secret_key)
    new = Vault(secret.encode(), installation.vault.api_key_hashing, installation.vault.audit_keys)
    old_file = None
    async with installation.database.maintenance("rotation") as connection:
        values = await _reseal(connection, installation.vault, new)
        if not settings.secret_key:
            old_file = _write_files(settings.data, secret)
    if old_file is not None:
        with suppress(FileNotFoundError):  # another command has already renamed it
            os.replace(settings.data / NEXT_KEY_FILE, settings.data / KEY_FILE)
        sync_folder(settings.data)
    return RotationResult(values, old_file)


def _choose_secret(settings: Settings, new_secret_key: str | None) -> str:
    if not settings.secret_key:
        if new_secret_key:
            raise RotationError(
                f"the secret of this installation is in {settings.data / KEY_FILE}, where a new one will be written: "
                "unset GAJI_NEW_SECRET_KEY, which is used only together with GAJI_SECRET_KEY"
            )
        return new_secret()
    if not new_secret_key:
        raise RotationError("the secret is in GAJI_SECRET_KEY: set the new one as GAJI_NEW_SECRET_KEY")
    if len(new_secret_key) < MIN_SECRET_LENGTH:
        raise RotationError(
            f"GAJI_NEW_SECRET_KEY has {len(new_secret_key)} characters; it must have at least {MIN_SECRET_LENGTH}"
        )
    if new_secret_key == settings.secret_key:
        raise RotationError("GAJI_NEW_SECRET_KEY is the same as GAJI_SECRET_KEY")
    return new_secret_key


def _write_files(data: Path, secret: str) -> Path:
    """Write the new secret, and a copy of the old one, which older backups need."""
    old_file = data / f"{KEY_FILE}.until-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    write_secret(old_file, (data / KEY_FILE).read_text().strip())
    write_secret(data / NEXT_KEY_FILE, secret)
    sync_folder(data)
    return old_file


async def _reseal(connection: asyncpg.Connection, old: Vault, new: Vault) -> int:
    """Encrypt everything again. Return the number of values."""
    await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK)
    await require_exclusive_use(connection, "changing the secret")
    # The plain values do not change, so nothing is audited or tracked as a change. There is no time limit.
    await connection.execute(
        "SELECT set_config('gaji.audit', 'off', true), set_config('gaji.tracking', 'off', true), "
        "set_config('statement_timeout', '0', true), "
        "set_config('idle_in_transaction_session_timeout', '0', true)"
    )
    tables = [columns for table in await schema.load_tables(connection) if (columns := _sealed_columns(table)).sealed]
    for name in (MARKS, *(columns.table for columns in tables)):
        await connection.execute(f"LOCK TABLE {quote_identifier(name)} IN SHARE ROW EXCLUSIVE MODE")
    values = 0
    for columns in tables:
        values += await _reseal_table(connection, columns, old, new)
    await _replace_marks(connection, new)
    return values


def _sealed_columns(table: DatabaseTable) -> SealedColumns:
    if table.name == MARKS:
        return SealedColumns(MARKS, (), (), ())
    sealed = tuple(column for column in table.columns if column.endswith(SEALED))
    lookups = tuple(column for column in table.columns if column.endswith(LOOKUP))
    if table.name in COPIES:
        key, source, source_id = COPIES[table.name]
        return SealedColumns(table.name, ("client_id", key), sealed, lookups, source, source_id)
    orphans = [lookup for lookup in lookups if _sealed_name(lookup) not in sealed]
    if orphans or (sealed and "id" not in table.columns):
        raise RotationError(f"{table.name} has encrypted columns that cannot be rotated: {sealed + lookups}")
    keys = tuple(column for column in ("client_id", "id") if column in table.columns)
    return SealedColumns(table.name, keys, sealed, lookups)


def _sealed_name(lookup: str) -> str:
    return lookup.removesuffix(LOOKUP) + SEALED


async def _reseal_table(connection: asyncpg.Connection, columns: SealedColumns, old: Vault, new: Vault) -> int:
    selected = dict.fromkeys((*columns.keys, columns.source_id, *columns.sealed))
    names = ", ".join(map(quote_identifier, selected))
    cursor = await connection.cursor(f"SELECT {names} FROM {quote_identifier(columns.table)}")
    statement = _update_statement(columns)
    values = 0
    batch_rows = FILE_BATCH_ROWS if FILE_COLUMN in columns.sealed else BATCH_ROWS
    while rows := await cursor.fetch(batch_rows):
        await connection.executemany(statement, [_resealed_values(row, columns, old, new) for row in rows])
        values += sum(row[column] is not None for row in rows for column in columns.sealed)
    return values


def _update_statement(columns: SealedColumns) -> str:
    names = (*columns.keys, *columns.sealed, *columns.lookups)
    terms = [f"{quote_identifier(name)} = ${number}" for number, name in enumerate(names, start=1)]
    count = len(columns.keys)
    conditions, assignments = " AND ".join(terms[:count]), ", ".join(terms[count:])
    return f"UPDATE {quote_identifier(columns.table)} SET {assignments} WHERE {conditions}"


def _resealed_values(row: asyncpg.Record, columns: SealedColumns, old: Vault, new: Vault) -> list[int | bytes | None]:
    """Return the row's keys, its newly encrypted values and their lookup hashes, in the order of the statement."""
    try:
        plain = {
            column: None if row[column] is None else old.open_bytes(row[column], columns.cell(row, column))
            for column in columns.sealed
        }
    except DecryptionError as error:
        raise RotationError(f"{error} with the current secret, so nothing was changed") from error
    sealed = [None if value is None else new.seal(value, columns.cell(row, column)) for column, value in plain.items()]
    lookups = [_lookup(new, lookup, plain[_sealed_name(lookup)]) for lookup in columns.lookups]
    return [*(row[key] for key in columns.keys), *sealed, *lookups]


def _lookup(new: Vault, column: str, plain: bytes | None) -> bytes | None:
    return None if plain is None else new.lookup_hash(column.removesuffix(LOOKUP), plain.decode())


async def _replace_marks(connection: asyncpg.Connection, new: Vault) -> None:
    marks = {
        "check": new.seal(CHECK, CHECK_CELL),
        "api_keys": new.seal(new.api_key_hashing, API_KEYS_CELL),
        "audit_keys": new.seal(b"".join(new.audit_keys[:-1]), AUDIT_KEYS_CELL),
    }
    await connection.executemany(
        "INSERT INTO secret_marks (purpose, mark_sealed) VALUES ($1, $2) "
        "ON CONFLICT (purpose) DO UPDATE SET mark_sealed = excluded.mark_sealed",
        list(marks.items()),
    )
