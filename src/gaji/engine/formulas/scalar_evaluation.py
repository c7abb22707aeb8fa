"""Evaluate a formula for one employee, in fractions.

>>> evaluate_node(BinaryOperation("/", NumberLiteral(Fraction(1), "1"), NumberLiteral(Fraction(3), "3")), {})
Fraction(1, 3)
"""

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction

from gaji.engine.formulas.syntax_tree import (
    BinaryOperation,
    Comparison,
    Conditional,
    MinMax,
    NameNode,
    Negation,
    Node,
    NumberLiteral,
    Operator,
    Reference,
    Relation,
    Rounding,
)
from gaji.law.rounding import round_half_up

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


def evaluate_node(node: Node, numbers: Numbers) -> Fraction:
    """Evaluate a node exactly. Raises ZeroDivisionError, and KeyError for a name without a number."""
    match node:
        case NumberLiteral():
            return node.value
        case NameNode():
            return numbers[node.reference]
        case Negation():
            return -evaluate_node(node.operand, numbers)
        case BinaryOperation():
            return OPERATORS[node.operator](evaluate_node(node.left, numbers), evaluate_node(node.right, numbers))
        case MinMax():
            values = [evaluate_node(argument, numbers) for argument in node.arguments]
            return min(values) if node.function == "min" else max(values)
        case Rounding():
            return round_to_places(evaluate_node(node.operand, numbers), node.places)
        case Conditional():
            return evaluate_node(branch_taken(node, numbers), numbers)


def is_true(comparison: Comparison, numbers: Numbers) -> bool:
    """Whether a comparison is true. Raises the errors of `evaluate_node`."""
    left, right = evaluate_node(comparison.left, numbers), evaluate_node(comparison.right, numbers)
    return RELATIONS[comparison.relation](left, right)


def branch_taken(conditional: Conditional, numbers: Numbers) -> Node:
    """The branch of an `if` that is taken. The other branch is not evaluated."""
    return conditional.then if is_true(conditional.condition, numbers) else conditional.otherwise


def round_to_places(exact: Fraction, places: int) -> Fraction:
    """Round half up to a number of decimals."""
    unit = 10**places
    return Fraction(round_half_up(exact * unit), unit)


def constant_value(node: Node) -> Fraction | None:
    """The value of a node without names. None for other nodes. Raises ZeroDivisionError."""
    try:
        return evaluate_node(node, {})
    except KeyError:
        return None
