"""Reading a formula: from its text to a tree, or to the first fault.

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
from gaji.engine.formulas.scalar_evaluation import constant
from gaji.engine.formulas.tokenizer import FormulaError, Token, tokenize
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
    Operator,
    Reference,
    Relation,
    Rounding,
)

MAX_CHARACTERS = 1_000
MAX_NESTING = 50
MAX_NAMES_AND_OPERATORS = 200

FUNCTIONS = ("min", "max", "round", "if")
PLACES = ("0", "1", "2", "3", "4")
SAME: dict[str, Relation] = {"==": "=", "!=": "<>"}
"""Other ways to write a comparison."""

ONLY_IN_IF = "a comparison stands only in the first argument of if, once and without brackets around it"


def parse(text: str, known: references.IsKnown, suggestions: Sequence[str] = ()) -> Formula:
    """The formula of a text; raises FormulaFault for the first thing in it that cannot be.

    `known` says whether there is what a name refers to; `suggestions` are the names that a near miss may have meant.
    """
    if len(text) > MAX_CHARACTERS:
        message = f"a formula has at most {MAX_CHARACTERS:,} characters; this one has {len(text):,}"
        raise FormulaError(MAX_CHARACTERS, message)
    if not text.strip():
        raise FormulaError(0, "the formula is empty")
    reader = _Reader(text, known, suggestions)
    tree = reader.whole()
    return Formula(text, frozenset(reader.references), tree)


class _Reader:
    """Goes through the tokens from left to right; every method leaves `next` at the first one it did not take."""

    def __init__(self, text: str, known: references.IsKnown, suggestions: Sequence[str]) -> None:
        self.references: set[Reference] = set()
        self._tokens = tokenize(text)
        self._known = known
        self._suggestions = suggestions
        self._nested = 0
        self._counted = 0
        self.next = next(self._tokens)

    def whole(self) -> Node:
        tree = self.sum()
        if self.next.kind != "end":
            raise self._goes_on_wrongly(None)
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
            if operator.text == "/" and constant(right) == 0:
                raise FormulaError(operator.position, "this always divides by zero")
            left = BinaryOperation(cast(Operator, operator.text), left, right)
        return left

    def factor(self) -> Node:
        if self.next.text == "-":
            with self.nested(self.take()):
                return Negation(self.factor())
        if self.next.kind == "number":
            written = self.take().text
            return NumberLiteral(Fraction(written), written)
        if self.next.kind == "name":
            name = self.take()
            return self.call(name) if self.next.text == "(" else self.name(name)
        if self.next.text == "(":
            opening = self.take()
            with self.nested(opening):
                inner = self.sum()
                self.close(opening)
                return inner
        raise self._value_missing()

    def name(self, token: Token) -> Node:
        if token.text in FUNCTIONS:
            raise FormulaError(token.position, f"`{token.text}` is a function: its arguments follow in brackets")
        found = references.resolve(token, self._known, self._suggestions)
        self.references.add(found)
        return NameNode(found)

    def call(self, function: Token) -> Node:
        """A function with its arguments; `next` is the bracket that opens them."""
        if function.text not in FUNCTIONS:
            near = references.suggest(function.text, FUNCTIONS)
            ending = f"; did you mean {near}?" if near else f"; there are {', '.join(FUNCTIONS)}"
            raise FormulaError(function.position, f"there is no function `{function.text}`{ending}")
        opening = self.take()
        with self.nested(function):
            if self.next.text == ")":
                raise _wrong_number(function, 0)
            match function.text:
                case "if":
                    return self.choice(function, opening)
                case "round":
                    return self.rounded(function, opening)
            return self.extreme(function, opening)

    def extreme(self, function: Token, opening: Token) -> Node:
        arguments = (self.sum(), *self.further(opening))
        if len(arguments) < 2:
            raise _wrong_number(function, len(arguments))
        return MinMax(cast(Literal["min", "max"], function.text), arguments)

    def choice(self, function: Token, opening: Token) -> Node:
        condition = self.comparison(opening)
        branches = self.further(opening)
        if len(branches) != 2:
            raise _wrong_number(function, 1 + len(branches))
        return Conditional(condition, *branches)

    def comparison(self, opening: Token) -> Comparison:
        begin, left = self.next, self.sum()
        if self.next.text in (",", ")"):
            raise FormulaError(begin.position, "the first argument of if is a comparison, such as quantity > 0")
        if self.next.kind != "relation":
            raise self._goes_on_wrongly(opening)
        written = self.take().text
        return Comparison(SAME.get(written, cast(Relation, written)), left, self.sum())

    def rounded(self, function: Token, opening: Token) -> Node:
        operand, places = self.sum(), CENT_PLACES
        if self.next.text == ",":
            self.take()
            places = self.places()
        if more := self.further(opening):
            raise _wrong_number(function, 2 + len(more))
        return Rounding(operand, places)

    def places(self) -> int:
        written = self.next
        if written.text in PLACES:
            self.take()
            if self.next.kind != "operator":
                return int(written.text)
        raise FormulaError(written.position, "the decimals of round are one of the numbers 0, 1, 2, 3 and 4")

    def further(self, opening: Token) -> list[Node]:
        """The arguments after the first, and the bracket that ends them."""
        arguments = []
        while self.next.text == ",":
            self.take()
            arguments.append(self.sum())
        self.close(opening)
        return arguments

    def close(self, opening: Token) -> None:
        if self.next.text != ")":
            raise self._goes_on_wrongly(opening)
        self.take()

    def take(self) -> Token:
        taken = self.next
        if taken.kind in ("name", "operator", "relation"):
            self._counted += 1
        if self._counted > MAX_NAMES_AND_OPERATORS:
            message = f"a formula has at most {MAX_NAMES_AND_OPERATORS} names and operators together"
            raise FormulaError(taken.position, message)
        self.next = next(self._tokens)
        return taken

    @contextmanager
    def nested(self, token: Token) -> Iterator[None]:
        """One level deeper, with its limit: reading is as deep as the brackets are."""
        self._nested += 1
        if self._nested > MAX_NESTING:
            raise FormulaError(token.position, f"brackets, functions and minus signs nest at most {MAX_NESTING} deep")
        yield
        self._nested -= 1

    def _value_missing(self) -> FormulaError:
        token = self.next
        if token.kind == "fault":
            return FormulaError(token.position, token.text)
        before = "at the end" if token.kind == "end" else f"before `{token.text}`"
        return FormulaError(token.position, f"a number or a name is missing {before}")

    def _goes_on_wrongly(self, opening: Token | None) -> FormulaError:
        """What can follow a value is an operator, or what ends the brackets around it."""
        token = self.next
        if token.kind == "end" and opening:
            return FormulaError(opening.position, "this bracket is never closed")
        if token.kind == "fault":
            return FormulaError(token.position, token.text)
        if token.kind == "relation":
            return FormulaError(token.position, ONLY_IN_IF)
        if token.text == ")":
            return FormulaError(token.position, "this bracket closes nothing")
        if token.text == ",":
            message = "a comma stands only between the arguments of a function; a thousand is written 1000"
            return FormulaError(token.position, message)
        return FormulaError(token.position, f"an operator is missing before `{token.text}`")


def _wrong_number(function: Token, count: int) -> FormulaError:
    takes = {
        "min": "at least 2 arguments",
        "max": "at least 2 arguments",
        "round": "1 or 2 arguments, a value and the decimals",
        "if": "3 arguments, a comparison and two values",
    }
    return FormulaError(function.position, f"`{function.text}` takes {takes[function.text]}, not {count}")
