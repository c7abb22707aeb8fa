"""Inherited calculation SQL.

Every employee has one record of regular hours, created with the employee by a trigger. It applies while the client has
the feature `regular_hours_v2`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import asyncpg
import msgspec

from gaji.db.json_lists import json_text
from gaji.db.query_plans import each_id
from gaji.db.tenancy import Transaction
from gaji.payroll.calculations.regular_hours.history import History
from gaji.payroll.calculations.regular_hours.schedule import WEEK_HOURS

APPLIES_SQL = "(SELECT regular_hours_v2 FROM clients WHERE id = $1)"


@dataclass(frozen=True)
class InheritedCalculation:
    """An inherited calculation of an employee."""

    id: int
    employee_id: int
    short_name: str
    history: History
    created_at: str
    updated_at: str


async def load_regular_hours(tx: Transaction, client_id: int, employee_id: int) -> InheritedCalculation | None:
    """Load the regular hours of an employee. None if the client does not have the feature."""
    row = await tx.fetchrow(
        "SELECT id, employee_id, short_name, inputs_history, shown(created_at) AS created_at, "
        "shown(updated_at) AS updated_at FROM inherited_calculations "
        f"WHERE client_id = $1 AND employee_id = $2 AND short_name = $3 AND {APPLIES_SQL}",
        client_id,
        employee_id,
        WEEK_HOURS,
    )
    return _calculation(row) if row else None


async def load_histories(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, History]:
    """Load the histories of regular hours by employee. Empty if the client does not have the feature."""
    query = (
        "SELECT employee_id, inputs_history FROM inherited_calculations "
        f"WHERE client_id = ids.client_id AND employee_id = ids.id AND short_name = $3 AND {APPLIES_SQL}"
    )
    rows = await tx.fetch(f"SELECT h.* FROM {each_id('$2', query)} h", client_id, employee_ids, WEEK_HOURS)
    return {row["employee_id"]: msgspec.json.decode(row["inputs_history"]) for row in rows}


async def find_employee(tx: Transaction, inherited_id: int) -> tuple[int, int] | None:
    """Return the client and the employee of an inherited calculation that the caller may see."""
    row = await tx.fetchrow("SELECT client_id, employee_id FROM inherited_calculations WHERE id = $1", inherited_id)
    return (row["client_id"], row["employee_id"]) if row else None


async def save(tx: Transaction, client_id: int, inherited_id: int, history: History) -> None:
    """Save the history of an inherited calculation."""
    await tx.execute(
        "UPDATE inherited_calculations SET inputs_history = $3, updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        inherited_id,
        json_text(history),
    )


async def save_many(tx: Transaction, client_id: int, histories: Mapping[int, History]) -> None:
    """Save the histories of regular hours, by employee."""
    await tx.execute(
        "UPDATE inherited_calculations i SET inputs_history = t.history::jsonb, updated_at = now() "
        "FROM unnest($3::bigint[], $4::text[]) AS t(employee_id, history) "
        "WHERE i.client_id = $1 AND i.employee_id = t.employee_id AND i.short_name = $2",
        client_id,
        WEEK_HOURS,
        list(histories),
        [json_text(history) for history in histories.values()],
    )


def _calculation(row: asyncpg.Record) -> InheritedCalculation:
    return InheritedCalculation(
        id=row["id"],
        employee_id=row["employee_id"],
        short_name=row["short_name"],
        history=msgspec.json.decode(row["inputs_history"]),
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )
