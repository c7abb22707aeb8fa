"""Rounding of amounts, days and hours. Whole numbers in, whole numbers out.

>>> divide_half_up(5, 2), divide_half_up(-5, 2), round_half_up(Fraction(7, 3))
(3, -2, 2)
>>> whole_dollars(199), whole_dollars(-199), dollars_rounded_up(101)
(1, -1, 2)
"""

from fractions import Fraction
from typing import overload

import numpy as np
import numpy.typing as npt

CENTS_PER_DOLLAR = 100

Integers = npt.NDArray[np.int64]


@overload
def divide_half_up(dividend: int, divisor: int) -> int: ...


@overload
def divide_half_up(dividend: Integers, divisor: int | Integers) -> Integers: ...


def divide_half_up(dividend: int | Integers, divisor: int | Integers) -> int | Integers:
    """The quotient, to the nearest whole number, halves up. The divisor must be positive."""
    return (dividend + divisor // 2) // divisor


def round_half_up(exact: Fraction) -> int:
    """The nearest whole number, halves up."""
    return divide_half_up(exact.numerator, exact.denominator)


def whole_dollars(cents: int) -> int:
    """The dollars of an amount. Its cents are dropped, also those of a negative amount."""
    return cents // CENTS_PER_DOLLAR if cents >= 0 else -(-cents // CENTS_PER_DOLLAR)


def dollars_rounded_up(cents: int) -> int:
    """The dollars of an amount. A part of a dollar counts as a dollar."""
    return -(-cents // CENTS_PER_DOLLAR)
