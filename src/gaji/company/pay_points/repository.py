"""Pay point repository."""

import asyncpg
import msgspec
from msgspec.structs import astuple

from gaji.company.addresses import ADDRESS_LINES, CompanyAddress
from gaji.company.pay_points.schemas import PayPointInput
from gaji.db.json_lists import Filters, ListPage, fetch_page, filter_rows, json_text
from gaji.db.query_plans import ids_condition
from gaji.db.tenancy import Transaction

ADDRESS_COLUMNS = ", ".join(ADDRESS_LINES)
ELEMENT = """
    row_to_json((SELECT e FROM (SELECT p.id, p.name, p.client_id,
        shown(p.created_at) AS created_at, shown(p.updated_at) AS updated_at,
        (SELECT a FROM (SELECT p.unit_no, p.complex, p.st_name, p.postal_code) a) AS physical_address,
        p.external_id, p.metadata) e))::text
    AS element"""


CONDITIONS = {
    "ids": ids_condition("p.id"),
    "search": "position(lower({}::text) IN lower(p.name)) > 0",
    "external_id": "p.external_id = {}",
}
"""The SQL condition of each filter."""


async def list_elements(
    tx: Transaction, client_id: int, page: ListPage | None, filters: Filters
) -> tuple[list[str], int]:
    """Load the pay points of a client as JSON, ordered by ID, and their total number."""
    conditions, arguments = filter_rows(CONDITIONS, filters, client_id)
    source = f"pay_points p WHERE p.client_id = $1{conditions}"
    rows, total = await fetch_page(tx, f"SELECT {ELEMENT} FROM {source} ORDER BY p.id", source, page, *arguments)
    return [row["element"] for row in rows], total


async def load_element(tx: Transaction, pay_point_id: int) -> str | None:
    """Load one pay point as JSON."""
    element: str | None = await tx.fetchval(f"SELECT {ELEMENT} FROM pay_points p WHERE p.id = $1", pay_point_id)
    return element


async def load_lower_names(tx: Transaction, client_id: int, exclude_id: int = 0) -> set[str]:
    """Load the names of a client's pay points in lower case."""
    rows = await tx.fetch(
        "SELECT lower(btrim(name)) AS name FROM pay_points WHERE client_id = $1 AND id <> $2", client_id, exclude_id
    )
    return {row["name"] for row in rows}


async def lock_pay_point(tx: Transaction, pay_point_id: int) -> tuple[int, PayPointInput] | None:
    """Lock a pay point until the transaction ends and return its client and writable attributes."""
    row: asyncpg.Record | None = await tx.fetchrow("SELECT * FROM pay_points WHERE id = $1 FOR UPDATE", pay_point_id)
    if row is None:
        return None
    address = CompanyAddress(**{line: row[line] for line in ADDRESS_LINES})
    metadata = msgspec.json.decode(row["metadata"])
    pay_point = PayPointInput(
        name=row["name"], physical_address=address, external_id=row["external_id"], metadata=metadata
    )
    return row["client_id"], pay_point


async def insert(tx: Transaction, client_id: int, pay_point: PayPointInput) -> int:
    """Insert a pay point and return its ID. Raises UniqueViolationError if the name is in use."""
    pay_point_id: int = await tx.fetchval(
        f"INSERT INTO pay_points (client_id, name, external_id, metadata, {ADDRESS_COLUMNS}) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id",
        client_id,
        pay_point.name,
        pay_point.external_id,
        json_text(pay_point.metadata),
        *astuple(pay_point.physical_address),
    )
    return pay_point_id


async def update(tx: Transaction, client_id: int, pay_point_id: int, pay_point: PayPointInput) -> None:
    """Update a pay point. Raises UniqueViolationError if the name is in use."""
    await tx.execute(
        f"UPDATE pay_points SET name = $3, external_id = $4, metadata = $5, ({ADDRESS_COLUMNS}) = ($6, $7, $8, $9), "
        "updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        pay_point_id,
        pay_point.name,
        pay_point.external_id,
        json_text(pay_point.metadata),
        *astuple(pay_point.physical_address),
    )


async def delete(tx: Transaction, client_id: int, pay_point_id: int) -> None:
    """Delete a pay point. Raises ForeignKeyViolationError if it is in use."""
    await tx.execute("DELETE FROM pay_points WHERE client_id = $1 AND id = $2", client_id, pay_point_id)
