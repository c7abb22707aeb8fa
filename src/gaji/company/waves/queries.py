"""Wave queries: schedules and pay periods."""

from collections.abc import Sequence
from dataclasses import dataclass

import asyncpg
import msgspec

from gaji.company.waves.pay_dates import PayDates, pay_date
from gaji.db.tenancy import Transaction
from gaji.engine.payslip_input import PayPeriod
from gaji.engine.periods import PaySchedule

PERIODS_PER_YEAR = {"weekly": 52, "fortnightly": 26, "twice_a_month": 24, "monthly": 12}
COLUMNS = "id, frequency, last_day_of_month, interim_day_of_month, first_end_date, first_period_offset, pay_dates"

_decode_pay_dates = msgspec.json.Decoder(PayDates).decode


@dataclass(frozen=True, slots=True)
class PayCalendar:
    """The periods and pay dates of a wave."""

    schedule: PaySchedule
    first_offset: int
    """The offset of the wave's first period."""
    pay_dates: PayDates | None

    def period(self, offset: int, *, special: bool = False) -> PayPeriod:
        """The pay period with this offset. A special (once-off) payslip has no monthly items."""
        schedule = self.schedule
        end = schedule.end(offset)
        following = schedule.end(offset + 1)
        return PayPeriod(
            start=schedule.start(offset),
            end=end,
            pay_date=pay_date(self.pay_dates, end, interim=schedule.interim_day is not None and offset % 2 == 1),
            periods_per_year=PERIODS_PER_YEAR[schedule.frequency],
            last_of_month=not special and (following.year, following.month) != (end.year, end.month),
        )


async def load_pay_calendars(tx: Transaction, client_id: int) -> dict[int, PayCalendar]:
    """Load the pay calendars of a client's waves by wave ID."""
    rows = await tx.fetch(f"SELECT {COLUMNS} FROM waves WHERE client_id = $1", client_id)
    return {row["id"]: _calendar(row) for row in rows}


async def load_pay_calendars_of_clients(
    tx: Transaction, client_ids: Sequence[int]
) -> dict[int, dict[int, PayCalendar]]:
    """Load the pay calendars of clients' waves by client and wave ID. Clients without waves are left out."""
    calendars: dict[int, dict[int, PayCalendar]] = {}
    for row in await tx.fetch(f"SELECT client_id, {COLUMNS} FROM waves WHERE client_id = ANY($1)", client_ids):
        calendars.setdefault(row["client_id"], {})[row["id"]] = _calendar(row)
    return calendars


async def load_pay_calendars_of_waves(tx: Transaction, wave_ids: Sequence[int]) -> dict[int, PayCalendar]:
    """Load the pay calendars of waves of any clients by wave ID."""
    rows = await tx.fetch(f"SELECT {COLUMNS} FROM waves WHERE id = ANY($1)", wave_ids)
    return {row["id"]: _calendar(row) for row in rows}


async def load_schedules(tx: Transaction, client_id: int) -> dict[int, PaySchedule]:
    """Load the schedules of a client's waves by wave ID."""
    rows = await tx.fetch(f"SELECT {COLUMNS} FROM waves WHERE client_id = $1", client_id)
    return {row["id"]: _schedule(row) for row in rows}


async def load_wave_names(tx: Transaction, client_id: int) -> dict[int, str]:
    """Load the names of a client's waves by ID, ordered by ID."""
    rows = await tx.fetch("SELECT id, name FROM waves WHERE client_id = $1 ORDER BY id", client_id)
    return {row["id"]: row["name"] for row in rows}


def _calendar(row: asyncpg.Record) -> PayCalendar:
    pay_dates = row["pay_dates"] and _decode_pay_dates(row["pay_dates"])
    return PayCalendar(_schedule(row), row["first_period_offset"], pay_dates)


def _schedule(row: asyncpg.Record) -> PaySchedule:
    interim_day = row["interim_day_of_month"] if row["frequency"] == "twice_a_month" else None
    return PaySchedule(row["frequency"], row["last_day_of_month"] or 31, interim_day, row["first_end_date"].day)
