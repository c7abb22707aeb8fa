"""Columns of exact numbers: whole numerators over whole denominators above zero.

What is the same for everyone is a column of one. Sums stay in 64 bits as long as they surely fit, and go on in integers
without bounds where they might not; nothing is rounded unless it is asked for, and nothing is ever a float.

>>> third = divided(same(Fraction(1)), same(Fraction(3)))
>>> rounded(plus(third, third), places=2).numerators.tolist()
[67]
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from gaji.law.columns import Flags
from gaji.law.quantities import MAX_SAFE_PRODUCT

Wholes = npt.NDArray[Any]
"""Whole numbers, in 64 bits or, as objects, without bounds."""
ALL_DEFINED: Flags = np.zeros(1, dtype=np.bool_)


@dataclass(frozen=True)
class Ratios:
    """A number for each person, or one for everyone, and for whom there is none because it divides by zero."""

    numerators: Wholes
    denominators: Wholes
    undefined: Flags


def constant(number: Fraction) -> Ratios:
    """A number that is the same for everyone."""
    return Ratios(_whole(number.numerator), _whole(number.denominator), ALL_DEFINED)


def negate(ratios: Ratios) -> Ratios:
    """− a."""
    return Ratios(_times(ratios.numerators, _whole(-1)), ratios.denominators, ratios.undefined)


def add(left: Ratios, right: Ratios) -> Ratios:
    """a + b."""
    first, second, denominators = _on_one_denominator(left, right)
    return Ratios(_plus(first, second), denominators, left.undefined | right.undefined)


def subtract(left: Ratios, right: Ratios) -> Ratios:
    """a − b."""
    return add(left, negate(right))


def multiply(left: Ratios, right: Ratios) -> Ratios:
    """a × b."""
    return Ratios(
        _times(left.numerators, right.numerators),
        _times(left.denominators, right.denominators),
        left.undefined | right.undefined,
    )


def divide(left: Ratios, right: Ratios) -> Ratios:
    """a ÷ b: nothing, and impossible, where b is zero."""
    zero = right.numerators == 0
    upright = np.where(right.numerators < 0, -1, 1)
    numerators = _times(_times(left.numerators, right.denominators), np.where(zero, 0, upright))
    denominators = _times(left.denominators, np.where(zero, 1, _times(right.numerators, upright)))
    return Ratios(numerators, denominators, left.undefined | right.undefined | zero)


def less(left: Ratios, right: Ratios) -> Flags:
    """Who has a below b."""
    first, second, _ = _on_one_denominator(left, right)
    below: Flags = first < second
    return below


def equal(left: Ratios, right: Ratios) -> Flags:
    """Who has the same a and b."""
    first, second, _ = _on_one_denominator(left, right)
    alike: Flags = first == second
    return alike


def minimum(left: Ratios, right: Ratios) -> Ratios:
    """The lesser of a and b; impossible where either is."""
    return _with_impossible(select(less(right, left), right, left), left.undefined | right.undefined)


def maximum(left: Ratios, right: Ratios) -> Ratios:
    """The greater of a and b; impossible where either is."""
    return _with_impossible(select(less(left, right), right, left), left.undefined | right.undefined)


def select(holds: Flags, then: Ratios, otherwise: Ratios) -> Ratios:
    """For each person one of the two; the other one may be impossible."""
    impossible = np.where(holds, then.undefined, otherwise.undefined)
    if _alone(then.denominators) and _alone(otherwise.denominators):
        first, second, denominators = _on_one_denominator(then, otherwise)
        return Ratios(np.where(holds, first, second), denominators, impossible)
    return Ratios(
        np.where(holds, then.numerators, otherwise.numerators),
        np.where(holds, then.denominators, otherwise.denominators),
        impossible,
    )


def round_half_up(ratios: Ratios, places: int) -> Ratios:
    """The nearest number with so many decimals, a half counting up."""
    unit = 10**places
    doubled = _plus(_times(ratios.numerators, _whole(2 * unit)), ratios.denominators)
    return Ratios(doubled // _times(ratios.denominators, _whole(2)), _whole(unit), ratios.undefined)


def _with_impossible(ratios: Ratios, impossible: Flags) -> Ratios:
    return Ratios(ratios.numerators, ratios.denominators, impossible)


def _on_one_denominator(left: Ratios, right: Ratios) -> tuple[Wholes, Wholes, Wholes]:
    """The numerators of both over a denominator that they share."""
    first, second = left.denominators, right.denominators
    if first is second:
        return left.numerators, right.numerators, first
    if _alone(first) and _alone(second):
        shared = math.lcm(int(first[0]), int(second[0]))
        to_first, to_second = _whole(shared // int(first[0])), _whole(shared // int(second[0]))
        return _times(left.numerators, to_first), _times(right.numerators, to_second), _whole(shared)
    return _times(left.numerators, second), _times(right.numerators, first), _times(first, second)


def _alone(column: Wholes) -> bool:
    return column.shape == (1,)


def _whole(number: int) -> Wholes:
    return np.array([number], dtype=np.int64 if abs(number) < MAX_SAFE_PRODUCT else np.object_)


def _times(left: Wholes, right: Wholes) -> Wholes:
    return left * right if _largest(left) * _largest(right) < MAX_SAFE_PRODUCT else left.astype(np.object_) * right


def _plus(left: Wholes, right: Wholes) -> Wholes:
    return left + right if _largest(left) + _largest(right) < MAX_SAFE_PRODUCT else left.astype(np.object_) + right


def _largest(column: Wholes) -> int:
    """The largest number of a column, whatever its sign; for one without bounds it is enough that it is large."""
    if column.dtype == np.object_:
        return MAX_SAFE_PRODUCT
    return max(int(column.max(initial=0)), -int(column.min(initial=0)))
