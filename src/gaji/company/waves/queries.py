"""The pay periods of waves, for those who calculate what is paid in them."""

from dataclasses import dataclass
from typing import Any

import msgspec

from gaji.company.waves import repository
from gaji.company.waves.pay_dates import pay_date
from gaji.db.tenancy import Transaction
from gaji.engine.payslip_input import PayPeriod
from gaji.engine.periods import Schedule

PERIODS_PER_YEAR = {"weekly": 52, "fortnightly": 26, "twice_a_month": 24, "monthly": 12}


@dataclass(frozen=True, slots=True)
class PayCalendar:
    """When a wave pays."""

    schedule: Schedule
    first_offset: int
    """Of its first period."""
    pay_dates: dict[str, Any] | None

    def period(self, offset: int, *, special: bool = False) -> PayPeriod:
        """The pay period with this offset; what comes once a month does not come with a once-off payslip."""
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
    """The waves of a client, by wave id."""
    return {
        wave_id: PayCalendar(schedule, first_offset, msgspec.json.decode(pay_dates) if pay_dates else None)
        for wave_id, schedule, first_offset, pay_dates in await repository.facts(tx, client_id)
    }
