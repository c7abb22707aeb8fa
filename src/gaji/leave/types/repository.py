"""SQL for leave types and their policies."""

from collections.abc import Sequence
from datetime import date

import asyncpg

from gaji.db.json_lists import json_text
from gaji.db.tenancy import Transaction
from gaji.leave.types.policy_schemas import PolicyInput

POLICY_COLUMNS = (
    "accrual",
    "entitlement",
    "first_year",
    "least_months",
    "carry_over_limit_millidays",
    "carry_over_expiry_months",
    "prorate",
    "below_zero",
    "paid",
    "leave_year_start",
    "public_holidays_off",
    "prorate_part_time",
    "full_time_week_millihours",
    "full_time_day_millihours",
)


async def names_by_id(tx: Transaction, client_id: int) -> dict[int, str]:
    """Return the names of a client's leave types, by id."""
    rows = await tx.fetch("SELECT id, name FROM leave_types WHERE client_id = $1 ORDER BY id", client_id)
    return dict(rows)


async def list_with_policies(tx: Transaction, client_id: int) -> list[asyncpg.Record]:
    """List each leave type of a client with each of its policies, by id and date."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT t.id, t.name, t.system_type, p.effective_date, {', '.join(f'p.{name}' for name in POLICY_COLUMNS)} "
        "FROM leave_types t LEFT JOIN leave_policies p ON p.client_id = t.client_id AND p.leave_type_id = t.id "
        "WHERE t.client_id = $1 ORDER BY t.id, p.effective_date",
        client_id,
    )
    return rows


async def load_type(tx: Transaction, type_id: int, *, lock: bool = False) -> asyncpg.Record | None:
    """Load a leave type that the caller may see, and optionally lock it."""
    return await tx.fetchrow(
        f"SELECT client_id, name, system_type FROM leave_types WHERE id = $1 {'FOR UPDATE' if lock else ''}", type_id
    )


async def insert_system_types(tx: Transaction, client_id: int, names: Sequence[str]) -> None:
    """Insert the default leave types of a client."""
    await tx.execute(
        "INSERT INTO leave_types (client_id, name, system_type) "
        "SELECT $1, name, name FROM unnest($2::text[]) WITH ORDINALITY AS t(name, place) ORDER BY place",
        client_id,
        names,
    )


async def insert(tx: Transaction, client_id: int, name: str) -> int:
    """Insert a leave type and return its id. Raises UniqueViolationError if the name is in use."""
    type_id: int = await tx.fetchval(
        "INSERT INTO leave_types (client_id, name) VALUES ($1, $2) RETURNING id", client_id, name
    )
    return type_id


async def rename(tx: Transaction, client_id: int, type_id: int, name: str) -> None:
    """Rename a leave type. Raises UniqueViolationError if the name is in use."""
    await tx.execute(
        "UPDATE leave_types SET name = $3, updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        type_id,
        name,
    )


async def delete(tx: Transaction, client_id: int, type_id: int) -> None:
    """Delete a leave type with its policies. Raises ForeignKeyViolationError if it is in use."""
    await tx.execute("DELETE FROM leave_types WHERE client_id = $1 AND id = $2", client_id, type_id)


async def has_requests(tx: Transaction, client_id: int, type_id: int) -> bool:
    """Return whether a leave request names a type."""
    is_requested: bool = await tx.fetchval(
        "SELECT EXISTS (SELECT FROM leave_requests WHERE client_id = $1 "
        "AND dates @> jsonb_build_array(jsonb_build_object('type_id', $2::bigint)))",
        client_id,
        type_id,
    )
    return is_requested


async def save_policy(tx: Transaction, client_id: int, type_id: int, since: date, policy: PolicyInput) -> None:
    """Save a policy with effect from a day. It replaces an earlier one with the same day."""
    values = (
        policy.accrual,
        json_text(policy.entitlement or []),
        json_text(policy.first_year) if policy.first_year else None,
        policy.least_months,
        policy.carry_over.limit_millidays,
        policy.carry_over.expiry_months,
        policy.prorate,
        policy.below_zero,
        policy.paid,
        policy.leave_year_start,
        policy.public_holidays_off,
        policy.prorate_part_time,
        policy.full_time.week_millihours,
        policy.full_time.day_millihours,
    )
    parameters = ", ".join(f"${number}" for number in range(4, len(values) + 4))
    changes = ", ".join(f"{name} = excluded.{name}" for name in POLICY_COLUMNS)
    await tx.execute(
        f"INSERT INTO leave_policies (client_id, leave_type_id, effective_date, {', '.join(POLICY_COLUMNS)}) "
        f"VALUES ($1, $2, $3, {parameters}) "
        f"ON CONFLICT ON CONSTRAINT leave_policies_once DO UPDATE SET {changes}, updated_at = now()",
        client_id,
        type_id,
        since,
        *values,
    )
