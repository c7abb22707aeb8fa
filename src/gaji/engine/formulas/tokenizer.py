"""Split a formula into tokens, each with the position of its first character.

>>> [(token.kind, token.text, token.position) for token in tokenize("min(rate, 2.5)")][:4]
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
HINTS = {
    "×": "write * to multiply",
    "÷": "write / to divide",
    "−": "write - to subtract",
    "–": "write - to subtract",
    "≤": "write <=",
    "≥": "write >=",
    "≠": "write <>",
    "%": "write 5 % as 0.05",
    "$": "write an amount as a plain number",
    ".": "write a point only between digits, as in 0.5",
    "[": "use round brackets",
    "{": "use round brackets",
}
"""Hints for unsupported characters that people try."""

TokenKind = Literal["number", "name", "relation", "operator", "sign", "end", "error"]


class FormulaError(ValueError):
    """A formula is invalid. `position` counts characters from 0, the text of the exception from 1."""

    def __init__(self, position: int, message: str) -> None:
        super().__init__(f"character {position + 1}: {message}")
        self.position = position
        self.message = message


@dataclass(frozen=True)
class Token:
    """A word or sign. An error is also a token, with its message as text, so that the leftmost error wins."""

    kind: TokenKind
    text: str
    position: int


def tokenize(text: str) -> Iterator[Token]:
    """Split a formula into tokens. The last token is the end, or the first error."""
    position = _skip_space(text, 0)
    while position < len(text):
        token = _token_at(text, position)
        yield token
        if token.kind == "error":
            return
        position = _skip_space(text, position + len(token.text))
    yield Token("end", "", len(text))


def _skip_space(text: str, position: int) -> int:
    space = SPACE.match(text, position)
    return space.end() if space else position


def _token_at(text: str, position: int) -> Token:
    match = TOKEN.match(text, position)
    if not match:
        character = text[position]
        hint = f"; {HINTS[character]}" if character in HINTS else ""
        quotable = character.isprintable() and character != "`"
        label = f"`{character}`" if quotable else f"character U+{ord(character):04X}"
        return Token("error", f"a formula cannot contain {label}{hint}", position)
    for kind in ("number", "name", "relation", "operator"):
        if match[kind]:
            return _check_digits(Token(kind, match[kind], position))
    return Token("sign", match["sign"], position)


def _check_digits(token: Token) -> Token:
    """Return the token, or an error if it is a number with too many digits."""
    if token.kind != "number":
        return token
    integer, _, decimals = token.text.partition(".")
    if len(integer) + len(decimals) <= MAX_DIGITS and len(decimals) <= MAX_DECIMALS:
        return token
    message = f"a number can have at most {MAX_DIGITS} digits, {MAX_DECIMALS} of them after the point"
    return Token("error", message, token.position)
