"""Custom employee field repository."""

import asyncpg
import msgspec

from gaji.company.custom_fields.schemas import CustomFieldInput, FieldOption
from gaji.db.json_lists import Filters, ListPage, fetch_page, filter_rows, json_text
from gaji.db.query_plans import ids_condition
from gaji.db.tenancy import Transaction

ELEMENT = """row_to_json((SELECT e FROM (SELECT f.id, f.name, f.type, f.required, f.options, f.client_id,
        shown(f.created_at) AS created_at, shown(f.updated_at) AS updated_at) e))::text AS element"""
CONDITIONS = {"ids": ids_condition("f.id")}
"""The SQL condition of each filter."""


async def list_elements(
    tx: Transaction, client_id: int, page: ListPage | None, filters: Filters
) -> tuple[list[str], int]:
    """Load the custom fields of a client as JSON, ordered by ID, and their total number."""
    conditions, arguments = filter_rows(CONDITIONS, filters, client_id)
    source = f"custom_employee_fields f WHERE f.client_id = $1{conditions}"
    rows, total = await fetch_page(tx, f"SELECT {ELEMENT} FROM {source} ORDER BY f.id", source, page, *arguments)
    return [row["element"] for row in rows], total


async def lock_field(tx: Transaction, field_id: int) -> tuple[int, CustomFieldInput] | None:
    """Lock a field until the transaction ends and return its client and writable attributes."""
    row: asyncpg.Record | None = await tx.fetchrow(
        "SELECT * FROM custom_employee_fields WHERE id = $1 FOR UPDATE", field_id
    )
    if row is None:
        return None
    options = msgspec.json.decode(row["options"], type=list[FieldOption])
    return row["client_id"], CustomFieldInput(
        name=row["name"], type=row["type"], required=row["required"], options=options
    )


async def load_lower_names(tx: Transaction, client_id: int, exclude_id: int = 0) -> set[str]:
    """Load the names of a client's fields in lower case."""
    rows = await tx.fetch(
        "SELECT lower(btrim(name)) AS name FROM custom_employee_fields WHERE client_id = $1 AND id <> $2",
        client_id,
        exclude_id,
    )
    return {row["name"] for row in rows}


async def next_option_ids(tx: Transaction, count: int) -> list[int]:
    """Return new IDs for options."""
    rows = await tx.fetch("SELECT nextval('custom_employee_field_option_ids') AS id FROM generate_series(1, $1)", count)
    return [row["id"] for row in rows]


async def insert(tx: Transaction, client_id: int, field: CustomFieldInput) -> int:
    """Insert a field and return its ID. Raises UniqueViolationError if the name is in use."""
    field_id: int = await tx.fetchval(
        "INSERT INTO custom_employee_fields (client_id, name, type, required, options) "
        "VALUES ($1, $2, $3, $4, $5) RETURNING id",
        client_id,
        field.name,
        field.type,
        field.required,
        json_text(field.options or []),
    )
    return field_id


async def update(tx: Transaction, client_id: int, field_id: int, field: CustomFieldInput) -> None:
    """Update a field. Raises UniqueViolationError if the name is in use."""
    await tx.execute(
        "UPDATE custom_employee_fields SET name = $3, type = $4, required = $5, options = $6, updated_at = now() "
        "WHERE client_id = $1 AND id = $2",
        client_id,
        field_id,
        field.name,
        field.type,
        field.required,
        json_text(field.options or []),
    )


async def delete(tx: Transaction, client_id: int, field_id: int) -> None:
    """Delete a field."""
    await tx.execute("DELETE FROM custom_employee_fields WHERE client_id = $1 AND id = $2", client_id, field_id)


async def load_used_values(tx: Transaction, client_id: int, field_id: int) -> set[str]:
    """Load the values that employees have in a field."""
    rows = await tx.fetch(
        "SELECT DISTINCT custom_fields ->> $2 AS value FROM employees WHERE client_id = $1 AND custom_fields ? $2",
        client_id,
        str(field_id),
    )
    return {row["value"] for row in rows}
