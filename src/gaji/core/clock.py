"""The clock: today's date in Singapore. `GAJI_TODAY` overrides it, for tests and previews."""

import os
from datetime import date, datetime, timedelta, timezone

SINGAPORE = timezone(timedelta(hours=8))


def today() -> date:
    """Return today's date in Singapore."""
    override = os.environ.get("GAJI_TODAY")
    return date.fromisoformat(override) if override else datetime.now(SINGAPORE).date()
