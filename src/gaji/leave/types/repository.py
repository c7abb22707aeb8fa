"""The SQL of leave types and their policies."""

from collections.abc import Sequence
from datetime import date
from typing import Any

import asyncpg

from gaji.core.validation import Record
from gaji.db.tenancy import Transaction

POLICY = (
    "accrual",
    "entitlement",
    "first_year",
    "least_months",
    "carry_over_limit",
    "carry_over_expiry_months",
    "prorate",
    "below_zero",
    "paid",
)


async def names_by_id(tx: Transaction, client_id: int) -> dict[int, str]:
    """The types of a client: their names, by id."""
    rows = await tx.fetch("SELECT id, name FROM leave_types WHERE client_id = $1 ORDER BY id", client_id)
    return dict(rows)


async def with_policies(tx: Transaction, client_id: int) -> list[asyncpg.Record]:
    """Each type of a client with each of its policies, in the order of ids and dates."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT t.id, t.name, t.system_type, p.effective_date, {', '.join(f'p.{name}' for name in POLICY)} "
        "FROM leave_types t LEFT JOIN leave_policies p ON p.client_id = t.client_id AND p.leave_type_id = t.id "
        "WHERE t.client_id = $1 ORDER BY t.id, p.effective_date",
        client_id,
    )
    return rows


async def client_of(tx: Transaction, type_id: int, *, lock: bool = False) -> asyncpg.Record | None:
    """The client, name and system type of a type that the caller may see; locked where asked."""
    return await tx.fetchrow(
        f"SELECT client_id, name, system_type FROM leave_types WHERE id = $1 {'FOR UPDATE' if lock else ''}", type_id
    )


async def insert_system_types(tx: Transaction, client_id: int, names: Sequence[str]) -> None:
    """Save the types that come with a client."""
    await tx.execute(
        "INSERT INTO leave_types (client_id, name, system_type) "
        "SELECT $1, name, name FROM unnest($2::text[]) WITH ORDINALITY AS t(name, place) ORDER BY place",
        client_id,
        names,
    )


async def insert(tx: Transaction, client_id: int, name: str) -> int:
    """Save a new type and give its id; raises UniqueViolationError for a name in use."""
    type_id: int = await tx.fetchval(
        "INSERT INTO leave_types (client_id, name) VALUES ($1, $2) RETURNING id", client_id, name
    )
    return type_id


async def rename(tx: Transaction, client_id: int, type_id: int, name: str) -> None:
    """Give a type another name; raises UniqueViolationError for one in use."""
    await tx.execute(
        "UPDATE leave_types SET name = $3, updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        type_id,
        name,
    )


async def delete(tx: Transaction, client_id: int, type_id: int) -> None:
    """Remove a type with its policies; raises ForeignKeyViolationError when it is in use."""
    await tx.execute("DELETE FROM leave_types WHERE client_id = $1 AND id = $2", client_id, type_id)


async def is_asked_for(tx: Transaction, client_id: int, type_id: int) -> bool:
    """Whether a request names a type."""
    found: bool = await tx.fetchval(
        "SELECT EXISTS (SELECT FROM leave_requests WHERE client_id = $1 "
        "AND dates @> jsonb_build_array(jsonb_build_object('type_id', $2::bigint)))",
        client_id,
        type_id,
    )
    return found


async def save_policy(tx: Transaction, client_id: int, type_id: int, since: date, policy: Record) -> None:
    """Save what holds of a type from a day on, in place of what was to hold from the same day."""
    values: list[Any] = [policy[name] for name in POLICY]
    places = ", ".join(f"${number}" for number in range(4, len(values) + 4))
    changes = ", ".join(f"{name} = excluded.{name}" for name in POLICY)
    await tx.execute(
        f"INSERT INTO leave_policies (client_id, leave_type_id, effective_date, {', '.join(POLICY)}) "
        f"VALUES ($1, $2, $3, {places}) "
        f"ON CONFLICT ON CONSTRAINT leave_policies_once DO UPDATE SET {changes}, updated_at = now()",
        client_id,
        type_id,
        since,
        *values,
    )
