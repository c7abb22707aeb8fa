"""The SQL of waves."""

from typing import Any

import asyncpg
import msgspec

from gaji.core.validation import Record
from gaji.db.json_lists import Page, counted, json_text
from gaji.db.tenancy import Transaction
from gaji.engine.periods import CYCLES, Schedule

ALWAYS = """w.client_id, w.interim_first_end_date, w.custom_name,
        shown(w.created_at) AS created_at, shown(w.updated_at) AS updated_at,
        coalesce(w.pay_dates, '{"enabled":false}') AS pay_dates, w.name"""
FULL = f"""row_to_json((SELECT e FROM (SELECT w.id, w.length_months, w.length_weeks,
        w.first_end_date, w.first_period_offset, NULL AS notification_days_before, NULL AS finalisation_days_before,
        NULL AS payslip_payment_day, {ALWAYS}) e))::text"""
SIMPLIFIED = f"""row_to_json((SELECT e FROM (SELECT w.id, w.first_end_date, {ALWAYS}, w.frequency) e))::text"""


async def elements(tx: Transaction, client_id: int, simplified: bool, page: Page | None) -> tuple[list[str], int]:
    """The waves of a client as JSON, in the order of their ids; and how many there are."""
    rows, total = await counted(
        tx,
        f"SELECT {SIMPLIFIED if simplified else FULL} FROM waves w WHERE w.client_id = $1 ORDER BY w.id",
        "waves w WHERE w.client_id = $1",
        page,
        client_id,
    )
    return [row[0] for row in rows], total


async def element(tx: Transaction, wave_id: int, simplified: bool) -> str | None:
    """One wave as JSON."""
    found: str | None = await tx.fetchval(
        f"SELECT {SIMPLIFIED if simplified else FULL} FROM waves w WHERE w.id = $1", wave_id
    )
    return found


async def for_change(tx: Transaction, wave_id: int) -> tuple[int, Record] | None:
    """The client of a wave and its writable attributes, locked until the transaction ends."""
    row: asyncpg.Record | None = await tx.fetchrow("SELECT * FROM waves WHERE id = $1 FOR UPDATE", wave_id)
    if row is None:
        return None
    return row["client_id"], {
        "frequency": row["frequency"],
        "interim_day_of_month": row["interim_day_of_month"],
        "last_day_of_month": row["last_day_of_month"],
        "first_end_date": row["given_first_end_date"],
        "custom_name": row["custom_name"],
        "pay_dates": row["pay_dates"] and msgspec.json.decode(row["pay_dates"]),
    }


async def names_by_id(tx: Transaction, client_id: int) -> dict[int, str]:
    """The names of a client's waves, by id and in the order of ids."""
    return dict(await tx.fetch("SELECT id, name FROM waves WHERE client_id = $1 ORDER BY id", client_id))


async def schedules(tx: Transaction, client_id: int) -> dict[int, Schedule]:
    """The schedules of a client's waves, by wave id."""
    rows = await tx.fetch("SELECT * FROM waves WHERE client_id = $1", client_id)
    return {row["id"]: _schedule(row) for row in rows}


async def facts(tx: Transaction, client_id: int) -> list[tuple[int, Schedule, int, str | None]]:
    """Id, schedule, offset of the first period, and pay dates as JSON of the waves of a client."""
    rows = await tx.fetch("SELECT * FROM waves WHERE client_id = $1", client_id)
    return [(row["id"], _schedule(row), row["first_period_offset"], row["pay_dates"]) for row in rows]


async def is_used(tx: Transaction, client_id: int, wave_id: int) -> bool:
    """Whether an employee is or was paid by this wave."""
    return bool(
        await tx.fetchval(
            "SELECT EXISTS (SELECT FROM wave_periods WHERE client_id = $1 AND wave_id = $2)", client_id, wave_id
        )
    )


async def insert(tx: Transaction, client_id: int, record: Record, schedule: Schedule) -> int:
    """Save a new wave and give its id."""
    columns = _columns(record, schedule)
    places = ", ".join(f"${number}" for number in range(2, len(columns) + 2))
    wave_id: int = await tx.fetchval(
        f"INSERT INTO waves (client_id, {', '.join(columns)}) VALUES ($1, {places}) RETURNING id",
        client_id,
        *columns.values(),
    )
    return wave_id


async def update(tx: Transaction, client_id: int, wave_id: int, record: Record, schedule: Schedule) -> None:
    """Save a changed wave."""
    columns = _columns(record, schedule)
    changes = ", ".join(f"{column} = ${number}" for number, column in enumerate(columns, start=3))
    await tx.execute(
        f"UPDATE waves SET {changes}, updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        wave_id,
        *columns.values(),
    )


async def delete(tx: Transaction, client_id: int, wave_id: int) -> None:
    """Remove a wave; raises ForeignKeyViolationError while it is in use."""
    await tx.execute("DELETE FROM waves WHERE client_id = $1 AND id = $2", client_id, wave_id)


def _columns(record: Record, schedule: Schedule) -> dict[str, Any]:
    months, weeks = CYCLES[schedule.frequency]
    return {
        "frequency": record["frequency"],
        "last_day_of_month": record["last_day_of_month"],
        "interim_day_of_month": record["interim_day_of_month"],
        "given_first_end_date": record["first_end_date"],
        "first_end_date": schedule.anchor,
        "interim_first_end_date": schedule.interim_anchor,
        "first_period_offset": schedule.offset(record["first_end_date"]),
        "length_months": months,
        "length_weeks": weeks,
        "name": schedule.label,
        "custom_name": record["custom_name"],
        "pay_dates": _pay_dates(record["pay_dates"]),
    }


def _pay_dates(given: Record | None) -> str | None:
    """What is kept of pay dates: all that was given when they are on, and that they are off otherwise."""
    if given is None:
        return None
    kept = {
        name: value for name, value in given.items() if value is not None and (given["enabled"] or name == "enabled")
    }
    return json_text(kept)


def _schedule(row: asyncpg.Record) -> Schedule:
    interim = row["interim_day_of_month"] if row["frequency"] == "twice_a_month" else None
    return Schedule(row["frequency"], row["last_day_of_month"] or 31, interim, row["first_end_date"].day)
