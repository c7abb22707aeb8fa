"""Columns of exact rational numbers: integer numerators over positive integer denominators.

A constant is a column of length 1. Results stay in 64 bits if they are certain to fit, and otherwise become unbounded
integers. Nothing is rounded unless requested, and nothing is ever a float.

>>> third = divide(constant(Fraction(1)), constant(Fraction(3)))
>>> round_to_places(add(third, third), places=2).numerators.tolist()
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

Integers = npt.NDArray[Any]
"""64-bit integers, or unbounded integers as objects."""
ALL_DEFINED: Flags = np.zeros(1, dtype=np.bool_)


@dataclass(frozen=True)
class Ratios:
    """A number for each employee, or one for all. `undefined` marks divisions by zero."""

    numerators: Integers
    denominators: Integers
    undefined: Flags


def constant(number: Fraction) -> Ratios:
    """The same number for everyone."""
    return Ratios(_integer(number.numerator), _integer(number.denominator), ALL_DEFINED)


def negate(ratios: Ratios) -> Ratios:
    """− a."""
    return Ratios(_multiply(ratios.numerators, _integer(-1)), ratios.denominators, ratios.undefined)


def add(left: Ratios, right: Ratios) -> Ratios:
    """a + b."""
    first, second, denominators = _common_denominator(left, right)
    return Ratios(_add(first, second), denominators, left.undefined | right.undefined)


def subtract(left: Ratios, right: Ratios) -> Ratios:
    """a − b."""
    return add(left, negate(right))


def multiply(left: Ratios, right: Ratios) -> Ratios:
    """a × b."""
    return Ratios(
        _multiply(left.numerators, right.numerators),
        _multiply(left.denominators, right.denominators),
        left.undefined | right.undefined,
    )


def divide(left: Ratios, right: Ratios) -> Ratios:
    """a ÷ b. Undefined, with the value 0, where b is zero."""
    zero = right.numerators == 0
    sign = np.where(right.numerators < 0, -1, 1)
    numerators = _multiply(_multiply(left.numerators, right.denominators), np.where(zero, 0, sign))
    denominators = _multiply(left.denominators, np.where(zero, 1, _multiply(right.numerators, sign)))
    return Ratios(numerators, denominators, left.undefined | right.undefined | zero)


def less(left: Ratios, right: Ratios) -> Flags:
    """Whether a < b."""
    first, second, _ = _common_denominator(left, right)
    is_less: Flags = first < second
    return is_less


def equal(left: Ratios, right: Ratios) -> Flags:
    """Whether a = b."""
    first, second, _ = _common_denominator(left, right)
    is_equal: Flags = first == second
    return is_equal


def minimum(left: Ratios, right: Ratios) -> Ratios:
    """The smaller of a and b. Undefined where either is."""
    return _with_undefined(select(less(right, left), right, left), left.undefined | right.undefined)


def maximum(left: Ratios, right: Ratios) -> Ratios:
    """The larger of a and b. Undefined where either is."""
    return _with_undefined(select(less(left, right), right, left), left.undefined | right.undefined)


def select(condition: Flags, then: Ratios, otherwise: Ratios) -> Ratios:
    """One of two values for each employee. The value not selected may be undefined."""
    undefined = np.where(condition, then.undefined, otherwise.undefined)
    if _is_constant(then.denominators) and _is_constant(otherwise.denominators):
        first, second, denominators = _common_denominator(then, otherwise)
        return Ratios(np.where(condition, first, second), denominators, undefined)
    return Ratios(
        np.where(condition, then.numerators, otherwise.numerators),
        np.where(condition, then.denominators, otherwise.denominators),
        undefined,
    )


def round_to_places(ratios: Ratios, places: int) -> Ratios:
    """Round half up to a number of decimals."""
    unit = 10**places
    doubled = _add(_multiply(ratios.numerators, _integer(2 * unit)), ratios.denominators)
    return Ratios(doubled // _multiply(ratios.denominators, _integer(2)), _integer(unit), ratios.undefined)


def _with_undefined(ratios: Ratios, undefined: Flags) -> Ratios:
    return Ratios(ratios.numerators, ratios.denominators, undefined)


def _common_denominator(left: Ratios, right: Ratios) -> tuple[Integers, Integers, Integers]:
    """The numerators of both over a common denominator."""
    first, second = left.denominators, right.denominators
    if first is second:
        return left.numerators, right.numerators, first
    if _is_constant(first) and _is_constant(second):
        common = math.lcm(int(first[0]), int(second[0]))
        to_first, to_second = _integer(common // int(first[0])), _integer(common // int(second[0]))
        return _multiply(left.numerators, to_first), _multiply(right.numerators, to_second), _integer(common)
    return _multiply(left.numerators, second), _multiply(right.numerators, first), _multiply(first, second)


def _is_constant(column: Integers) -> bool:
    return column.shape == (1,)


def _integer(number: int) -> Integers:
    return np.array([number], dtype=np.int64 if abs(number) < MAX_SAFE_PRODUCT else np.object_)


def _multiply(left: Integers, right: Integers) -> Integers:
    return left * right if _max_abs(left) * _max_abs(right) < MAX_SAFE_PRODUCT else left.astype(np.object_) * right


def _add(left: Integers, right: Integers) -> Integers:
    return left + right if _max_abs(left) + _max_abs(right) < MAX_SAFE_PRODUCT else left.astype(np.object_) + right


def _max_abs(column: Integers) -> int:
    """The largest absolute value of a column. Unbounded columns count as too large for 64 bits."""
    if column.dtype == np.object_:
        return MAX_SAFE_PRODUCT
    return max(int(column.max(initial=0)), -int(column.min(initial=0)))
