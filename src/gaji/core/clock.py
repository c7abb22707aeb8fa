"""The clock: today's date in Singapore. `GAJI_TODAY` overrides it, for tests and previews."""

import os
from datetime import date, datetime, time, timedelta, timezone

SINGAPORE = timezone(timedelta(hours=8))
A_DAY = timedelta(days=1)


def date_of(moment: datetime) -> date:
    """Return the date of a moment in Singapore."""
    return moment.astimezone(SINGAPORE).date()


def today() -> date:
    """Return today's date in Singapore."""
    override = os.environ.get("GAJI_TODAY")
    return date.fromisoformat(override) if override else datetime.now(SINGAPORE).date()


def start_of_last(days: timedelta) -> datetime:
    """Return the moment at which the last days began in Singapore. Today is one of them."""
    return datetime.combine(today() - days + A_DAY, time(), SINGAPORE)
