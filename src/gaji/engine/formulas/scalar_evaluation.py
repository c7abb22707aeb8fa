"""A formula worked out for one person, in fractions.

>>> value(Operation("/", Number(Fraction(1), "1"), Number(Fraction(3), "3")), {})
Fraction(1, 3)
"""

import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction

from gaji.engine.formulas.syntax_tree import (
    Conditional,
    Comparison,
    MinMax,
    NameNode,
    Negation,
    Node,
    NumberLiteral,
    BinaryOperation,
    Operator,
    Reference,
    Relation,
    Rounding,
)

Numbers = Mapping[Reference, Fraction]

OPERATORS: dict[Operator, Callable[[Fraction, Fraction], Fraction]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
RELATIONS: dict[Relation, Callable[[Fraction, Fraction], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "<>": operator.ne,
}


def value(node: Node, numbers: Numbers) -> Fraction:
    """The exact value; raises ZeroDivisionError, and KeyError for a name without a number."""
    match node:
        case NumberLiteral():
            return node.value
        case NameNode():
            return numbers[node.reference]
        case Negation():
            return -value(node.operand, numbers)
        case BinaryOperation():
            return OPERATORS[node.operator](value(node.left, numbers), value(node.right, numbers))
        case MinMax():
            values = [value(argument, numbers) for argument in node.arguments]
            return min(values) if node.function == "min" else max(values)
        case Rounding():
            return nearest(value(node.operand, numbers), node.places)
        case Conditional():
            return value(taken(node, numbers), numbers)


def holds(comparison: Comparison, numbers: Numbers) -> bool:
    """Whether a comparison holds; raises as `value` does."""
    return RELATIONS[comparison.relation](value(comparison.left, numbers), value(comparison.right, numbers))


def taken(choice: Conditional, numbers: Numbers) -> Node:
    """The branch of an `if` that counts; the other one is not even looked at."""
    return choice.then if holds(choice.condition, numbers) else choice.otherwise


def nearest(exact: Fraction, places: int) -> Fraction:
    """The nearest number with so many decimals, a half counting up."""
    unit = 10**places
    return Fraction(math.floor(exact * unit + Fraction(1, 2)), unit)


def constant(node: Node) -> Fraction | None:
    """The value of what is the same for everyone; None for the rest."""
    try:
        return value(node, {})
    except KeyError:
        return None
