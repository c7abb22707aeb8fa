"""Evaluate a formula for a batch of employees: exact arithmetic, rounded once at the end."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

import numpy as np
import numpy.typing as npt

from gaji.engine.formulas import ratios
from gaji.engine.formulas.ratios import Ratios
from gaji.engine.formulas.syntax_tree import (
    CENT_PLACES,
    BinaryOperation,
    Comparison,
    Conditional,
    Formula,
    MinMax,
    NameNode,
    Negation,
    Node,
    NumberLiteral,
    Reference,
    Rounding,
)
from gaji.engine.money import MAX_CENTS
from gaji.law.columns import Cents, Flags

OPERATIONS = {"+": ratios.add, "-": ratios.subtract, "*": ratios.multiply, "/": ratios.divide}

Columns = Mapping[Reference, Ratios]


@dataclass(frozen=True)
class ColumnValues:
    """The values of a reference: cents with scale 100, thousandths with scale 1,000."""

    column: npt.NDArray[np.int64]
    scale: int

    def number(self, index: int) -> Fraction:
        """The value of one employee, in dollars or units."""
        return Fraction(int(self.column[index]), self.scale)


@dataclass(frozen=True)
class FormulaResult:
    """The amount of each employee. It is 0 if the formula divides by zero or the result is out of range."""

    amount_cents: Cents
    divides_by_zero: Flags
    out_of_range: Flags
    """Whether the result is larger than the largest amount of money."""


def evaluate(formula: Formula, values: Mapping[Reference, ColumnValues], person_count: int) -> FormulaResult:
    """Evaluate a formula to the nearest cent, half a cent up.

    Raises KeyError for a reference without values, and ValueError for a column of the wrong length.
    """
    columns = {reference: _to_ratios(values[reference], person_count) for reference in formula.references}
    exact = ratios.round_to_places(_evaluate(formula.tree, columns), CENT_PLACES)
    divides_by_zero = np.broadcast_to(exact.undefined, person_count).copy()
    out_of_range = ~divides_by_zero & (np.abs(exact.numerators) > MAX_CENTS)
    amounts = np.where(divides_by_zero | out_of_range, 0, exact.numerators).astype(np.int64)
    return FormulaResult(amounts, divides_by_zero, out_of_range)


def _to_ratios(values: ColumnValues, person_count: int) -> Ratios:
    if values.column.shape != (person_count,):
        raise ValueError(f"a column of length {len(values.column)} for {person_count} employees")
    return Ratios(values.column, np.array([values.scale], dtype=np.int64), ratios.ALL_DEFINED)


def _evaluate(node: Node, columns: Columns) -> Ratios:
    match node:
        case NumberLiteral():
            return ratios.constant(node.value)
        case NameNode():
            return columns[node.reference]
        case Negation():
            return ratios.negate(_evaluate(node.operand, columns))
        case BinaryOperation():
            return OPERATIONS[node.operator](_evaluate(node.left, columns), _evaluate(node.right, columns))
        case MinMax():
            function = ratios.minimum if node.function == "min" else ratios.maximum
            return reduce(function, [_evaluate(argument, columns) for argument in node.arguments])
        case Rounding():
            return ratios.round_to_places(_evaluate(node.operand, columns), node.places)
        case Conditional():
            return _evaluate_conditional(node, columns)


def _evaluate_conditional(node: Conditional, columns: Columns) -> Ratios:
    """Evaluate both branches for everyone. A division by zero in the branch not taken is ignored."""
    left, right = _evaluate(node.condition.left, columns), _evaluate(node.condition.right, columns)
    is_true = _compare(node.condition, left, right)
    result = ratios.select(is_true, _evaluate(node.then, columns), _evaluate(node.otherwise, columns))
    return Ratios(result.numerators, result.denominators, result.undefined | left.undefined | right.undefined)


def _compare(comparison: Comparison, left: Ratios, right: Ratios) -> Flags:
    match comparison.relation:
        case "<":
            return ratios.less(left, right)
        case ">":
            return ratios.less(right, left)
        case "<=":
            return ~ratios.less(right, left)
        case ">=":
            return ~ratios.less(left, right)
        case "=":
            return ratios.equal(left, right)
        case "<>":
            return ~ratios.equal(left, right)
