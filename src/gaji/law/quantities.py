"""Days and hours: whole thousandths, so that half a day (500) and an hour and a quarter (1,250) are exact.

A name that ends in `_millidays` or `_millihours` holds them.

>>> millis([Decimal("10.5"), 3]).tolist(), number(10_500), number(3_000)
([10500, 3000], '10.5', '3')
"""

from collections.abc import Sequence
from decimal import Decimal

import numpy as np
import numpy.typing as npt

from gaji.law.columns import Cents, any_nonzero

MILLI = 1000
"""The parts of a day or of an hour that make one whole."""
HALF_DAY = MILLI // 2
MAX_SAFE_PRODUCT = 2**62
"""Products below this fit into 64 bits, twice over."""

Millis = npt.NDArray[np.int64]
"""Thousandths of a day or of an hour."""
Counts = npt.NDArray[np.int64]
"""Whole numbers: days of leave, completed months, years of service."""


def millis(numbers: Sequence[int | Decimal]) -> Millis:
    """A column of days or hours; raises ValueError for anything finer than a thousandth."""
    scaled = [Decimal(number) * MILLI for number in numbers]
    if finer := [number for number, parts in zip(numbers, scaled, strict=True) if parts != int(parts)]:
        raise ValueError(f"{finer[0]} has more than three decimals")
    return np.asarray([int(parts) for parts in scaled], dtype=np.int64)


def counts(numbers: Sequence[int]) -> Counts:
    """A column of whole numbers."""
    return np.asarray(numbers, dtype=np.int64)


def format_millis(thousandths: int) -> str:
    """Days or hours as they are written."""
    return f"{(Decimal(thousandths) / MILLI).normalize():f}"


def share_cents(amounts_cents: Cents, parts: Millis, wholes: Millis) -> Cents:
    """Amount × part ÷ whole, rounded once: to the nearest cent, half a cent up.

    Exact for amounts of any size. Where the part is nothing there may be no whole; elsewhere that raises ValueError.

    >>> share_cents(np.array([900_000]), np.array([14_000]), np.array([22_000])).tolist()
    [572727]
    """
    without = (wholes == 0) & (parts != 0)
    if any_nonzero(without):
        raise ValueError(f"there is nothing to divide by for the people at {np.flatnonzero(without)[:10].tolist()}")
    dividend = _times(amounts_cents, parts)
    divisor = np.where(parts == 0, 1, wholes).astype(dividend.dtype)
    rounded: Cents = ((2 * dividend + divisor) // (2 * divisor)).astype(np.int64)
    return rounded


def _times(amounts: Cents, factors: Millis) -> npt.NDArray[np.int64]:
    """The products; in integers without bounds where 64 bits might not do."""
    if _largest(amounts) * _largest(factors) < MAX_SAFE_PRODUCT // 2:
        return amounts * factors
    unbounded: npt.NDArray[np.int64] = amounts.astype(np.object_) * factors.astype(np.object_)
    return unbounded


def _largest(column: npt.NDArray[np.int64]) -> int:
    return int(np.abs(column).max(initial=0))
