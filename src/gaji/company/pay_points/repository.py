"""The SQL of pay points."""

import asyncpg

from gaji.company.addresses import ADDRESS_LINES
from gaji.core.validation import Record
from gaji.db.json_lists import Page, counted
from gaji.db.tenancy import Transaction

ELEMENT = """
    row_to_json((SELECT e FROM (SELECT p.id, p.name, p.client_id,
        shown(p.created_at) AS created_at, shown(p.updated_at) AS updated_at,
        (SELECT a FROM (SELECT p.unit_no, p.complex, p.st_name, p.postal_code) a) AS physical_address) e))::text"""


async def elements(tx: Transaction, client_id: int, page: Page | None) -> tuple[list[str], int]:
    """The pay points of a client as JSON, in the order of their ids; and how many there are."""
    rows, total = await counted(
        tx,
        f"SELECT {ELEMENT} FROM pay_points p WHERE p.client_id = $1 ORDER BY p.id",
        "pay_points p WHERE p.client_id = $1",
        page,
        client_id,
    )
    return [row[0] for row in rows], total


async def names(tx: Transaction, client_id: int, but: int = 0) -> set[str]:
    """The names of a client's pay points in lower case, but for one of them."""
    rows = await tx.fetch("SELECT lower(btrim(name)) FROM pay_points WHERE client_id = $1 AND id <> $2", client_id, but)
    return {row[0] for row in rows}


async def ids(tx: Transaction, client_id: int) -> set[int]:
    """The ids of a client's pay points."""
    return {row[0] for row in await tx.fetch("SELECT id FROM pay_points WHERE client_id = $1", client_id)}


async def names_by_id(tx: Transaction, client_id: int) -> dict[int, str]:
    """The names of a client's pay points by their ids, in the order of the ids."""
    return dict(await tx.fetch("SELECT id, name FROM pay_points WHERE client_id = $1 ORDER BY id", client_id))


async def for_change(tx: Transaction, pay_point_id: int) -> tuple[int, Record] | None:
    """The client of a pay point and its writable attributes, locked until the transaction ends."""
    row: asyncpg.Record | None = await tx.fetchrow("SELECT * FROM pay_points WHERE id = $1 FOR UPDATE", pay_point_id)
    if row is None:
        return None
    return row["client_id"], {
        "name": row["name"],
        "physical_address": {line: row[line] for line in ADDRESS_LINES},
    }


async def insert(tx: Transaction, client_id: int, record: Record) -> int:
    """Save a new pay point and give its id; raises UniqueViolationError for a name in use."""
    address = record["physical_address"]
    pay_point_id: int = await tx.fetchval(
        "INSERT INTO pay_points (client_id, name, unit_no, complex, st_name, postal_code) "
        "VALUES ($1, $2, $3, $4, $5, $6) RETURNING id",
        client_id,
        record["name"],
        *(address[line] for line in ADDRESS_LINES),
    )
    return pay_point_id


async def update(tx: Transaction, client_id: int, pay_point_id: int, record: Record) -> None:
    """Save a changed pay point; raises UniqueViolationError for a name in use."""
    address = record["physical_address"]
    await tx.execute(
        "UPDATE pay_points SET name = $3, unit_no = $4, complex = $5, st_name = $6, postal_code = $7, "
        "updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        pay_point_id,
        record["name"],
        *(address[line] for line in ADDRESS_LINES),
    )


async def delete(tx: Transaction, client_id: int, pay_point_id: int) -> None:
    """Remove a pay point; raises ForeignKeyViolationError while it is in use."""
    await tx.execute("DELETE FROM pay_points WHERE client_id = $1 AND id = $2", client_id, pay_point_id)
