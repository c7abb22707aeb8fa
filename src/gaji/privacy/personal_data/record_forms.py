"""Stored rows as they are exported: amounts in dollars, days and hours as decimals, identifiers decrypted or masked."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from gaji.core.vault import SealedCell, Vault
from gaji.engine.money import decimal_text
from gaji.privacy.tables import PersonalTable

SEALED, MASKED = "_sealed", "_masked"
DERIVED = ("_lookup", "_hash")
"""Endings of columns that are derived from others, or secret."""
PER_UNIT = 1000


def exported_record(
    vault: Vault, client_id: int, table: PersonalTable, row: Mapping[str, Any], *, masked: bool
) -> dict[str, Any]:
    """Return a row as it is exported."""
    record: dict[str, Any] = {}
    for column, value in row.items():
        if column.endswith(SEALED):
            name = column.removesuffix(SEALED)
            record[name] = row.get(name + MASKED) if masked else _opened(vault, client_id, table, row, column)
        elif column.endswith(MASKED) and column.removesuffix(MASKED) + SEALED in row:
            continue
        elif column in table.amounts:
            record[column] = None if value is None else decimal_text(value)
        elif "milli" in column:
            record[column.replace("milli", "")] = None if value is None else str(Decimal(value) / PER_UNIT)
        elif not column.endswith(DERIVED):
            record[column] = value
    return record


def _opened(vault: Vault, client_id: int, table: PersonalTable, row: Mapping[str, Any], column: str) -> str | None:
    if row[column] is None:
        return None
    source, id_column = table.sealed_as or (table.name, "id")
    sealed = bytes.fromhex(row[column].removeprefix("\\x"))
    return vault.open(sealed, SealedCell(client_id, source, row[id_column], column))
