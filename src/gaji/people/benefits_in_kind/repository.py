"""SQL for benefits in kind."""

import asyncpg
import msgspec

from gaji.db.json_lists import Filters, ListPage, fetch_page, filter_rows
from gaji.db.query_plans import ids_condition
from gaji.db.tenancy import Transaction
from gaji.people.benefits_in_kind.schemas import BENEFIT_IN_KIND, BenefitInput

COLUMNS = {attribute.name: attribute.key for attribute in BENEFIT_IN_KIND.attributes}
"""The attribute of the struct for each column. Amounts are in cents."""
LIST = ", ".join(COLUMNS)
TIMESTAMPS = "shown(created_at) AS created_at, shown(updated_at) AS updated_at"
CONDITIONS = {"ids": ids_condition("id"), "year": "extract(year FROM provided_to) = {}::integer"}
"""The SQL condition of each filter."""


def to_input(row: asyncpg.Record) -> BenefitInput:
    """Return the benefit of a row."""
    return msgspec.convert({key: row[column] for column, key in COLUMNS.items()}, BenefitInput)


async def list_rows(
    tx: Transaction, client_id: int, employee_id: int, page: ListPage | None, filters: Filters
) -> tuple[list[asyncpg.Record], int]:
    """List the benefits of an employee, ordered by ID, and their total number."""
    conditions, arguments = filter_rows(CONDITIONS, filters, client_id, employee_id)
    source = f"benefits_in_kind WHERE client_id = $1 AND employee_id = $2{conditions}"
    query = f"SELECT id, employee_id, {LIST}, {TIMESTAMPS} FROM {source} ORDER BY id"
    return await fetch_page(tx, query, source, page, *arguments)


async def load(tx: Transaction, benefit_id: int) -> asyncpg.Record | None:
    """Load a benefit that the caller may see."""
    return await tx.fetchrow(
        f"SELECT client_id, employee_id, id, {LIST} FROM benefits_in_kind WHERE id = $1", benefit_id
    )


async def count_residences(
    tx: Transaction, client_id: int, employee_id: int, except_id: int | None = None
) -> dict[int, int]:
    """Count the residences of an employee by year, without one of them."""
    rows = await tx.fetch(
        "SELECT extract(year FROM provided_to)::integer AS year, count(*) AS residences FROM benefits_in_kind "
        "WHERE client_id = $1 AND employee_id = $2 AND category = 'residence' AND id IS DISTINCT FROM $3 GROUP BY 1",
        client_id,
        employee_id,
        except_id,
    )
    return {row["year"]: row["residences"] for row in rows}


async def insert(tx: Transaction, client_id: int, employee_id: int, data: BenefitInput) -> int:
    """Insert a benefit and return its ID."""
    placeholders = ", ".join(f"${number}" for number in range(3, len(COLUMNS) + 3))
    benefit_id: int = await tx.fetchval(
        f"INSERT INTO benefits_in_kind (client_id, employee_id, {LIST}) VALUES ($1, $2, {placeholders}) RETURNING id",
        client_id,
        employee_id,
        *_values(data),
    )
    return benefit_id


async def update(tx: Transaction, client_id: int, benefit_id: int, data: BenefitInput) -> None:
    """Update a benefit."""
    changes = ", ".join(f"{column} = ${number}" for number, column in enumerate(COLUMNS, start=3))
    await tx.execute(
        f"UPDATE benefits_in_kind SET {changes}, updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        benefit_id,
        *_values(data),
    )


async def delete(tx: Transaction, client_id: int, benefit_id: int) -> None:
    """Delete a benefit."""
    await tx.execute("DELETE FROM benefits_in_kind WHERE client_id = $1 AND id = $2", client_id, benefit_id)


def _values(data: BenefitInput) -> list[object]:
    return [getattr(data, key) for key in COLUMNS.values()]
