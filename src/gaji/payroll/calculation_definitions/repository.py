"""Calculation definition SQL."""

import asyncpg
import msgspec

from gaji.db.json_lists import Filters, ListPage, fetch_page, filter_rows
from gaji.db.query_plans import ids_condition
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import ItemDefinition
from gaji.engine.money import decimal_text
from gaji.payroll.calculation_definitions.schemas import CalculationDefinitionInput

COLUMNS = CalculationDefinitionInput.__struct_fields__
ELEMENT = """row_to_json((SELECT e FROM (SELECT d.id, d.client_id, d.name, d.kind, d.input, d.cpf, d.taxable, d.sdl,
        d.funds, d.gross_rate, d.ir8a, (d.amount / 100.0)::numeric(20, 2)::text AS amount, d.percentage,
        d.percentage_of, d.formula, shown(d.created_at) AS created_at, shown(d.updated_at) AS updated_at) e))::text"""
CONDITIONS = {"ids": ids_condition("d.id")}
"""The SQL condition of each filter."""


async def load_elements(
    tx: Transaction, client_id: int, page: ListPage | None, filters: Filters
) -> tuple[list[str], int]:
    """Load the definitions of a client as JSON, ordered by ID, and their total count."""
    conditions, arguments = filter_rows(CONDITIONS, filters, client_id)
    source = f"calculation_definitions d WHERE d.client_id = $1{conditions}"
    query = f"SELECT {ELEMENT} AS element FROM {source} ORDER BY d.id"
    rows, total = await fetch_page(tx, query, source, page, *arguments)
    return [row["element"] for row in rows], total


async def load_definitions(tx: Transaction, client_id: int) -> dict[int, ItemDefinition]:
    """Load the definitions of a client by ID."""
    rows = await tx.fetch("SELECT * FROM calculation_definitions WHERE client_id = $1 ORDER BY id", client_id)
    return {row["id"]: _attributes(row).to_definition(row["id"]) for row in rows}


async def lock_definition_shared(tx: Transaction, client_id: int, definition_id: int) -> None:
    """Prevent changes of a definition until the transaction ends."""
    await tx.execute(
        "SELECT FROM calculation_definitions WHERE client_id = $1 AND id = $2 FOR SHARE", client_id, definition_id
    )


async def load_client_id(tx: Transaction, definition_id: int) -> int | None:
    """Return the client of a definition that the caller may see."""
    client_id: int | None = await tx.fetchval(
        "SELECT client_id FROM calculation_definitions WHERE id = $1", definition_id
    )
    return client_id


async def lock_and_load_attributes(
    tx: Transaction, client_id: int, definition_id: int
) -> CalculationDefinitionInput | None:
    """Load the writable attributes of a definition, and lock it until the transaction ends."""
    row: asyncpg.Record | None = await tx.fetchrow(
        "SELECT * FROM calculation_definitions WHERE client_id = $1 AND id = $2 FOR UPDATE", client_id, definition_id
    )
    return None if row is None else _attributes(row)


async def lock_client_definitions(tx: Transaction, client_id: int) -> None:
    """Serialise changes of a client's definitions.

    Otherwise two concurrent changes could each be valid and together form a circular reference.
    """
    await tx.execute("SELECT pg_advisory_xact_lock(hashtextextended('calculation_definitions', $1))", client_id)


async def insert(tx: Transaction, client_id: int, attributes: CalculationDefinitionInput) -> int:
    """Add a definition and return its ID. Raises UniqueViolationError for a taken name."""
    placeholders = ", ".join(f"${number}" for number in range(2, len(COLUMNS) + 2))
    definition_id: int = await tx.fetchval(
        f"INSERT INTO calculation_definitions (client_id, {', '.join(COLUMNS)}) VALUES ($1, {placeholders}) "
        "RETURNING id",
        client_id,
        *_column_values(attributes),
    )
    return definition_id


async def update(tx: Transaction, client_id: int, definition_id: int, attributes: CalculationDefinitionInput) -> None:
    """Update a definition. Raises UniqueViolationError for a taken name."""
    assignments = ", ".join(f"{column} = ${number}" for number, column in enumerate(COLUMNS, start=3))
    await tx.execute(
        f"UPDATE calculation_definitions SET {assignments}, updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        definition_id,
        *_column_values(attributes),
    )


async def delete(tx: Transaction, client_id: int, definition_id: int) -> None:
    """Delete a definition. Raises ForeignKeyViolationError if a calculation uses it."""
    await tx.execute("DELETE FROM calculation_definitions WHERE client_id = $1 AND id = $2", client_id, definition_id)


def _attributes(row: asyncpg.Record) -> CalculationDefinitionInput:
    """Return the writable attributes of a row. The column `amount` is in cents."""
    amount = None if row["amount"] is None else decimal_text(row["amount"])
    return CalculationDefinitionInput(**({column: row[column] for column in COLUMNS} | {"amount": amount}))


def _column_values(attributes: CalculationDefinitionInput) -> list[object]:
    values = msgspec.structs.asdict(attributes) | {"amount": attributes.amount_cents}
    return [values[column] for column in COLUMNS]
