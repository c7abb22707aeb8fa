"""The SQL of custom employee fields."""

import asyncpg
import msgspec

from gaji.company.custom_fields.schemas import CustomField
from gaji.core.validation import Record
from gaji.db.json_lists import Page, counted, json_text
from gaji.db.tenancy import Transaction

ELEMENT = """row_to_json((SELECT e FROM (SELECT f.id, f.name, f.type, f.required, f.options, f.client_id,
        shown(f.created_at) AS created_at, shown(f.updated_at) AS updated_at) e))::text"""


async def elements(tx: Transaction, client_id: int, page: Page | None) -> tuple[list[str], int]:
    """The custom fields of a client as JSON, in the order of their ids; and how many there are."""
    rows, total = await counted(
        tx,
        f"SELECT {ELEMENT} FROM custom_employee_fields f WHERE f.client_id = $1 ORDER BY f.id",
        "custom_employee_fields f WHERE f.client_id = $1",
        page,
        client_id,
    )
    return [row[0] for row in rows], total


async def fields(tx: Transaction, client_id: int) -> dict[int, CustomField]:
    """The definitions of a client's fields, by their ids; they stay as they are until the transaction ends."""
    rows = await tx.fetch("SELECT * FROM custom_employee_fields WHERE client_id = $1 FOR KEY SHARE", client_id)
    return {
        row["id"]: CustomField(
            row["id"],
            row["name"],
            row["type"],
            row["required"],
            tuple(option["id"] for option in msgspec.json.decode(row["options"])),
        )
        for row in rows
    }


async def shown(tx: Transaction, client_id: int) -> list[asyncpg.Record]:
    """Id, name, options, type and whether it is required of a client's fields, in the order of their ids."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT id, name, options, type, required FROM custom_employee_fields WHERE client_id = $1 ORDER BY id",
        client_id,
    )
    return rows


async def for_change(tx: Transaction, field_id: int) -> tuple[int, Record] | None:
    """The client of a field and its writable attributes, locked until the transaction ends."""
    row: asyncpg.Record | None = await tx.fetchrow(
        "SELECT * FROM custom_employee_fields WHERE id = $1 FOR UPDATE", field_id
    )
    if row is None:
        return None
    return row["client_id"], {
        "name": row["name"],
        "type": row["type"],
        "required": row["required"],
        "options": msgspec.json.decode(row["options"]),
    }


async def names(tx: Transaction, client_id: int, but: int = 0) -> set[str]:
    """The names of a client's fields in lower case, but for one field."""
    rows = await tx.fetch(
        "SELECT lower(btrim(name)) FROM custom_employee_fields WHERE client_id = $1 AND id <> $2", client_id, but
    )
    return {row[0] for row in rows}


async def new_option_ids(tx: Transaction, count: int) -> list[int]:
    """So many fresh ids for options."""
    rows = await tx.fetch("SELECT nextval('custom_employee_field_option_ids') FROM generate_series(1, $1)", count)
    return [row[0] for row in rows]


async def insert(tx: Transaction, client_id: int, record: Record) -> int:
    """Save a new field and give its id; raises UniqueViolationError for a name in use."""
    field_id: int = await tx.fetchval(
        "INSERT INTO custom_employee_fields (client_id, name, type, required, options) "
        "VALUES ($1, $2, $3, $4, $5) RETURNING id",
        client_id,
        record["name"],
        record["type"],
        record["required"],
        json_text(record["options"] or []),
    )
    return field_id


async def update(tx: Transaction, client_id: int, field_id: int, record: Record) -> None:
    """Save a changed field; raises UniqueViolationError for a name in use."""
    await tx.execute(
        "UPDATE custom_employee_fields SET name = $3, type = $4, required = $5, options = $6, updated_at = now() "
        "WHERE client_id = $1 AND id = $2",
        client_id,
        field_id,
        record["name"],
        record["type"],
        record["required"],
        json_text(record["options"] or []),
    )


async def delete(tx: Transaction, client_id: int, field_id: int) -> None:
    """Remove a field."""
    await tx.execute("DELETE FROM custom_employee_fields WHERE client_id = $1 AND id = $2", client_id, field_id)


async def used_values(tx: Transaction, client_id: int, field_id: int) -> set[str]:
    """The values that employees have in a field."""
    rows = await tx.fetch(
        "SELECT DISTINCT custom_fields ->> $2 FROM employees WHERE client_id = $1 AND custom_fields ? $2",
        client_id,
        str(field_id),
    )
    return {row[0] for row in rows}
