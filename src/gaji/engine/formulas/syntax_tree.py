"""The syntax tree of a parsed formula."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

Operator = Literal["+", "-", "*", "/"]
Relation = Literal["<", "<=", ">", ">=", "=", "<>"]

CENT_PLACES = 2
"""The default decimals of `round`: cents."""


@dataclass(frozen=True)
class Reference:
    """The amount or input that a name in a formula refers to."""

    calculation: str | None
    """The item, named as in the catalogue: `basic_salary`, `12`. None: the item of the formula."""
    input: str | None
    """An input of the item. None: its amount on the payslip."""


@dataclass(frozen=True)
class NumberLiteral:
    """A number in the formula."""

    value: Fraction
    text: str


@dataclass(frozen=True)
class NameNode:
    """A name, whose value differs between employees."""

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
    """The smallest or largest of several values."""

    function: Literal["min", "max"]
    arguments: tuple["Node", ...]


@dataclass(frozen=True)
class Rounding:
    """A value rounded half up to a number of decimals."""

    operand: "Node"
    places: int


@dataclass(frozen=True)
class Comparison:
    """A comparison of two values: the first argument of `if`."""

    relation: Relation
    left: "Node"
    right: "Node"


@dataclass(frozen=True)
class Conditional:
    """An `if`: one value if the comparison is true, another if it is false."""

    condition: Comparison
    then: "Node"
    otherwise: "Node"


Node = NumberLiteral | NameNode | Negation | BinaryOperation | MinMax | Rounding | Conditional


@dataclass(frozen=True)
class Formula:
    """A parsed formula: its text, its references, and its syntax tree."""

    text: str
    references: frozenset[Reference]
    tree: Node = field(repr=False, compare=False)
