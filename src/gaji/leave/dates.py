"""Dates that leave can be asked about."""

from collections.abc import Mapping, Sequence
from datetime import date

from gaji.core.errors import INVALID, Errors
from gaji.core.validation import DateType

EARLIEST, LATEST = date(1900, 1, 1), date(2199, 12, 31)
OUT_OF_TIME = f"must be from {EARLIEST} to {LATEST}"

Query = Mapping[str, Sequence[str]]


def in_time(day: date) -> bool:
    """Whether somebody can mean this day."""
    return EARLIEST <= day <= LATEST


def queried_day(query: Query, name: str, errors: Errors) -> date | None:
    """The date of a query parameter, if it is there."""
    if name not in query:
        return None
    day = DateType().parse(query[name][0], name, errors)
    if day is not None and not in_time(day):
        errors.add(name, INVALID, reason=OUT_OF_TIME)
    return day
