"""The columns that rules take and give: one entry for each person, the same person at the same place in all of them.

Money is whole cents in 64-bit integers. A rate is a whole number of parts of 100,000, so that 16.5 % (16,500) and
0.225 (22,500) are exact. Nothing here is ever a float.
"""

from collections.abc import Sequence
from dataclasses import fields
from datetime import date
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Record = TypeVar("Record")

RATE_SCALE = 100_000
"""The parts of a rate that make one whole."""
CENTS_PER_DOLLAR = 100
SCALED_DOLLAR = RATE_SCALE * CENTS_PER_DOLLAR
"""One dollar, as cents times parts of a rate."""

Cents = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int8]
"""Members of an IntEnum."""
Flags = npt.NDArray[np.bool_]
Dates = npt.NDArray[np.datetime64]
"""Dates, datetime64[D]; NaT where there is none."""


MISSING_DATE = np.datetime64("NaT", "D")
NO_NUMBER = int(np.iinfo(np.int64).min)
"""What NumPy keeps in the place of a date that is not known."""
FIRST_DAY = date(1970, 1, 1).toordinal()
"""From which NumPy counts days."""


def cents(amounts: Sequence[int]) -> Cents:
    """A column of amounts."""
    return np.asarray(amounts, dtype=np.int64)


def codes(members: Sequence[int]) -> Codes:
    """A column of members of an IntEnum."""
    return np.asarray(members, dtype=np.int8)


def equals_code(column: Codes, member: int) -> Flags:
    """Where a column has a member of an IntEnum; NumPy takes five times as long with the member itself."""
    found: Flags = column == int(member)
    return found


def any_nonzero(column: Flags | Cents) -> bool:
    """Whether anything holds for anyone, or is not zero: NumPy counts in a tenth of the time that any() takes."""
    return bool(np.count_nonzero(column))


def flags(answers: Sequence[bool]) -> Flags:
    """A column of yes and no."""
    return np.asarray(answers, dtype=np.bool_)


def date_column(dates: Sequence[date | None]) -> Dates:
    """A column of dates, some of which may not be known."""
    # By way of day numbers: ten times as quick as letting NumPy read each date.
    numbers = [NO_NUMBER if one is None else one.toordinal() - FIRST_DAY for one in dates]
    return np.array(numbers, dtype=np.int64).view("datetime64[D]")


def divide_half_up(amount: Cents, unit: int | Cents) -> Cents:
    """How many whole units the amount holds to the nearest, a half counting up; the amount is not negative."""
    return (amount + unit // 2) // unit


def select_first(
    conditions: Sequence[Flags], values: Sequence[npt.ArrayLike], otherwise: npt.ArrayLike = 0
) -> npt.NDArray[Any]:
    """Of each person's values the one of the first condition that holds: np.select, quick also for a single person."""
    found = np.asarray(otherwise)
    for condition, value in zip(reversed(conditions), reversed(values), strict=True):
        found = np.where(condition, value, found)
    return found


def missing_dates(count: int) -> Dates:
    """A column without a single date."""
    return np.full(count, MISSING_DATE)


def single_person(record: Record, index: int) -> Record:
    """A record of columns reduced to one person: a batch of one."""
    columns: dict[str, Any] = {field.name: getattr(record, field.name) for field in fields(record)}  # type: ignore[arg-type]
    return type(record)(**{name: _only(column, index) for name, column in columns.items()})


def _only(column: Any, place: int) -> Any:
    """What is no column is the same for everyone."""
    return column[place : place + 1] if isinstance(column, np.ndarray) else column


def date_at(column: Dates, index: int = 0) -> date | None:
    """The date of one person, if there is one."""
    day: date | None = column[index].astype("datetime64[D]").item()
    return day
