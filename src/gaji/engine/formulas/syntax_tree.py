"""What a formula is once it has been read: a tree of few kinds of nodes."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

Operator = Literal["+", "-", "*", "/"]
Relation = Literal["<", "<=", ">", ">=", "=", "<>"]

CENT_PLACES = 2
"""What is rounded without a word about decimals is rounded to the cent."""


@dataclass(frozen=True)
class Reference:
    """What a name in a formula stands for."""

    calculation: str | None
    """The item, as the catalogue has it: `basic_salary`, `12`. None: the item that the formula belongs to."""
    input: str | None
    """The input of the item. None: its amount on the payslip."""


@dataclass(frozen=True)
class NumberLiteral:
    """A number that is written in the formula."""

    value: Fraction
    text: str


@dataclass(frozen=True)
class NameNode:
    """Something that each person has another value of."""

    reference: Reference


@dataclass(frozen=True)
class Negation:
    """− a."""

    operand: "Node"


@dataclass(frozen=True)
class BinaryOperation:
    """a + b, a − b, a × b or a ÷ b."""

    operator: Operator
    left: "Node"
    right: "Node"


@dataclass(frozen=True)
class MinMax:
    """The least or the greatest of several."""

    function: Literal["min", "max"]
    arguments: tuple["Node", ...]


@dataclass(frozen=True)
class Rounding:
    """The nearest number with so many decimals, a half counting up."""

    operand: "Node"
    places: int


@dataclass(frozen=True)
class Comparison:
    """A question about two values: the first argument of `if`."""

    relation: Relation
    left: "Node"
    right: "Node"


@dataclass(frozen=True)
class Conditional:
    """One value where the comparison holds and another where it does not."""

    condition: Comparison
    then: "Node"
    otherwise: "Node"


Node = NumberLiteral | NameNode | Negation | BinaryOperation | MinMax | Rounding | Conditional


@dataclass(frozen=True)
class Formula:
    """A formula that can be worked out: its text, what it refers to, and the tree that follows from the text."""

    text: str
    references: frozenset[Reference]
    tree: Node = field(repr=False, compare=False)
