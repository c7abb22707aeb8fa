"""Profile and profile mapping SQL."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import asyncpg
import msgspec

from gaji.db.json_lists import NO_FILTERS, Filters, ListOrder, ListPage, fetch_page, filter_rows, json_text
from gaji.db.query_plans import ids_condition
from gaji.db.tenancy import Transaction
from gaji.people.employees.directory import employee_orders

TIMESTAMPS = "shown(created_at) AS created_at, shown(updated_at) AS updated_at"
PROFILE_COLUMNS = f"id, client_id, name, {TIMESTAMPS}"
MAPPING_COLUMNS = f"id, client_id, employee_id, profile_id, calculations, {TIMESTAMPS}"
MAPPING_ORDERS = employee_orders("profile_mappings")
CONDITIONS = {"ids": ids_condition("id")}
"""The SQL condition of each filter."""


@dataclass(frozen=True)
class Profile:
    """A profile without its calculations."""

    id: int
    client_id: int
    name: str
    created_at: str
    updated_at: str


@dataclass(frozen=True)
class ProfileMapping:
    """The mapping of a profile to an employee."""

    id: int
    client_id: int
    employee_id: int
    profile_id: int
    calculations: Mapping[str, bool]
    """Whether each calculation applies. Calculations that are not listed apply."""
    created_at: str
    updated_at: str


async def load_profiles(
    tx: Transaction, client_id: int, page: ListPage | None, filters: Filters = NO_FILTERS
) -> tuple[list[Profile], int]:
    """Load the profiles of a client, ordered by ID, and their total count."""
    conditions, arguments = filter_rows(CONDITIONS, filters, client_id)
    source = f"profiles WHERE client_id = $1{conditions}"
    query = f"SELECT {PROFILE_COLUMNS} FROM {source} ORDER BY profiles.id"
    rows, total = await fetch_page(tx, query, source, page, *arguments)
    return [Profile(**row) for row in rows], total


async def load_profile(tx: Transaction, profile_id: int) -> Profile | None:
    """Load a profile that the caller may see."""
    row = await tx.fetchrow(f"SELECT {PROFILE_COLUMNS} FROM profiles WHERE id = $1", profile_id)
    return Profile(**row) if row else None


async def load_lower_names(tx: Transaction, client_id: int, exclude_id: int = 0) -> set[str]:
    """Load the names of a client's profiles in lower case, except one."""
    rows = await tx.fetch(
        "SELECT lower(btrim(name)) AS name FROM profiles WHERE client_id = $1 AND id <> $2", client_id, exclude_id
    )
    return {row["name"] for row in rows}


async def insert(tx: Transaction, client_id: int, name: str) -> int:
    """Add a profile and return its ID. Raises UniqueViolationError for a taken name."""
    profile_id: int = await tx.fetchval(
        "INSERT INTO profiles (client_id, name) VALUES ($1, $2) RETURNING id", client_id, name
    )
    return profile_id


async def update(tx: Transaction, client_id: int, profile_id: int, name: str) -> None:
    """Update a profile. Raises UniqueViolationError for a taken name."""
    await tx.execute(
        "UPDATE profiles SET name = $3, updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        profile_id,
        name,
    )


async def delete(tx: Transaction, client_id: int, profile_id: int) -> None:
    """Delete a profile with its calculations. Raises ForeignKeyViolationError if an employee has it."""
    await tx.execute("DELETE FROM profiles WHERE client_id = $1 AND id = $2", client_id, profile_id)


async def load_employee_mappings(
    tx: Transaction, client_id: int, employee_id: int, filters: Filters = NO_FILTERS
) -> list[ProfileMapping]:
    """Load the mappings of an employee, ordered by ID."""
    conditions, arguments = filter_rows(CONDITIONS, filters, client_id, employee_id)
    rows = await tx.fetch(
        f"SELECT {MAPPING_COLUMNS} FROM profile_mappings WHERE client_id = $1 AND employee_id = $2{conditions} "
        "ORDER BY profile_mappings.id",
        *arguments,
    )
    return [_mapping(row) for row in rows]


async def load_profile_mappings(
    tx: Transaction, client_id: int, profile_id: int, page: ListPage | None, order: ListOrder | None = None
) -> tuple[list[ProfileMapping], int]:
    """Load the mappings of a profile, ordered by ID unless otherwise stated, and their total count."""
    source = "profile_mappings WHERE client_id = $1 AND profile_id = $2"
    by = order.sql(MAPPING_ORDERS, "profile_mappings.id") if order else "profile_mappings.id"
    rows, total = await fetch_page(
        tx,
        f"SELECT {MAPPING_COLUMNS} FROM {source} ORDER BY {by}",
        source,
        page,
        client_id,
        profile_id,
    )
    return [_mapping(row) for row in rows], total


async def load_mapping(tx: Transaction, mapping_id: int) -> ProfileMapping | None:
    """Load a mapping that the caller may see."""
    row = await tx.fetchrow(f"SELECT {MAPPING_COLUMNS} FROM profile_mappings WHERE id = $1", mapping_id)
    return _mapping(row) if row else None


async def insert_mapping(
    tx: Transaction, client_id: int, employee_id: int, profile_id: int, calculations: Mapping[str, bool]
) -> int:
    """Add a mapping and return its ID. Raises ForeignKeyViolationError if the profile was deleted."""
    mapping_id: int = await tx.fetchval(
        "INSERT INTO profile_mappings (client_id, employee_id, profile_id, calculations) "
        "VALUES ($1, $2, $3, $4) RETURNING id",
        client_id,
        employee_id,
        profile_id,
        json_text(calculations),
    )
    return mapping_id


async def insert_mappings(tx: Transaction, client_id: int, profile_id: int, employee_ids: Sequence[int]) -> None:
    """Assign a profile to employees who do not have it."""
    await tx.execute(
        "INSERT INTO profile_mappings (client_id, employee_id, profile_id) "
        "SELECT $1, e, $2 FROM unnest($3::bigint[]) AS e",
        client_id,
        profile_id,
        employee_ids,
    )


async def update_mapping(
    tx: Transaction, client_id: int, mapping_id: int, profile_id: int, calculations: Mapping[str, bool]
) -> None:
    """Update a mapping. Raises ForeignKeyViolationError if the profile was deleted."""
    await tx.execute(
        "UPDATE profile_mappings SET profile_id = $3, calculations = $4, updated_at = now() "
        "WHERE client_id = $1 AND id = $2",
        client_id,
        mapping_id,
        profile_id,
        json_text(calculations),
    )


async def delete_mapping(tx: Transaction, client_id: int, mapping_id: int) -> None:
    """Delete a mapping."""
    await tx.execute("DELETE FROM profile_mappings WHERE client_id = $1 AND id = $2", client_id, mapping_id)


def _mapping(row: asyncpg.Record) -> ProfileMapping:
    return ProfileMapping(**(dict(row) | {"calculations": msgspec.json.decode(row["calculations"])}))
