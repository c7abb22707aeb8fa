"""Take-on balance repository."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import asyncpg
import msgspec

from gaji.core.threads import run_in_thread_if_many
from gaji.db.json_lists import json_text
from gaji.db.tenancy import Transaction
from gaji.people.take_on.schemas import AMOUNTS, TakeOnInput

AMOUNT_COLUMNS = [name for name, _ in AMOUNTS]
"""Stored in cents."""


COLUMN_TYPES = {"year": "int", **dict.fromkeys(AMOUNT_COLUMNS, "bigint"), "ir8a": "jsonb", "leave": "jsonb"}


async def load_balances(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, TakeOnInput]:
    """Load the balances of employees, by employee. Those without balances are left out."""
    rows = await tx.fetch(
        "SELECT * FROM take_on_balances WHERE client_id = $1 AND employee_id = ANY ($2::bigint[])",
        client_id,
        employee_ids,
    )
    return await run_in_thread_if_many(len(rows), lambda: {row["employee_id"]: _balances(row) for row in rows})


async def replace(tx: Transaction, client_id: int, balances: Mapping[int, TakeOnInput]) -> None:
    """Insert or replace the balances of employees."""
    columns = await run_in_thread_if_many(len(balances), lambda: _columns(balances.values()))
    arrays = ", ".join(f"${number}::{name}[]" for number, name in enumerate(COLUMN_TYPES.values(), start=3))
    changes = ", ".join(f"{column} = excluded.{column}" for column in COLUMN_TYPES)
    await tx.execute(
        f"INSERT INTO take_on_balances (client_id, employee_id, {', '.join(COLUMN_TYPES)}) "
        f"SELECT $1, * FROM unnest($2::bigint[], {arrays}) "
        f"ON CONFLICT (client_id, employee_id) DO UPDATE SET {changes}, updated_at = now()",
        client_id,
        list(balances),
        *columns,
    )


def _balances(row: asyncpg.Record) -> TakeOnInput:
    return TakeOnInput(
        year=row["year"],
        **{f"{column}_cents": row[column] for column in AMOUNT_COLUMNS},
        ir8a_cents=msgspec.json.decode(row["ir8a"]),
        leave=msgspec.json.decode(row["leave"]),
    )


def _columns(balances: Iterable[TakeOnInput]) -> list[Sequence[Any]]:
    """Return the values of each column, in the order of the balances."""
    rows = [
        (
            item.year,
            *(getattr(item, f"{column}_cents") for column in AMOUNT_COLUMNS),
            json_text(item.ir8a_cents or {}),
            json_text(item.leave or {}),
        )
        for item in balances
    ]
    return list(zip(*rows, strict=True))
