"""SQL for children."""

from collections.abc import Sequence
from typing import Any

import asyncpg
from msgspec.structs import astuple

from gaji.db.json_lists import Filters, ListPage, fetch_page, filter_rows
from gaji.db.query_plans import ids_condition
from gaji.db.tenancy import Transaction
from gaji.people.children.schemas import ChildInput

COLUMNS = "name, birthdate, citizenship, relationship, adoption_date, shared_parental_weeks, leave_from"
ELEMENT = f"""row_to_json((SELECT e FROM (SELECT id, client_id, employee_id, {COLUMNS},
        shown(created_at) AS created_at, shown(updated_at) AS updated_at) e))::text AS element"""
CONDITIONS = {"ids": ids_condition("id")}
"""The SQL condition of each filter."""


async def list_elements(
    tx: Transaction, client_id: int, employee_id: int, page: ListPage | None, filters: Filters
) -> tuple[list[str], int]:
    """List the children of an employee as JSON, ordered by ID, and their total number."""
    conditions, arguments = filter_rows(CONDITIONS, filters, client_id, employee_id)
    source = f"children WHERE client_id = $1 AND employee_id = $2{conditions}"
    rows, total = await fetch_page(tx, f"SELECT {ELEMENT} FROM {source} ORDER BY id", source, page, *arguments)
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


async def insert_many(tx: Transaction, client_id: int, children: Sequence[tuple[int, ChildInput]]) -> list[int]:
    """Insert children, each with its employee, and return their IDs in the same order."""
    rows = await tx.fetch(
        f"INSERT INTO children (client_id, employee_id, {COLUMNS}) "
        "SELECT $1, employee_id, name, birthdate, citizenship, relationship, adoption_date, weeks, leave_from "
        "FROM unnest($2::bigint[], $3::text[], $4::date[], $5::text[], $6::text[], $7::date[], $8::smallint[], "
        "$9::date[]) WITH ORDINALITY AS new (employee_id, name, birthdate, citizenship, relationship, "
        "adoption_date, weeks, leave_from, position) ORDER BY position RETURNING id",
        client_id,
        *_transpose(children),
    )
    return [row["id"] for row in rows]


async def update_many(tx: Transaction, client_id: int, children: Sequence[tuple[int, ChildInput]]) -> None:
    """Update children, each with its ID."""
    await tx.execute(
        f"UPDATE children c SET ({COLUMNS}) = (new.name, new.birthdate, new.citizenship, new.relationship, "
        "new.adoption_date, new.weeks, new.leave_from), updated_at = now() "
        "FROM unnest($2::bigint[], $3::text[], $4::date[], $5::text[], $6::text[], $7::date[], $8::smallint[], "
        "$9::date[]) AS new (id, name, birthdate, citizenship, relationship, adoption_date, weeks, leave_from) "
        "WHERE c.client_id = $1 AND c.id = new.id",
        client_id,
        *_transpose(children),
    )


def _transpose(children: Sequence[tuple[int, ChildInput]]) -> list[list[Any]]:
    """Return the columns of children: the ID that comes with each, and its attributes."""
    return [list(column) for column in zip(*((key, *astuple(child)) for key, child in children), strict=True)]


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
