"""The SQL of profiles and their mappings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import asyncpg
import msgspec

from gaji.db.json_lists import Page, counted, json_text
from gaji.db.tenancy import Transaction

TIMES = "shown(created_at) AS created_at, shown(updated_at) AS updated_at"


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
    """That an employee has a profile."""

    id: int
    client_id: int
    employee_id: int
    profile_id: int
    calculations: Mapping[str, bool]
    created_at: str
    updated_at: str


APPLIED = """SELECT id, employee_id, profile_id, calculations FROM profile_mappings
    WHERE client_id = $1 AND employee_id = ANY ($2::bigint[])"""
"""Mapping, employee, profile and which of its calculations apply, of a client and some of its employees."""


async def applied(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> list[asyncpg.Record]:
    """The same as rows."""
    rows: list[asyncpg.Record] = await tx.fetch(APPLIED, client_id, employee_ids)
    return rows


async def profiles(tx: Transaction, client_id: int, page: Page | None) -> tuple[list[Profile], int]:
    """The profiles of a client, in the order of their ids; and how many there are."""
    rows, total = await counted(
        tx,
        f"SELECT id, client_id, name, {TIMES} FROM profiles WHERE client_id = $1 ORDER BY profiles.id",
        "profiles WHERE client_id = $1",
        page,
        client_id,
    )
    return [Profile(*row) for row in rows], total


async def profile(tx: Transaction, profile_id: int) -> Profile | None:
    """One profile that the caller may see."""
    row = await tx.fetchrow(f"SELECT id, client_id, name, {TIMES} FROM profiles WHERE id = $1", profile_id)
    return Profile(*row) if row else None


async def names(tx: Transaction, client_id: int, but: int = 0) -> set[str]:
    """The names of a client's profiles in lower case, but for one."""
    rows = await tx.fetch("SELECT lower(btrim(name)) FROM profiles WHERE client_id = $1 AND id <> $2", client_id, but)
    return {row[0] for row in rows}


async def insert(tx: Transaction, client_id: int, name: str) -> int:
    """Save a new profile and give its id; raises UniqueViolationError for a name in use."""
    profile_id: int = await tx.fetchval(
        "INSERT INTO profiles (client_id, name) VALUES ($1, $2) RETURNING id", client_id, name
    )
    return profile_id


async def update(tx: Transaction, client_id: int, profile_id: int, name: str) -> None:
    """Save a changed profile; raises UniqueViolationError for a name in use."""
    await tx.execute(
        "UPDATE profiles SET name = $3, updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        profile_id,
        name,
    )


async def delete(tx: Transaction, client_id: int, profile_id: int) -> None:
    """Remove a profile with its calculations; raises ForeignKeyViolationError while an employee has it."""
    await tx.execute("DELETE FROM profiles WHERE client_id = $1 AND id = $2", client_id, profile_id)


async def mappings(tx: Transaction, client_id: int, employee_id: int) -> list[ProfileMapping]:
    """The mappings of an employee, in the order of their ids."""
    rows = await tx.fetch(
        f"SELECT id, client_id, employee_id, profile_id, calculations, {TIMES} FROM profile_mappings "
        "WHERE client_id = $1 AND employee_id = $2 ORDER BY profile_mappings.id",
        client_id,
        employee_id,
    )
    return [_mapped(row) for row in rows]


async def mappings_of_profile(
    tx: Transaction, client_id: int, profile_id: int, page: Page | None
) -> tuple[list[ProfileMapping], int]:
    """The mappings of a profile, in the order of their ids; and how many there are."""
    source = "profile_mappings WHERE client_id = $1 AND profile_id = $2"
    rows, total = await counted(
        tx,
        f"SELECT id, client_id, employee_id, profile_id, calculations, {TIMES} FROM {source} "
        "ORDER BY profile_mappings.id",
        source,
        page,
        client_id,
        profile_id,
    )
    return [_mapped(row) for row in rows], total


async def mapping(tx: Transaction, mapping_id: int) -> ProfileMapping | None:
    """One mapping that the caller may see."""
    row = await tx.fetchrow(
        f"SELECT id, client_id, employee_id, profile_id, calculations, {TIMES} FROM profile_mappings WHERE id = $1",
        mapping_id,
    )
    return _mapped(row) if row else None


async def insert_mapping(
    tx: Transaction, client_id: int, employee_id: int, profile_id: int, calculations: Mapping[str, bool]
) -> int:
    """Give an employee a profile; raises ForeignKeyViolationError for one that is gone."""
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
    """Give employees a profile that they do not have."""
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
    """Change a mapping; raises ForeignKeyViolationError for a profile that is gone."""
    await tx.execute(
        "UPDATE profile_mappings SET profile_id = $3, calculations = $4, updated_at = now() "
        "WHERE client_id = $1 AND id = $2",
        client_id,
        mapping_id,
        profile_id,
        json_text(calculations),
    )


async def delete_mapping(tx: Transaction, client_id: int, mapping_id: int) -> None:
    """Take a profile from an employee."""
    await tx.execute("DELETE FROM profile_mappings WHERE client_id = $1 AND id = $2", client_id, mapping_id)


def _mapped(row: asyncpg.Record) -> ProfileMapping:
    values = dict(row) | {"calculations": msgspec.json.decode(row["calculations"])}
    return ProfileMapping(**values)
