"""The amounts of a formula for a batch of people: exact throughout, rounded once at the end."""

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
    Conditional,
    Comparison,
    MinMax,
    Formula,
    NameNode,
    Negation,
    Node,
    NumberLiteral,
    BinaryOperation,
    Reference,
    Rounding,
)
from gaji.engine.money import MAX_CENTS
from gaji.law.columns import Cents, Flags

OPERATIONS = {"+": ratios.add, "-": ratios.subtract, "*": ratios.multiply, "/": ratios.divide}


@dataclass(frozen=True)
class ColumnValues:
    """What a name stands for, person by person: cents with scale 100, thousandths with scale 1,000."""

    column: npt.NDArray[np.int64]
    scale: int

    def number(self, place: int) -> Fraction:
        """The number of one person, in dollars or in units."""
        return Fraction(int(self.column[place]), self.scale)


@dataclass(frozen=True)
class FormulaResult:
    """The amount of each person, and who has none for which reason: there it is 0."""

    amount_cents: Cents
    divides_by_zero: Flags
    out_of_range: Flags
    """Larger than any amount of money can be."""


def evaluate(formula: Formula, values: Mapping[Reference, ColumnValues], person_count: int) -> FormulaResult:
    """The amount of each person, to the nearest cent, half a cent up.

    Raises KeyError for a reference without values, and ValueError for a column of another length.
    """
    columns = {reference: _ratios(values[reference], person_count) for reference in formula.references}
    exact = ratios.round_half_up(_work_out(formula.tree, columns), CENT_PLACES)
    impossible = np.broadcast_to(exact.undefined, person_count).copy()
    beyond = ~impossible & (np.abs(exact.numerators) > MAX_CENTS)
    amounts = np.where(impossible | beyond, 0, exact.numerators).astype(np.int64)
    return FormulaResult(amounts, impossible, beyond)


def _ratios(values: ColumnValues, people: int) -> Ratios:
    if values.column.shape != (people,):
        raise ValueError(f"a column of {len(values.column)} for {people} people")
    return Ratios(values.column, np.array([values.scale], dtype=np.int64), ratios.ALL_DEFINED)


def _work_out(node: Node, columns: Mapping[Reference, Ratios]) -> Ratios:
    match node:
        case NumberLiteral():
            return ratios.constant(node.value)
        case NameNode():
            return columns[node.reference]
        case Negation():
            return ratios.negate(_work_out(node.operand, columns))
        case BinaryOperation():
            return OPERATIONS[node.operator](_work_out(node.left, columns), _work_out(node.right, columns))
        case MinMax():
            pick = ratios.minimum if node.function == "min" else ratios.maximum
            return reduce(pick, [_work_out(argument, columns) for argument in node.arguments])
        case Rounding():
            return ratios.round_half_up(_work_out(node.operand, columns), node.places)
        case Conditional():
            return _choice(node, columns)


def _choice(node: Conditional, columns: Mapping[Reference, Ratios]) -> Ratios:
    """Both branches are worked out for everyone; what is wrong with the one not taken is forgotten."""
    holds, undecided = _compare(node.condition, columns)
    decided = ratios.select(holds, _work_out(node.then, columns), _work_out(node.otherwise, columns))
    return Ratios(decided.numerators, decided.denominators, decided.undefined | undecided)


def _compare(comparison: Comparison, columns: Mapping[Reference, Ratios]) -> tuple[Flags, Flags]:
    """For whom the comparison holds, and for whom it cannot be made."""
    left, right = _work_out(comparison.left, columns), _work_out(comparison.right, columns)
    return _holds(comparison, left, right), left.undefined | right.undefined


def _holds(comparison: Comparison, left: Ratios, right: Ratios) -> Flags:
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
