"""Parse a formula: from its text to a syntax tree, or to the first error.

sum        = product { ("+" | "-") product }
product    = factor { ("*" | "/") factor }
factor     = "-" factor | number | name | "(" sum ")" | call
call       = ("min" | "max") "(" sum "," sum { "," sum } ")"
           | "round" "(" sum [ "," places ] ")"
           | "if" "(" comparison "," sum "," sum ")"
comparison = sum ("<" | "<=" | ">" | ">=" | "=" | "==" | "<>" | "!=") sum
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Literal, cast

from gaji.engine.formulas import references
from gaji.engine.formulas.scalar_evaluation import constant_value
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
    Operator,
    Reference,
    Relation,
    Rounding,
)
from gaji.engine.formulas.tokenizer import FormulaError, Token, tokenize

MAX_CHARACTERS = 1_000
MAX_NESTING = 50
MAX_NAMES_AND_OPERATORS = 200

FUNCTIONS = ("min", "max", "round", "if")
PLACES = ("0", "1", "2", "3", "4")
RELATION_ALIASES: dict[str, Relation] = {"==": "=", "!=": "<>"}

ONLY_IN_IF = "a comparison is only allowed as the first argument of if, once and without brackets"


def parse(text: str, is_known: references.IsKnown, suggestions: Sequence[str] = ()) -> Formula:
    """Parse a formula. Raises FormulaError for the first error.

    `is_known` tells whether a reference exists. `suggestions` are names to suggest in place of an unknown one.
    """
    if len(text) > MAX_CHARACTERS:
        message = f"a formula can have at most {MAX_CHARACTERS:,} characters; this one has {len(text):,}"
        raise FormulaError(MAX_CHARACTERS, message)
    if not text.strip():
        raise FormulaError(0, "the formula is empty")
    parser = _Parser(text, is_known, suggestions)
    tree = parser.formula()
    return Formula(text, frozenset(parser.references), tree)


class _Parser:
    """A recursive descent parser. Every method leaves `next` at the first token that it did not take."""

    def __init__(self, text: str, is_known: references.IsKnown, suggestions: Sequence[str]) -> None:
        self.references: set[Reference] = set()
        self._tokens = tokenize(text)
        self._is_known = is_known
        self._suggestions = suggestions
        self._depth = 0
        self._size = 0
        self.next = next(self._tokens)

    def formula(self) -> Node:
        tree = self.sum()
        if self.next.kind != "end":
            raise self._unexpected(None)
        return tree

    def sum(self) -> Node:
        left = self.product()
        while self.next.text in ("+", "-"):
            operator = self.take()
            left = BinaryOperation(cast(Operator, operator.text), left, self.product())
        return left

    def product(self) -> Node:
        left = self.factor()
        while self.next.text in ("*", "/"):
            operator = self.take()
            right = self.factor()
            if operator.text == "/" and constant_value(right) == 0:
                raise FormulaError(operator.position, "this always divides by zero")
            left = BinaryOperation(cast(Operator, operator.text), left, right)
        return left

    def factor(self) -> Node:
        if self.next.text == "-":
            with self.nested(self.take()):
                return Negation(self.factor())
        if self.next.kind == "number":
            text = self.take().text
            return NumberLiteral(Fraction(text), text)
        if self.next.kind == "name":
            name = self.take()
            return self.call(name) if self.next.text == "(" else self.name(name)
        if self.next.text == "(":
            opening = self.take()
            with self.nested(opening):
                inner = self.sum()
                self.close(opening)
                return inner
        raise self._missing_value()

    def name(self, token: Token) -> Node:
        if token.text in FUNCTIONS:
            raise FormulaError(token.position, f"`{token.text}` is a function and needs its arguments in brackets")
        reference = references.resolve(token, self._is_known, self._suggestions)
        self.references.add(reference)
        return NameNode(reference)

    def call(self, function: Token) -> Node:
        """Parse the arguments of a function. `next` is the opening bracket."""
        if function.text not in FUNCTIONS:
            suggestion = references.suggest(function.text, FUNCTIONS)
            hint = f"did you mean {suggestion}?" if suggestion else f"the functions are {', '.join(FUNCTIONS)}"
            raise FormulaError(function.position, f"unknown function `{function.text}`; {hint}")
        opening = self.take()
        with self.nested(function):
            if self.next.text == ")":
                raise _wrong_argument_count(function, 0)
            match function.text:
                case "if":
                    return self.conditional(function, opening)
                case "round":
                    return self.rounding(function, opening)
            return self.min_max(function, opening)

    def min_max(self, function: Token, opening: Token) -> Node:
        arguments = (self.sum(), *self.more_arguments(opening))
        if len(arguments) < 2:
            raise _wrong_argument_count(function, len(arguments))
        return MinMax(cast(Literal["min", "max"], function.text), arguments)

    def conditional(self, function: Token, opening: Token) -> Node:
        condition = self.comparison(opening)
        branches = self.more_arguments(opening)
        if len(branches) != 2:
            raise _wrong_argument_count(function, 1 + len(branches))
        return Conditional(condition, *branches)

    def comparison(self, opening: Token) -> Comparison:
        first, left = self.next, self.sum()
        if self.next.text in (",", ")"):
            raise FormulaError(first.position, "the first argument of if must be a comparison, such as quantity > 0")
        if self.next.kind != "relation":
            raise self._unexpected(opening)
        relation = self.take().text
        return Comparison(RELATION_ALIASES.get(relation, cast(Relation, relation)), left, self.sum())

    def rounding(self, function: Token, opening: Token) -> Node:
        operand, places = self.sum(), CENT_PLACES
        if self.next.text == ",":
            self.take()
            places = self.places()
        if more := self.more_arguments(opening):
            raise _wrong_argument_count(function, 2 + len(more))
        return Rounding(operand, places)

    def places(self) -> int:
        token = self.next
        if token.text in PLACES:
            self.take()
            if self.next.kind != "operator":
                return int(token.text)
        raise FormulaError(token.position, "the decimals of round must be 0, 1, 2, 3 or 4")

    def more_arguments(self, opening: Token) -> list[Node]:
        """Parse the arguments after the first, and the closing bracket."""
        arguments = []
        while self.next.text == ",":
            self.take()
            arguments.append(self.sum())
        self.close(opening)
        return arguments

    def close(self, opening: Token) -> None:
        if self.next.text != ")":
            raise self._unexpected(opening)
        self.take()

    def take(self) -> Token:
        token = self.next
        if token.kind in ("name", "operator", "relation"):
            self._size += 1
        if self._size > MAX_NAMES_AND_OPERATORS:
            message = f"a formula can have at most {MAX_NAMES_AND_OPERATORS} names and operators"
            raise FormulaError(token.position, message)
        self.next = next(self._tokens)
        return token

    @contextmanager
    def nested(self, token: Token) -> Iterator[None]:
        """Enter one level of nesting. The limit also bounds the recursion of the parser."""
        self._depth += 1
        if self._depth > MAX_NESTING:
            message = f"brackets, functions and minus signs can be nested at most {MAX_NESTING} deep"
            raise FormulaError(token.position, message)
        yield
        self._depth -= 1

    def _missing_value(self) -> FormulaError:
        token = self.next
        if token.kind == "error":
            return FormulaError(token.position, token.text)
        where = "at the end" if token.kind == "end" else f"before `{token.text}`"
        return FormulaError(token.position, f"a number or name is missing {where}")

    def _unexpected(self, opening: Token | None) -> FormulaError:
        """The error if a value is followed by something other than an operator or the end of its brackets."""
        token = self.next
        if token.kind == "end" and opening:
            return FormulaError(opening.position, "this bracket is not closed")
        if token.kind == "error":
            return FormulaError(token.position, token.text)
        if token.kind == "relation":
            return FormulaError(token.position, ONLY_IN_IF)
        if token.text == ")":
            return FormulaError(token.position, "this bracket has no opening bracket")
        if token.text == ",":
            message = "a comma is only allowed between the arguments of a function; write a thousand as 1000"
            return FormulaError(token.position, message)
        return FormulaError(token.position, f"an operator is missing before `{token.text}`")


def _wrong_argument_count(function: Token, count: int) -> FormulaError:
    takes = {
        "min": "at least 2 arguments",
        "max": "at least 2 arguments",
        "round": "1 or 2 arguments, a value and the decimals",
        "if": "3 arguments, a comparison and two values",
    }
    return FormulaError(function.position, f"`{function.text}` takes {takes[function.text]}, not {count}")
