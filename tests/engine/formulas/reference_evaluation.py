"""A reference implementation of formulas: random trees, their text, and their values as fractions.

Nothing of the engine's parser and evaluation is used. A tree is the text of a number, a name, or a tuple of an operator
and trees.
"""

import math
import random
from fractions import Fraction
from typing import Any

Tree = Any

NAMES = ("basic_salary", "basic_salary.days_input", "calc.12", "calc.12.quantity", "amount", "quantity")
NUMBERS = ("0", "1", "2", "3", "7", "0.05", "0.5", "12", "52", "100", "1000", "2.25", "0.333333", "999999999999")
RELATIONS = ("<", "<=", ">", ">=", "=", "==", "<>", "!=")
PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "negative": 3}
SINGLE = 4


class DividesByZero(Exception):
    """The formula divides by zero."""


def random_tree(rng: random.Random, depth: int) -> Tree:
    """A random formula of at most this depth."""
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(NAMES) if rng.random() < 0.6 else rng.choice(NUMBERS)
    kind = rng.choice(("+", "-", "*", "/", "/", "negative", "min", "max", "round", "if"))
    if kind == "negative":
        return (kind, random_tree(rng, depth - 1))
    if kind == "round":
        return (kind, random_tree(rng, depth - 1), rng.choice((None, 0, 1, 2, 3, 4)))
    if kind == "if":
        return (kind, rng.choice(RELATIONS), *(random_tree(rng, depth - 1) for _ in range(4)))
    return (kind, *(random_tree(rng, depth - 1) for _ in range(rng.choice((2, 3)) if kind in ("min", "max") else 2)))


def formula_text(rng: random.Random, tree: Tree) -> str:
    """The text of a formula, with random spaces and sometimes more brackets than it needs."""
    space = rng.choice(("", "", " ", "\n "))
    if isinstance(tree, str):
        return space + tree + space
    match tree:
        case ("negative", inner):
            text = "-" + _bracketed(rng, inner, 3)
        case ("round", inner, None):
            text = f"round({formula_text(rng, inner)})"
        case ("round", inner, places):
            text = f"round({formula_text(rng, inner)},{space}{places})"
        case ("if", relation, left, right, then, otherwise):
            parts = [formula_text(rng, part) for part in (left, right, then, otherwise)]
            text = f"if({parts[0]}{relation}{parts[1]},{parts[2]},{parts[3]})"
        case (("min" | "max") as function, *arguments):
            text = f"{function}{space}({','.join(formula_text(rng, argument) for argument in arguments)})"
        case (sign, left, right):
            precedence = PRECEDENCE[sign]
            text = f"{_bracketed(rng, left, precedence)}{sign}{_bracketed(rng, right, precedence + 1)}"
    return f"({text})" if rng.random() < 0.1 else text


def _bracketed(rng: random.Random, tree: Tree, required: int) -> str:
    precedence = SINGLE if isinstance(tree, str) else PRECEDENCE.get(tree[0], SINGLE)
    text = formula_text(rng, tree)
    return text if precedence >= required else f"({text})"


def value(tree: Tree, values: dict[str, Fraction]) -> Fraction:
    """The value of a tree. Raises DividesByZero, and KeyError for a name without a value."""
    if isinstance(tree, str):
        return Fraction(tree) if tree[0].isdigit() else values[tree]
    match tree:
        case ("if", relation, left, right, then, otherwise):
            return value(then if _is_true(relation, value(left, values), value(right, values)) else otherwise, values)
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
    """Whether a tree contains a division by a constant zero."""
    if not isinstance(tree, tuple):
        return False
    inside = any(always_divides_by_zero(part) for part in tree[1:])
    return inside or (tree[0] == "/" and _is_always_zero(tree[2]))


def _is_always_zero(tree: Tree) -> bool:
    try:
        return value(tree, {}) == 0
    except KeyError:
        return False


def _is_true(relation: str, left: Fraction, right: Fraction) -> bool:
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
