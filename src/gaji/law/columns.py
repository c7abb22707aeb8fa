"""NumPy columns: one entry per person, with the same index for the same person in every column.

Money is whole cents in 64-bit integers. A rate is a whole number of parts of 100,000, so 16.5 % (16,500) and 0.225
(22,500) are exact. No column holds floats.
"""

from collections.abc import Sequence
from datetime import date
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import astuple

from gaji.law.rounding import CENTS_PER_DOLLAR

Record = TypeVar("Record", bound=Struct)

RATE_SCALE = 100_000
"""The parts of a rate that make 100 %."""
SCALED_DOLLAR = RATE_SCALE * CENTS_PER_DOLLAR
"""One dollar as the product of cents and a rate."""

Cents = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int8]
"""Members of an IntEnum."""
Flags = npt.NDArray[np.bool_]
Dates = npt.NDArray[np.datetime64]
"""datetime64[D]; NaT where a date is missing."""

MISSING_DATE = np.datetime64("NaT", "D")
NAT_DAY_NUMBER = int(np.iinfo(np.int64).min)
"""The integer that NumPy stores for NaT."""
EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
"""The day that NumPy numbers 0."""


def cents(amounts: Sequence[int]) -> Cents:
    """Return a column of amounts."""
    return np.asarray(amounts, dtype=np.int64)


def codes(members: Sequence[int]) -> Codes:
    """Return a column of IntEnum members."""
    return np.asarray(members, dtype=np.int8)


def flags(values: Sequence[bool]) -> Flags:
    """Return a column of booleans."""
    return np.asarray(values, dtype=np.bool_)


def date_column(dates: Sequence[date | None]) -> Dates:
    """Return a column of dates, with NaT for None."""
    # Building the column from day numbers is ten times as fast as letting NumPy convert each date.
    numbers = [NAT_DAY_NUMBER if day is None else day.toordinal() - EPOCH_ORDINAL for day in dates]
    return np.array(numbers, dtype=np.int64).view("datetime64[D]")


def missing_dates(count: int) -> Dates:
    """Return a column without any date."""
    return np.full(count, MISSING_DATE)


def equals_code(column: Codes, member: int) -> Flags:
    """Whether each entry is this IntEnum member. Comparing with the member itself takes NumPy five times as long."""
    equal: Flags = column == int(member)
    return equal


def any_nonzero(column: Flags | Cents) -> bool:
    """Whether any entry is true or non-zero. Counting takes a tenth of the time of `any()`."""
    return bool(np.count_nonzero(column))


def select_first(
    conditions: Sequence[Flags], values: Sequence[npt.ArrayLike], otherwise: npt.ArrayLike = 0
) -> npt.NDArray[Any]:
    """For each person, the value of the first true condition. Like `np.select`, but fast for a single person too."""
    selected = np.asarray(otherwise)
    for condition, value in zip(reversed(conditions), reversed(values), strict=True):
        selected = np.where(condition, value, selected)
    return selected


def single_person(record: Record, index: int) -> Record:
    """Return a record of columns with only the person at this index."""
    return type(record)(*(_entry(column, index) for column in astuple(record)))


def _entry(column: Any, index: int) -> Any:
    """Fields that are not columns apply to everyone."""
    return column[index : index + 1] if isinstance(column, np.ndarray) else column


def date_at(column: Dates, index: int = 0) -> date | None:
    """The date of one person, or None."""
    day: date | None = column[index].astype("datetime64[D]").item()
    return day
