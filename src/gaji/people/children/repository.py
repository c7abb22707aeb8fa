"""SQL for children."""

import asyncpg
from msgspec.structs import astuple

from gaji.db.json_lists import ListPage, fetch_page
from gaji.db.tenancy import Transaction
from gaji.people.children.schemas import ChildInput

COLUMNS = "name, birthdate, citizenship, relationship, adoption_date, shared_parental_weeks, leave_from"
ELEMENT = f"""row_to_json((SELECT e FROM (SELECT id, client_id, employee_id, {COLUMNS},
        shown(created_at) AS created_at, shown(updated_at) AS updated_at) e))::text AS element"""


async def list_elements(
    tx: Transaction, client_id: int, employee_id: int, page: ListPage | None
) -> tuple[list[str], int]:
    """List the children of an employee as JSON, ordered by ID, and their total number."""
    source = "children WHERE client_id = $1 AND employee_id = $2"
    rows, total = await fetch_page(
        tx, f"SELECT {ELEMENT} FROM {source} ORDER BY id", source, page, client_id, employee_id
    )
    return [row["element"] for row in rows], total


async def load_child(tx: Transaction, child_id: int) -> asyncpg.Record | None:
    """Load a child that the caller may see."""
    return await tx.fetchrow(f"SELECT client_id, employee_id, {COLUMNS} FROM children WHERE id = $1", child_id)


async def insert(tx: Transaction, client_id: int, employee_id: int, child: ChildInput) -> int:
    """Insert a child and return its ID."""
    child_id: int = await tx.fetchval(
        f"INSERT INTO children (client_id, employee_id, {COLUMNS}) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id",
        client_id,
        employee_id,
        *astuple(child),
    )
    return child_id


async def update(tx: Transaction, client_id: int, child_id: int, child: ChildInput) -> None:
    """Update a child."""
    await tx.execute(
        f"UPDATE children SET ({COLUMNS}) = ($3, $4, $5, $6, $7, $8, $9), updated_at = now() "
        "WHERE client_id = $1 AND id = $2",
        client_id,
        child_id,
        *astuple(child),
    )


async def delete(tx: Transaction, client_id: int, child_id: int) -> None:
    """Delete a child."""
    await tx.execute("DELETE FROM children WHERE client_id = $1 AND id = $2", client_id, child_id)
