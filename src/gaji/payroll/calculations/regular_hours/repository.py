"""Inherited calculation SQL."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import asyncpg
import msgspec

from gaji.db.json_lists import json_text
from gaji.db.tenancy import Transaction
from gaji.payroll.calculations.regular_hours.history import History

COLUMNS = """id, employee_id, short_name, inputs_history, shown(created_at) AS created_at,
    shown(updated_at) AS updated_at"""


@dataclass(frozen=True)
class InheritedCalculation:
    """An inherited calculation of an employee."""

    id: int
    employee_id: int
    short_name: str
    history: History
    created_at: str
    updated_at: str


async def load_employee_calculations(tx: Transaction, client_id: int, employee_id: int) -> list[InheritedCalculation]:
    """Load the inherited calculations of an employee, ordered by ID."""
    rows = await tx.fetch(
        f"SELECT {COLUMNS} FROM inherited_calculations WHERE client_id = $1 AND employee_id = $2 "
        "ORDER BY inherited_calculations.id",
        client_id,
        employee_id,
    )
    return [_calculation(row) for row in rows]


async def load_histories(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], short_name: str
) -> dict[int, History]:
    """Load the histories of an inherited calculation by employee. Employees without one are left out."""
    rows = await tx.fetch(
        "SELECT employee_id, inputs_history FROM inherited_calculations "
        "WHERE client_id = $1 AND employee_id = ANY ($2::bigint[]) AND short_name = $3",
        client_id,
        employee_ids,
        short_name,
    )
    return {row["employee_id"]: msgspec.json.decode(row["inputs_history"]) for row in rows}


async def load_calculation(tx: Transaction, inherited_id: int) -> InheritedCalculation | None:
    """Load an inherited calculation that the caller may see."""
    row = await tx.fetchrow(f"SELECT {COLUMNS} FROM inherited_calculations WHERE id = $1", inherited_id)
    return _calculation(row) if row else None


async def insert_many(tx: Transaction, client_id: int, short_name: str, histories: Mapping[int, History]) -> None:
    """Insert the histories of an inherited calculation, by employee."""
    await tx.execute(
        "INSERT INTO inherited_calculations (client_id, employee_id, short_name, inputs_history) "
        "SELECT $1, t.employee_id, $2, t.history::jsonb "
        "FROM unnest($3::bigint[], $4::text[]) AS t(employee_id, history)",
        client_id,
        short_name,
        list(histories),
        [json_text(history) for history in histories.values()],
    )


async def save(tx: Transaction, client_id: int, employee_id: int, short_name: str, history: History) -> int:
    """Insert or update an inherited calculation and return its ID."""
    inherited_id: int = await tx.fetchval(
        "INSERT INTO inherited_calculations AS i (client_id, employee_id, short_name, inputs_history) "
        "VALUES ($1, $2, $3, $4) ON CONFLICT ON CONSTRAINT inherited_calculations_once "
        "DO UPDATE SET inputs_history = excluded.inputs_history, updated_at = now() RETURNING i.id",
        client_id,
        employee_id,
        short_name,
        json_text(history),
    )
    return inherited_id


def _calculation(row: asyncpg.Record) -> InheritedCalculation:
    return InheritedCalculation(
        id=row["id"],
        employee_id=row["employee_id"],
        short_name=row["short_name"],
        history=msgspec.json.decode(row["inputs_history"]),
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )
