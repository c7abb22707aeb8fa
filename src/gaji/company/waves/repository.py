"""Wave repository."""

from typing import Any

import asyncpg
import msgspec

from gaji.company.waves.pay_dates import PayDates
from gaji.company.waves.schemas import WaveInput
from gaji.db.json_lists import Filters, ListPage, fetch_page, filter_rows, json_text
from gaji.db.query_plans import ids_condition
from gaji.db.tenancy import Transaction
from gaji.engine.periods import CYCLES

COMMON = """w.client_id, w.interim_first_end_date, w.custom_name,
        shown(w.created_at) AS created_at, shown(w.updated_at) AS updated_at,
        coalesce(w.pay_dates, '{"enabled":false}') AS pay_dates, w.name"""
FULL = f"""row_to_json((SELECT e FROM (SELECT w.id, w.length_months, w.length_weeks,
        w.first_end_date, w.first_period_offset, NULL AS notification_days_before, NULL AS finalisation_days_before,
        NULL AS payslip_payment_day, {COMMON}) e))::text AS element"""
SIMPLIFIED = (
    f"""row_to_json((SELECT e FROM (SELECT w.id, w.first_end_date, {COMMON}, w.frequency) e))::text AS element"""
)


CONDITIONS = {"ids": ids_condition("w.id")}
"""The SQL condition of each filter."""


async def list_elements(
    tx: Transaction, client_id: int, simplified: bool, page: ListPage | None, filters: Filters
) -> tuple[list[str], int]:
    """Load the waves of a client as JSON, ordered by ID, and their total number."""
    conditions, arguments = filter_rows(CONDITIONS, filters, client_id)
    source = f"waves w WHERE w.client_id = $1{conditions}"
    query = f"SELECT {SIMPLIFIED if simplified else FULL} FROM {source} ORDER BY w.id"
    rows, total = await fetch_page(tx, query, source, page, *arguments)
    return [row["element"] for row in rows], total


async def load_element(tx: Transaction, wave_id: int, simplified: bool) -> str | None:
    """Load one wave as JSON."""
    element: str | None = await tx.fetchval(
        f"SELECT {SIMPLIFIED if simplified else FULL} FROM waves w WHERE w.id = $1", wave_id
    )
    return element


async def lock_wave(tx: Transaction, wave_id: int) -> tuple[int, WaveInput] | None:
    """Lock a wave until the transaction ends and return its client and writable attributes."""
    row: asyncpg.Record | None = await tx.fetchrow("SELECT * FROM waves WHERE id = $1 FOR UPDATE", wave_id)
    if row is None:
        return None
    return row["client_id"], WaveInput(
        frequency=row["frequency"],
        interim_day_of_month=row["interim_day_of_month"],
        last_day_of_month=row["last_day_of_month"],
        first_end_date=row["given_first_end_date"],
        custom_name=row["custom_name"],
        pay_dates=row["pay_dates"] and msgspec.json.decode(row["pay_dates"], type=PayDates),
    )


async def is_used(tx: Transaction, client_id: int, wave_id: int) -> bool:
    """Return whether an employee is or was assigned to this wave."""
    return bool(
        await tx.fetchval(
            "SELECT EXISTS (SELECT FROM wave_periods WHERE client_id = $1 AND wave_id = $2)", client_id, wave_id
        )
    )


async def insert(tx: Transaction, client_id: int, wave: WaveInput) -> int:
    """Insert a wave and return its ID."""
    columns = _columns(wave)
    placeholders = ", ".join(f"${number}" for number in range(2, len(columns) + 2))
    wave_id: int = await tx.fetchval(
        f"INSERT INTO waves (client_id, {', '.join(columns)}) VALUES ($1, {placeholders}) RETURNING id",
        client_id,
        *columns.values(),
    )
    return wave_id


async def update(tx: Transaction, client_id: int, wave_id: int, wave: WaveInput) -> None:
    """Update a wave."""
    columns = _columns(wave)
    changes = ", ".join(f"{column} = ${number}" for number, column in enumerate(columns, start=3))
    await tx.execute(
        f"UPDATE waves SET {changes}, updated_at = now() WHERE client_id = $1 AND id = $2",
        client_id,
        wave_id,
        *columns.values(),
    )


async def delete(tx: Transaction, client_id: int, wave_id: int) -> None:
    """Delete a wave. Raises ForeignKeyViolationError if it is in use."""
    await tx.execute("DELETE FROM waves WHERE client_id = $1 AND id = $2", client_id, wave_id)


def _columns(wave: WaveInput) -> dict[str, Any]:
    schedule = wave.schedule
    months, weeks = CYCLES[schedule.frequency]
    return {
        "frequency": wave.frequency,
        "last_day_of_month": wave.last_day_of_month,
        "interim_day_of_month": wave.interim_day_of_month,
        "given_first_end_date": wave.first_end_date,
        "first_end_date": schedule.anchor,
        "interim_first_end_date": schedule.interim_anchor,
        "first_period_offset": schedule.offset(wave.first_end_date),
        "length_months": months,
        "length_weeks": weeks,
        "name": schedule.label,
        "custom_name": wave.custom_name,
        "pay_dates": _pay_dates_json(wave.pay_dates),
    }


def _pay_dates_json(pay_dates: PayDates | None) -> str | None:
    """Return pay dates as they are stored. Of disabled pay dates only `enabled` is stored."""
    if pay_dates is None:
        return None
    return json_text(pay_dates if pay_dates.enabled else PayDates(enabled=False))
