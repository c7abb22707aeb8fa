"""Pay dates that passed after that of the first unpaid period of a pay schedule."""

from collections.abc import Sequence
from itertools import count, islice, takewhile

from gaji.company.waves.queries import PayCalendar, load_pay_calendars_of_waves
from gaji.console.company_list import CompanyStatus
from gaji.core import clock
from gaji.db.tenancy import Tenant

MAX_LISTED = 12
"""How many pay dates are counted for each pay schedule in lists of companies."""


def count_periods_behind(calendar: PayCalendar, offset: int, limit: int) -> int:
    """Count the periods after this one whose pay date has passed, up to a limit."""
    today = clock.today()
    later = (calendar.period(number) for number in count(offset + 1))
    return sum(1 for _ in islice(takewhile(lambda period: period.pay_date < today, later), limit))


async def load_late_counts(tenant: Tenant, statuses: Sequence[CompanyStatus]) -> dict[tuple[int, int], str]:
    """Return how many pay dates have passed since that of each late period, by wave and offset, if there are any."""
    periods = {(item.period.wave_id, item.period.offset) for status in statuses for item in status.late}
    if not periods:
        return {}
    async with tenant.read_only() as tx:
        calendars = await load_pay_calendars_of_waves(tx, list({wave_id for wave_id, _ in periods}))
    counts: dict[tuple[int, int], str] = {}
    for wave_id, offset in periods:
        if behind := count_periods_behind(calendars[wave_id], offset, MAX_LISTED):
            counts[wave_id, offset] = str(behind) if behind < MAX_LISTED else f"{MAX_LISTED}+"
    return counts
