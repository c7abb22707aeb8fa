"""A new secret: everything that was encrypted with the old one is encrypted again, in one transaction.

What is known about a column is in its name: `<name>_sealed` is encrypted for its client, table, row and column, and
`<name>_lookup` beside it, where there is one, is the hash of the same value. API keys are not known any more, so they
cannot be hashed again: the key that hashes them stays, sealed with the new secret.

The new secret is on disk before the database commits, and takes the old one's place after. A rotation that is cut
short anywhere leaves a secret at hand that fits.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import asyncpg

from gaji.core.settings import Settings
from gaji.core.vault import CannotOpen, Place, Vault, new_secret
from gaji.db import schema
from gaji.db.schema import Table, identifier
from gaji.db.embedded.folders import sync_folder
from gaji.db.installation import Installation
from gaji.db.migrate import LOCK
from gaji.db.secret_key import API_KEYS_PLACE, CHECK, CHECK_PLACE, FILE, LEAST_CHARACTERS, NEXT_FILE, write_secret
from gaji.db.presence import refuse_while_in_use

BATCH_ROWS = 1000
MARKS = "secret_marks"
SEALED = "_sealed"
LOOKUP = "_lookup"


class RotationError(Exception):
    """The secret cannot be changed; the message says why and what to do."""


@dataclass(frozen=True)
class Rotated:
    """What a rotation did."""

    values: int
    old_secret: Path | None
    """Where the former secret is kept, if it was in a file."""


@dataclass(frozen=True)
class SealedColumns:
    """The encrypted columns of one table, and how its rows are told apart."""

    table: str
    keys: tuple[str, ...]
    """`client_id` and `id`, or `id` alone."""
    sealed: tuple[str, ...]
    lookups: tuple[str, ...]

    def place(self, row: asyncpg.Record, column: str) -> Place:
        """Where this value of the row is sealed for."""
        client_id = row["id"] if self.table == "clients" else row["client_id"] if "client_id" in self.keys else 0
        return Place(client_id, self.table, row["id"], column)


async def rotate(installation: Installation, given_secret: str | None) -> Rotated:
    """Change the secret: to a fresh one in the secret file, or to the given one where the operator keeps it."""
    settings = installation.settings
    secret = _checked(settings, given_secret)
    new = Vault(secret.encode(), installation.vault.api_key_hashing)
    kept = None
    async with installation.database.maintenance("rotation") as connection:
        values = await _reseal(connection, installation.vault, new)
        if not settings.secret_key:
            kept = _lay_out(settings.data, secret)
    if kept is not None:
        with suppress(FileNotFoundError):  # a command that started meanwhile has done it
            os.replace(settings.data / NEXT_FILE, settings.data / FILE)
        sync_folder(settings.data)
    return Rotated(values, kept)


def _checked(settings: Settings, given: str | None) -> str:
    if not settings.secret_key:
        if given:
            raise RotationError(
                f"the secret of this installation is in {settings.data / FILE}, where a fresh one will be written: "
                "unset GAJI_NEW_SECRET_KEY, which goes with GAJI_SECRET_KEY"
            )
        return new_secret()
    if not given:
        raise RotationError("the secret is in GAJI_SECRET_KEY: give the new one as GAJI_NEW_SECRET_KEY")
    if len(given) < LEAST_CHARACTERS:
        raise RotationError(
            f"GAJI_NEW_SECRET_KEY has {len(given)} characters; it must have at least {LEAST_CHARACTERS}"
        )
    if given == settings.secret_key:
        raise RotationError("GAJI_NEW_SECRET_KEY is the same as GAJI_SECRET_KEY")
    return given


def _lay_out(data: Path, secret: str) -> Path:
    """Put the new secret beside the old one, of which a copy stays: older backups open with no other."""
    kept = data / f"{FILE}.until-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    write_secret(kept, (data / FILE).read_text().strip())
    write_secret(data / NEXT_FILE, secret)
    sync_folder(data)
    return kept


async def _reseal(connection: asyncpg.Connection, old: Vault, new: Vault) -> int:
    """Encrypt everything again and give the number of values."""
    await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK)
    await refuse_while_in_use(connection, "a change of the secret")
    # No fact changes, so nothing is to be audited; and it takes as long as it takes.
    await connection.execute(
        "SELECT set_config('gaji.audit', 'off', true), set_config('statement_timeout', '0', true), "
        "set_config('idle_in_transaction_session_timeout', '0', true)"
    )
    tables = [found for table in await schema.tables(connection) if (found := _sealed_columns(table)).sealed]
    for name in (MARKS, *(columns.table for columns in tables)):
        await connection.execute(f"LOCK TABLE {identifier(name)} IN SHARE ROW EXCLUSIVE MODE")
    values = 0
    for columns in tables:
        values += await _reseal_table(connection, columns, old, new)
    await _replace_marks(connection, new)
    return values


def _sealed_columns(table: Table) -> SealedColumns:
    if table.name == MARKS:
        return SealedColumns(MARKS, (), (), ())
    sealed = tuple(column for column in table.columns if column.endswith(SEALED))
    lookups = tuple(column for column in table.columns if column.endswith(LOOKUP))
    orphans = [lookup for lookup in lookups if _companion(lookup) not in sealed]
    if orphans or (sealed and "id" not in table.columns):
        raise RotationError(f"{table.name} has encrypted columns that this program cannot place: {sealed + lookups}")
    keys = tuple(column for column in ("client_id", "id") if column in table.columns)
    return SealedColumns(table.name, keys, sealed, lookups)


def _companion(lookup: str) -> str:
    return lookup.removesuffix(LOOKUP) + SEALED


async def _reseal_table(connection: asyncpg.Connection, columns: SealedColumns, old: Vault, new: Vault) -> int:
    read = ", ".join(map(identifier, (*columns.keys, *columns.sealed)))
    cursor = await connection.cursor(f"SELECT {read} FROM {identifier(columns.table)}")
    statement = _update(columns)
    values = 0
    while rows := await cursor.fetch(BATCH_ROWS):
        await connection.executemany(statement, [_resealed(row, columns, old, new) for row in rows])
        values += sum(row[column] is not None for row in rows for column in columns.sealed)
    return values


def _update(columns: SealedColumns) -> str:
    places = [f"{identifier(name)} = ${number}" for number, name in enumerate(_written(columns), start=1)]
    keys = len(columns.keys)
    return f"UPDATE {identifier(columns.table)} SET {', '.join(places[keys:])} WHERE {' AND '.join(places[:keys])}"


def _written(columns: SealedColumns) -> Sequence[str]:
    return (*columns.keys, *columns.sealed, *columns.lookups)


def _resealed(row: asyncpg.Record, columns: SealedColumns, old: Vault, new: Vault) -> list[int | bytes | None]:
    """The row's keys, its values encrypted anew and their look-up hashes, in the order of the statement."""
    try:
        plain = {
            column: None if row[column] is None else old.open_bytes(row[column], columns.place(row, column))
            for column in columns.sealed
        }
    except CannotOpen as error:
        raise RotationError(f"{error} with the secret at hand, so nothing was changed") from error
    sealed = [None if value is None else new.seal(value, columns.place(row, column)) for column, value in plain.items()]
    lookups = [_lookup(new, lookup, plain[_companion(lookup)]) for lookup in columns.lookups]
    return [*(row[key] for key in columns.keys), *sealed, *lookups]


def _lookup(new: Vault, column: str, plain: bytes | None) -> bytes | None:
    return None if plain is None else new.lookup_hash(column.removesuffix(LOOKUP), plain.decode())


async def _replace_marks(connection: asyncpg.Connection, new: Vault) -> None:
    marks = {
        "check": new.seal(CHECK, CHECK_PLACE),
        "api_keys": new.seal(new.api_key_hashing, API_KEYS_PLACE),
    }
    await connection.executemany(
        "INSERT INTO secret_marks (purpose, mark_sealed) VALUES ($1, $2) "
        "ON CONFLICT (purpose) DO UPDATE SET mark_sealed = excluded.mark_sealed",
        list(marks.items()),
    )
