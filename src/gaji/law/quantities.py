"""Days and hours in whole thousandths, so half a day (500) and an hour and a quarter (1,250) are exact.

Names that end in `_millidays` or `_millihours` hold thousandths.

>>> millis([Decimal("10.5"), 3]).tolist(), format_millis(10_500), format_millis(3_000)
([10500, 3000], '10.5', '3')
"""

from collections.abc import Sequence
from decimal import Decimal

import numpy as np
import numpy.typing as npt

from gaji.law.columns import Cents, any_nonzero
from gaji.law.rounding import divide_half_up

MILLI = 1000
"""The thousandths in one day or one hour."""
HALF_DAY = MILLI // 2
MAX_SAFE_PRODUCT = 2**62
"""Twice a product below this still fits into 64 bits."""

Millis = npt.NDArray[np.int64]
"""Thousandths of a day or of an hour."""
Counts = npt.NDArray[np.int64]
"""Whole numbers: days of leave, completed months, years of service."""


def millis(numbers: Sequence[int | Decimal]) -> Millis:
    """Return a column of days or hours; raise ValueError for more than three decimals."""
    scaled = [Decimal(number) * MILLI for number in numbers]
    if finer := [number for number, parts in zip(numbers, scaled, strict=True) if parts != int(parts)]:
        raise ValueError(f"{finer[0]} has more than three decimals")
    return np.asarray([int(parts) for parts in scaled], dtype=np.int64)


def counts(numbers: Sequence[int]) -> Counts:
    """Return a column of whole numbers."""
    return np.asarray(numbers, dtype=np.int64)


def format_millis(thousandths: int) -> str:
    """Return days or hours as a decimal number, without trailing zeros."""
    return f"{(Decimal(thousandths) / MILLI).normalize():f}"


def share_cents(amounts_cents: Cents, parts: Millis, wholes: Millis) -> Cents:
    """Amount × part ÷ whole, rounded once: to the nearest cent, halves up.

    Exact for amounts of any size. The whole may be zero where the part is zero; otherwise a zero raises ValueError.

    >>> share_cents(np.array([900_000]), np.array([14_000]), np.array([22_000])).tolist()
    [572727]
    """
    undefined = (wholes == 0) & (parts != 0)
    if any_nonzero(undefined):
        raise ValueError(f"division by zero for the people at index {np.flatnonzero(undefined)[:10].tolist()}")
    dividend = _product(amounts_cents, parts)
    divisor = np.where(parts == 0, 1, wholes).astype(dividend.dtype)
    return divide_half_up(dividend, divisor).astype(np.int64)


def _product(amounts: Cents, factors: Millis) -> npt.NDArray[np.int64]:
    """The products, as unbounded Python integers where 64 bits might overflow."""
    if _largest(amounts) * _largest(factors) < MAX_SAFE_PRODUCT // 2:
        return amounts * factors
    unbounded: npt.NDArray[np.int64] = amounts.astype(np.object_) * factors.astype(np.object_)
    return unbounded


def _largest(column: npt.NDArray[np.int64]) -> int:
    return int(np.abs(column).max(initial=0))
