"""The one clock: what day it is in Singapore. `GAJI_TODAY` sets another, for tests and for looking ahead."""

import os
from datetime import date, datetime, timedelta, timezone

SINGAPORE = timezone(timedelta(hours=8))


def today() -> date:
    """The day it is in Singapore."""
    given = os.environ.get("GAJI_TODAY")
    return date.fromisoformat(given) if given else datetime.now(SINGAPORE).date()
