"""Encrypted columns and their hashes, recognised by name, and how to encrypt them again.

`<name>_sealed` is encrypted for its client, table, row and column. `<name>_lookup`, if there is one, is the hash of the
same value for the same client.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import asyncpg

from gaji.core.vault import DecryptionError, SealedCell, Vault
from gaji.db.schema import DatabaseTable, quote_identifier

BATCH_ROWS = 1000
FILE_BATCH_ROWS = 10
"""Files have up to several megabytes each."""
FILE_COLUMN = "content_sealed"
MARKS = "secret_marks"
SEALED = "_sealed"
LOOKUP = "_lookup"
COPIES = {
    "payment_run_snapshots": ("payment_run_id", "clients", "client_id"),
    "payslip_snapshots": ("payslip_id", "employees", "employee_id"),
}
"""Tables with copies of encrypted values: the key beside `client_id`, the table and the column with the ID of the row
that the values are sealed for."""


class SealedColumnsError(Exception):
    """Encrypted values cannot be encrypted again. The message says which."""


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

    def cell(self, row: Mapping[str, Any], column: str) -> SealedCell:
        """Return the cell that a value is sealed for."""
        return SealedCell(self.client_id(row), self.source or self.table, row[self.source_id], column)

    def client_id(self, row: Mapping[str, Any]) -> int:
        """Return the client of a row, or 0 for tables that do not belong to a client."""
        client_id: int = row["id"] if self.table == "clients" else row["client_id"] if "client_id" in self.keys else 0
        return client_id


async def begin_resealing(connection: asyncpg.Connection) -> None:
    """Prepare the transaction. The plain values do not change, so nothing is audited or tracked as a change."""
    await connection.execute(
        "SELECT set_config('gaji.audit', 'off', true), set_config('gaji.tracking', 'off', true), "
        "set_config('statement_timeout', '0', true), "
        "set_config('idle_in_transaction_session_timeout', '0', true)"
    )


def sealed_columns(table: DatabaseTable) -> SealedColumns:
    """Return the encrypted columns of a table, if it has any. Raises SealedColumnsError."""
    if table.name == MARKS:
        return SealedColumns(MARKS, (), (), ())
    sealed = tuple(column for column in table.columns if column.endswith(SEALED))
    lookups = tuple(column for column in table.columns if column.endswith(LOOKUP))
    if table.name in COPIES:
        key, source, source_id = COPIES[table.name]
        return SealedColumns(table.name, ("client_id", key), sealed, lookups, source, source_id)
    orphans = [lookup for lookup in lookups if _sealed_name(lookup) not in sealed]
    if orphans or (sealed and "id" not in table.columns):
        raise SealedColumnsError(f"{table.name} has encrypted columns that cannot be rotated: {sealed + lookups}")
    keys = tuple(column for column in ("client_id", "id") if column in table.columns)
    return SealedColumns(table.name, keys, sealed, lookups)


def _sealed_name(lookup: str) -> str:
    return lookup.removesuffix(LOOKUP) + SEALED


async def reseal_table(connection: asyncpg.Connection, columns: SealedColumns, old: Vault, new: Vault) -> int:
    """Encrypt and hash the values of all rows again. Return the number of values. Raises SealedColumnsError."""
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
        raise SealedColumnsError(f"{error} with the current secret, so nothing was changed") from error
    sealed = [None if value is None else new.seal(value, columns.cell(row, column)) for column, value in plain.items()]
    client_id = columns.client_id(row)
    lookups = [_lookup(new, client_id, lookup, plain[_sealed_name(lookup)]) for lookup in columns.lookups]
    return [*(row[key] for key in columns.keys), *sealed, *lookups]


def _lookup(new: Vault, client_id: int, column: str, plain: bytes | None) -> bytes | None:
    return None if plain is None else new.identifier_hash(client_id, column.removesuffix(LOOKUP), plain.decode())
