"""Formulas told a second time, plainly: trees at random, how they are written, and what they come to in fractions.

Nothing of Gaji's reading and working out is used. A tree is a number's text, a name, or a tuple of a sign and trees.
"""

import math
import random
from fractions import Fraction
from typing import Any

Tree = Any

NAMES = ("basic_salary", "basic_salary.days_input", "calc.12", "calc.12.quantity", "amount", "quantity")
NUMBERS = ("0", "1", "2", "3", "7", "0.05", "0.5", "12", "52", "100", "1000", "2.25", "0.333333", "999999999999")
RELATIONS = ("<", "<=", ">", ">=", "=", "==", "<>", "!=")
STRENGTH = {"+": 1, "-": 1, "*": 2, "/": 2, "negative": 3}
SINGLE = 4


class DividesByZero(Exception):
    """There is no value."""


def at_random(at: random.Random, depth: int) -> Tree:
    """A formula of at most this depth."""
    if depth == 0 or at.random() < 0.15:
        return at.choice(NAMES) if at.random() < 0.6 else at.choice(NUMBERS)
    kind = at.choice(("+", "-", "*", "/", "/", "negative", "min", "max", "round", "if"))
    if kind == "negative":
        return (kind, at_random(at, depth - 1))
    if kind == "round":
        return (kind, at_random(at, depth - 1), at.choice((None, 0, 1, 2, 3, 4)))
    if kind == "if":
        return (kind, at.choice(RELATIONS), *(at_random(at, depth - 1) for _ in range(4)))
    return (kind, *(at_random(at, depth - 1) for _ in range(at.choice((2, 3)) if kind in ("min", "max") else 2)))


def written(at: random.Random, tree: Tree) -> str:
    """The text of a formula, with no more brackets than it needs, or with some more, and with spaces anywhere."""
    space = at.choice(("", "", " ", "\n "))
    if isinstance(tree, str):
        return space + tree + space
    match tree:
        case ("negative", inner):
            text = "-" + _bracketed(at, inner, 3)
        case ("round", inner, None):
            text = f"round({written(at, inner)})"
        case ("round", inner, places):
            text = f"round({written(at, inner)},{space}{places})"
        case ("if", relation, left, right, then, otherwise):
            parts = [written(at, part) for part in (left, right, then, otherwise)]
            text = f"if({parts[0]}{relation}{parts[1]},{parts[2]},{parts[3]})"
        case (("min" | "max") as function, *arguments):
            text = f"{function}{space}({','.join(written(at, argument) for argument in arguments)})"
        case (sign, left, right):
            strength = STRENGTH[sign]
            text = f"{_bracketed(at, left, strength)}{sign}{_bracketed(at, right, strength + 1)}"
    return f"({text})" if at.random() < 0.1 else text


def _bracketed(at: random.Random, tree: Tree, needed: int) -> str:
    strength = SINGLE if isinstance(tree, str) else STRENGTH.get(tree[0], SINGLE)
    text = written(at, tree)
    return text if strength >= needed else f"({text})"


def value(tree: Tree, values: dict[str, Fraction]) -> Fraction:
    """What a tree comes to; raises DividesByZero, and KeyError for a name that has no value."""
    if isinstance(tree, str):
        return Fraction(tree) if tree[0].isdigit() else values[tree]
    match tree:
        case ("if", relation, left, right, then, otherwise):
            return value(then if _holds(relation, value(left, values), value(right, values)) else otherwise, values)
        case ("round", inner, places):
            unit = 10 ** (2 if places is None else places)
            return Fraction(math.floor(value(inner, values) * unit + Fraction(1, 2)), unit)
    parts = [value(part, values) for part in tree[1:]]
    match tree[0], parts:
        case "negative", [inner]:
            return -inner
        case "min", _:
            return sorted(parts)[0]
        case "max", _:
            return sorted(parts)[-1]
        case "+", [left, right]:
            return left + right
        case "-", [left, right]:
            return left - right
        case "*", [left, right]:
            return left * right
    left, right = parts
    if right == 0:
        raise DividesByZero
    return left / right


def always_divides_by_zero(tree: Tree) -> bool:
    """Whether there is a division somewhere in it whose divisor is zero for everyone."""
    if not isinstance(tree, tuple):
        return False
    inside = any(always_divides_by_zero(part) for part in tree[1:])
    return inside or (tree[0] == "/" and _is_always_zero(tree[2]))


def _is_always_zero(tree: Tree) -> bool:
    try:
        return value(tree, {}) == 0
    except KeyError:
        return False


def _holds(relation: str, left: Fraction, right: Fraction) -> bool:
    difference = left - right
    return {
        "<": difference < 0,
        "<=": difference <= 0,
        ">": difference > 0,
        ">=": difference >= 0,
        "=": difference == 0,
        "==": difference == 0,
        "<>": difference != 0,
        "!=": difference != 0,
    }[relation]
