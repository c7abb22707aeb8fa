"""External IDs in the database: whether one is taken, and which record has it."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import asyncpg

from gaji.core.errors import invalid
from gaji.core.external_references import EXTERNAL_ID_REGEX, EXTERNAL_ID_TAKEN, MAX_EXTERNAL_ID_LENGTH
from gaji.db.tenancy import Transaction


def is_external_id(value: object) -> bool:
    """Return whether a value can be an external ID."""
    is_text = isinstance(value, str) and len(value) <= MAX_EXTERNAL_ID_LENGTH
    return is_text and re.fullmatch(EXTERNAL_ID_REGEX, str(value)) is not None


async def is_external_id_taken(
    tx: Transaction, table: str, scope: Mapping[str, int], external_id: object, record_id: int = 0
) -> bool:
    """Return whether another record of a table has an external ID. The scope is a column and its value."""
    if not is_external_id(external_id):
        return False
    [(column, scope_id)] = scope.items()
    query = f"SELECT EXISTS (SELECT FROM {table} WHERE {column} = $1 AND external_id = $2 AND id <> $3)"
    is_taken: bool = await tx.fetchval(query, scope_id, external_id, record_id)
    return is_taken


async def find_external_record(tx: Transaction, table: str, client_id: int, external_id: str) -> int | None:
    """Return the ID of the record of a table with an external ID, if the caller can see the client."""
    if not is_external_id(external_id):
        return None
    query = (
        f"SELECT id FROM {table} WHERE client_id = $1 AND external_id = $2 "
        "AND (SELECT EXISTS (SELECT FROM clients WHERE id = $1))"
    )
    record_id: int | None = await tx.fetchval(query, client_id, external_id)
    return record_id


@contextmanager
def external_id_race() -> Iterator[None]:
    """Report an external ID that a concurrent transaction took."""
    try:
        yield
    except asyncpg.UniqueViolationError as error:
        if not (error.constraint_name or "").endswith("_external_id"):
            raise
        raise invalid("external_id", EXTERNAL_ID_TAKEN) from None
