"""The SQL of calculation definitions."""

import asyncpg

from gaji.core.validation import Record
from gaji.db.json_lists import Page, counted
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import ItemDefinition
from gaji.engine.money import decimal_text
from gaji.payroll.calculation_definitions.kinds import amount_cents
from gaji.payroll.calculation_definitions.rules import definition

COLUMNS = (
    "name",
    "kind",
    "input",
    "cpf",
    "taxable",
    "sdl",
    "funds",
    "gross_rate",
    "ir8a",
    "amount",
    "percentage",
    "percentage_of",
    "formula",
)
ELEMENT = """row_to_json((SELECT e FROM (SELECT d.id, d.client_id, d.name, d.kind, d.input, d.cpf, d.taxable, d.sdl,
        d.funds, d.gross_rate, d.ir8a, (d.amount / 100.0)::numeric(20, 2)::text AS amount, d.percentage,
        d.percentage_of, d.formula, shown(d.created_at) AS created_at, shown(d.updated_at) AS updated_at) e))::text"""


async def elements(tx: Transaction, client_id: int, page: Page | None) -> tuple[list[str], int]:
    """The definitions of a client as JSON, in the order of their ids; and how many there are."""
    rows, total = await counted(
        tx,
        f"SELECT {ELEMENT} FROM calculation_definitions d WHERE d.client_id = $1 ORDER BY d.id",
        "calculation_definitions d WHERE d.client_id = $1",
        page,
        client_id,
    )
    return [row[0] for row in rows], total


async def definitions(tx: Transaction, client_id: int) -> dict[int, ItemDefinition]:
    """The definitions of a client by their ids."""
    rows = await tx.fetch("SELECT * FROM calculation_definitions WHERE client_id = $1 ORDER BY id", client_id)
    return {row["id"]: definition(row["id"], _record(row)) for row in rows}


async def keep(tx: Transaction, client_id: int, definition_id: int) -> None:
    """Let a definition stay as it is until the transaction ends."""
    await tx.execute(
        "SELECT FROM calculation_definitions WHERE client_id = $1 AND id = $2 FOR SHARE", client_id, definition_id
    )


async def client_of(tx: Transaction, definition_id: int) -> int | None:
    """The client of a definition that the caller may see."""
    found: int | None = await tx.fetchval("SELECT client_id FROM calculation_definitions WHERE id = $1", definition_id)
    return found


async def for_change(tx: Transaction, client_id: int, definition_id: int) -> Record | None:
    """The writable attributes of a definition, locked until the transaction ends."""
    row: asyncpg.Record | None = await tx.fetchrow(
        "SELECT * FROM calculation_definitions WHERE client_id = $1 AND id = $2 FOR UPDATE", client_id, definition_id
    )
    return None if row is None else _record(row)


async def hold(tx: Transaction, client_id: int) -> None:
    """Keep everyone else from changing definitions of the client: two that refer to each other must not pass apart."""
    await tx.execute("SELECT pg_advisory_xact_lock(hashtextextended('calculation_definitions', $1))", client_id)


async def insert(tx: Transaction, client_id: int, record: Record) -> int:
    """Save a new definition and give its id; raises UniqueViolationError for a name in use."""
    places = ", ".join(f"${number}" for number in range(2, len(COLUMNS) + 2))
    definition_id: int = await tx.fetchval(
        f"INSERT INTO calculation_definitions (client_id, {', '.join(COLUMNS)}) VALUES ($1, {places}) RETURNING id",
        client_id,
        *_values(record),
    )
    return definition_id


async def update(tx: Transaction, client_id: int, definition_id: int, record: Record) -> None:
    """Save a changed definition; raises UniqueViolationError for a name in use."""
    changes = ", ".join(f"{column} = ${number}" for number, column in enumerate(COLUMNS, start=3))
    await tx.execute(
        f"UPDATE calculation_definitions SET {changes}, updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        definition_id,
        *_values(record),
    )


async def delete(tx: Transaction, client_id: int, definition_id: int) -> None:
    """Remove a definition; raises ForeignKeyViolationError while a calculation is of it."""
    await tx.execute("DELETE FROM calculation_definitions WHERE client_id = $1 AND id = $2", client_id, definition_id)


def _record(row: asyncpg.Record) -> Record:
    """The writable attributes as they were read from a body."""
    amount = None if row["amount"] is None else decimal_text(row["amount"])
    return {column: row[column] for column in COLUMNS} | {"amount": amount}


def _values(record: Record) -> list[object]:
    values = record | {"amount": amount_cents(record["amount"])}
    return [values[column] for column in COLUMNS]
