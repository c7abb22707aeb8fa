"""Dates in leave requests."""

from collections.abc import Mapping, Sequence
from datetime import date

from gaji.core.errors import Errors
from gaji.core.validation import OUT_OF_RANGE, DateType

EARLIEST, LATEST = date(1900, 1, 1), date(2199, 12, 31)

Query = Mapping[str, Sequence[str]]


def check_date_range(day: date | None, path: str, errors: Errors) -> None:
    """Add an error if a date is out of bounds."""
    if day is not None and not EARLIEST <= day <= LATEST:
        errors.add(path, OUT_OF_RANGE, minimum=EARLIEST, maximum=LATEST)


def parse_query_date(query: Query, name: str, errors: Errors) -> date | None:
    """Return the date of a query parameter, or None if it is absent."""
    if name not in query:
        return None
    day = DateType().parse(query[name][0], name, errors)
    check_date_range(day, name, errors)
    return day
