"""The words and signs of a formula, each with the character it begins at.

>>> [(token.kind, token.text, token.position) for token in split("min(rate, 2.5)")][:4]
[('name', 'min', 0), ('sign', '(', 3), ('name', 'rate', 4), ('sign', ',', 8)]
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

MAX_DIGITS = 12
MAX_DECIMALS = 6

SPACE = re.compile(r"\s*")
TOKEN = re.compile(
    r"(?P<number>[0-9]+(?:\.[0-9]+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*)"
    r"|(?P<relation><=|>=|<>|==|!=|<|>|=)"
    r"|(?P<operator>[-+*/])"
    r"|(?P<sign>[(),])"
)
INSTEAD = {
    "×": "write * to multiply",
    "÷": "write / to divide",
    "−": "write - to subtract",
    "–": "write - to subtract",
    "≤": "write <=",
    "≥": "write >=",
    "≠": "write <>",
    "%": "write 5 % as 0.05",
    "$": "write an amount as a number alone",
    ".": "a point stands between digits, as in 0.5",
    "[": "use round brackets",
    "{": "use round brackets",
}
"""What to do about signs that people try."""

Kind = Literal["number", "name", "relation", "operator", "sign", "end", "fault"]


class FormulaError(ValueError):
    """A formula cannot be read: what is wrong, and at which character, counted from 0; its text counts from 1."""

    def __init__(self, position: int, message: str) -> None:
        super().__init__(f"character {position + 1}: {message}")
        self.position = position
        self.message = message


@dataclass(frozen=True)
class Token:
    """A word or sign. The text of a fault is its message, so that faults further to the left are told first."""

    kind: Kind
    text: str
    position: int


def tokenize(text: str) -> Iterator[Token]:
    """The tokens of a formula; the last one is its end, or the first fault."""
    position = _after_space(text, 0)
    while position < len(text):
        token = _token(text, position)
        yield token
        if token.kind == "fault":
            return
        position = _after_space(text, position + len(token.text))
    yield Token("end", "", len(text))


def _after_space(text: str, position: int) -> int:
    space = SPACE.match(text, position)
    return space.end() if space else position


def _token(text: str, position: int) -> Token:
    found = TOKEN.match(text, position)
    if not found:
        sign = text[position]
        instead = f"; {INSTEAD[sign]}" if sign in INSTEAD else ""
        shown = f"`{sign}`" if sign.isprintable() else f"character U+{ord(sign):04X}"
        return Token("fault", f"a formula has no {shown}{instead}", position)
    for kind in ("number", "name", "relation", "operator"):
        if found[kind]:
            return _checked(Token(kind, found[kind], position))
    return Token("sign", found["sign"], position)


def _checked(token: Token) -> Token:
    """The token, or the fault of a number that is longer than any that is meant."""
    if token.kind != "number":
        return token
    whole, _, decimals = token.text.partition(".")
    if len(whole) + len(decimals) <= MAX_DIGITS and len(decimals) <= MAX_DECIMALS:
        return token
    message = f"a number has at most {MAX_DIGITS} digits, {MAX_DECIMALS} of them after the point"
    return Token("fault", message, token.position)
