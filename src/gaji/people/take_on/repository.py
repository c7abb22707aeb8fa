"""The SQL of take-on balances."""

from collections.abc import Sequence

import asyncpg
import msgspec

from gaji.core.validation import Record
from gaji.db.json_lists import json_text
from gaji.db.tenancy import Transaction

COLUMNS = (
    "year",
    "ordinary_wages",
    "ordinary_wages_subject",
    "additional_wages",
    "additional_wages_subject",
    "cpf_employee",
    "cpf_employer",
)


async def read(tx: Transaction, client_id: int, employee_id: int) -> Record | None:
    """The balances of an employee, amounts in cents."""
    row = await tx.fetchrow(
        "SELECT * FROM take_on_balances WHERE client_id = $1 AND employee_id = $2", client_id, employee_id
    )
    if row is None:
        return None
    packed = {name: msgspec.json.decode(row[name]) for name in ("ir8a", "leave")}
    return {**{column: row[column] for column in COLUMNS}, **packed}


async def wages(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> list[asyncpg.Record]:
    """Employee, year, and the wages that CPF goes by in the rest of the year, in cents."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT employee_id, year, ordinary_wages_subject, additional_wages, additional_wages_subject "
        "FROM take_on_balances WHERE client_id = $1 AND employee_id = ANY ($2::bigint[])",
        client_id,
        employee_ids,
    )
    return rows


async def leave(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> list[asyncpg.Record]:
    """Employee, year and leave that was left over, as JSON, of those who had any."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT employee_id, year, leave FROM take_on_balances "
        "WHERE client_id = $1 AND employee_id = ANY ($2::bigint[]) AND leave <> '{}'",
        client_id,
        employee_ids,
    )
    return rows


async def taxed(tx: Transaction, client_id: int, year: int, employee_ids: Sequence[int] | None) -> list[asyncpg.Record]:
    """Employee, amounts by IR8A item as JSON, and the employee's CPF, of those who have balances of a year."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT employee_id, ir8a, cpf_employee FROM take_on_balances "
        "WHERE client_id = $1 AND year = $2 AND ($3::bigint[] IS NULL OR employee_id = ANY ($3)) ORDER BY employee_id",
        client_id,
        year,
        employee_ids,
    )
    return rows


async def told(tx: Transaction, client_id: int, year: int, employee_ids: Sequence[int]) -> list[asyncpg.Record]:
    """Employee, wages, both shares of CPF and whether leave was left over, of those who have balances of a year."""
    rows: list[asyncpg.Record] = await tx.fetch(
        "SELECT employee_id, ordinary_wages + additional_wages, cpf_employee + cpf_employer, leave <> '{}' "
        "FROM take_on_balances WHERE client_id = $1 AND year = $2 AND employee_id = ANY ($3::bigint[])",
        client_id,
        year,
        employee_ids,
    )
    return rows


async def counts(tx: Transaction, client_id: int, year: int) -> tuple[int, int]:
    """How many employees have balances of a year, and how many of them have leave that was left over."""
    row = await tx.fetchrow(
        "SELECT count(*) AS balances, count(*) FILTER (WHERE leave <> '{}') AS leave "
        "FROM take_on_balances WHERE client_id = $1 AND year = $2",
        client_id,
        year,
    )
    return row["balances"], row["leave"]


async def has_leave_of_type(tx: Transaction, client_id: int, type_id: int) -> bool:
    """Whether the balances of anyone name a leave type."""
    found: bool = await tx.fetchval(
        "SELECT EXISTS (SELECT FROM take_on_balances WHERE client_id = $1 AND leave ? $2)", client_id, str(type_id)
    )
    return found


async def replace(tx: Transaction, client_id: int, employee_id: int, record: Record) -> None:
    """Save the balances of an employee in place of those that were there."""
    columns = {column: record[column] for column in COLUMNS}
    columns |= {name: json_text(record[name] or {}) for name in ("ir8a", "leave")}
    places = ", ".join(f"${number}" for number in range(3, len(columns) + 3))
    changes = ", ".join(f"{column} = excluded.{column}" for column in columns)
    await tx.execute(
        f"INSERT INTO take_on_balances (client_id, employee_id, {', '.join(columns)}) VALUES ($1, $2, {places}) "
        f"ON CONFLICT (client_id, employee_id) DO UPDATE SET {changes}, updated_at = now()",
        client_id,
        employee_id,
        *columns.values(),
    )
