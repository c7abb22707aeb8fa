"""Dates that leave can be asked about."""

from collections.abc import Mapping, Sequence
from datetime import date

from gaji.core.validation import Day, Faults

EARLIEST, LATEST = date(1900, 1, 1), date(2199, 12, 31)
OUT_OF_TIME = f"must be from {EARLIEST} to {LATEST}"

Query = Mapping[str, Sequence[str]]


def in_time(day: date) -> bool:
    """Whether somebody can mean this day."""
    return EARLIEST <= day <= LATEST


def queried_day(query: Query, name: str, faults: Faults) -> date | None:
    """The date of a query parameter, if it is there."""
    if name not in query:
        return None
    day = Day().read(query[name][0], name, faults)
    if day is not None and not in_time(day):
        faults[name] = OUT_OF_TIME
    return day
