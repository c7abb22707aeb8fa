"""SQL for share gains."""

import asyncpg

from gaji.db.json_lists import Filters, ListPage, fetch_page, filter_rows
from gaji.db.query_plans import ids_condition
from gaji.db.tenancy import Transaction
from gaji.law.share_gains import income_date
from gaji.people.share_gains.schemas import SHARE_GAIN, ShareGainInput

COLUMNS = [attribute.name for attribute in SHARE_GAIN.attributes]
NUMBERS = ("market_value", "price", "shares")
"""Columns with decimal numbers, read as text without trailing zeros."""
LIST = ", ".join(f"trim_scale({name})::text AS {name}" if name in NUMBERS else name for name in COLUMNS)
TIMESTAMPS = "shown(created_at) AS created_at, shown(updated_at) AS updated_at"
CONDITIONS = {"ids": ids_condition("id"), "year": "extract(year FROM income_date) = {}::integer"}
"""The SQL condition of each filter."""


def to_input(row: asyncpg.Record) -> ShareGainInput:
    """Return the gain of a row."""
    return ShareGainInput(**{name: row[name] for name in COLUMNS})


async def list_rows(
    tx: Transaction, client_id: int, employee_id: int, page: ListPage | None, filters: Filters
) -> tuple[list[asyncpg.Record], int]:
    """List the gains of an employee, ordered by ID, and their total number."""
    conditions, arguments = filter_rows(CONDITIONS, filters, client_id, employee_id)
    source = f"share_gains WHERE client_id = $1 AND employee_id = $2{conditions}"
    query = f"SELECT id, employee_id, {LIST}, {TIMESTAMPS} FROM {source} ORDER BY id"
    return await fetch_page(tx, query, source, page, *arguments)


async def load(tx: Transaction, gain_id: int) -> asyncpg.Record | None:
    """Load a gain that the caller may see."""
    return await tx.fetchrow(f"SELECT client_id, employee_id, id, {LIST} FROM share_gains WHERE id = $1", gain_id)


async def count_gains(
    tx: Transaction, client_id: int, employee_id: int, except_id: int | None = None
) -> dict[int, int]:
    """Count the gains of an employee by year of income, without one of them."""
    rows = await tx.fetch(
        "SELECT extract(year FROM income_date)::integer AS year, count(*) AS gains FROM share_gains "
        "WHERE client_id = $1 AND employee_id = $2 AND id IS DISTINCT FROM $3 GROUP BY 1",
        client_id,
        employee_id,
        except_id,
    )
    return {row["year"]: row["gains"] for row in rows}


async def insert(tx: Transaction, client_id: int, employee_id: int, data: ShareGainInput) -> int:
    """Insert a gain and return its ID."""
    gain_id: int = await tx.fetchval(
        f"INSERT INTO share_gains (client_id, employee_id, {', '.join(COLUMNS)}, income_date) "
        f"VALUES ($1, $2, {', '.join(map(_placeholder, range(len(COLUMNS))))}, ${len(COLUMNS) + 3}) RETURNING id",
        client_id,
        employee_id,
        *_values(data),
    )
    return gain_id


async def update(tx: Transaction, client_id: int, gain_id: int, data: ShareGainInput) -> None:
    """Update a gain."""
    changes = ", ".join(f"{column} = {_placeholder(index)}" for index, column in enumerate(COLUMNS))
    await tx.execute(
        f"UPDATE share_gains SET {changes}, income_date = ${len(COLUMNS) + 3}, updated_at = now() "
        "WHERE client_id = $1 AND id = $2",
        client_id,
        gain_id,
        *_values(data),
    )


async def delete(tx: Transaction, client_id: int, gain_id: int) -> None:
    """Delete a gain."""
    await tx.execute("DELETE FROM share_gains WHERE client_id = $1 AND id = $2", client_id, gain_id)


def _placeholder(index: int) -> str:
    return f"${index + 3}::text::numeric" if COLUMNS[index] in NUMBERS else f"${index + 3}"


def _values(data: ShareGainInput) -> list[object]:
    return [*(getattr(data, name) for name in COLUMNS), income_date(data.gain)]
