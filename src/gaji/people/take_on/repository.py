"""Take-on balance repository."""

import msgspec

from gaji.db.json_lists import json_text
from gaji.db.tenancy import Transaction
from gaji.people.take_on.schemas import AMOUNTS, TakeOnInput

AMOUNT_COLUMNS = [name for name, _ in AMOUNTS]
"""Stored in cents."""


async def load_balances(tx: Transaction, client_id: int, employee_id: int) -> TakeOnInput | None:
    """Load the balances of an employee."""
    row = await tx.fetchrow(
        "SELECT * FROM take_on_balances WHERE client_id = $1 AND employee_id = $2", client_id, employee_id
    )
    if row is None:
        return None
    return TakeOnInput(
        year=row["year"],
        **{f"{column}_cents": row[column] for column in AMOUNT_COLUMNS},
        ir8a_cents=msgspec.json.decode(row["ir8a"]),
        leave=msgspec.json.decode(row["leave"]),
    )


async def replace(tx: Transaction, client_id: int, employee_id: int, balances: TakeOnInput) -> None:
    """Insert or replace the balances of an employee."""
    columns = {
        "year": balances.year,
        **{column: getattr(balances, f"{column}_cents") for column in AMOUNT_COLUMNS},
        "ir8a": json_text(balances.ir8a_cents or {}),
        "leave": json_text(balances.leave or {}),
    }
    placeholders = ", ".join(f"${number}" for number in range(3, len(columns) + 3))
    changes = ", ".join(f"{column} = excluded.{column}" for column in columns)
    await tx.execute(
        f"INSERT INTO take_on_balances (client_id, employee_id, {', '.join(columns)}) VALUES ($1, $2, {placeholders}) "
        f"ON CONFLICT (client_id, employee_id) DO UPDATE SET {changes}, updated_at = now()",
        client_id,
        employee_id,
        *columns.values(),
    )
