"""Dates and times in the layouts of files."""

from datetime import UTC, datetime


def parse_date(text: str, layout: str) -> datetime:
    """Return the date that a text is in a layout of strptime. Fails unless the text is written exactly like that."""
    parsed = datetime.strptime(text, layout).replace(tzinfo=UTC)
    assert parsed.strftime(layout) == text
    return parsed
