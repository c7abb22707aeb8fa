"""Decoding of JSON bodies.

A large body is decoded in pieces in a thread. The decoder never releases the interpreter lock, so decoding all of it at
once would stop the event loop even from a thread.
"""

from decimal import Decimal, InvalidOperation
from enum import Enum
from typing import Any

import msgspec

from gaji.core.errors import MalformedRequest, TooLarge

MAX_VALUES = 500_000
MAX_EXPONENT = 100
"""Of numbers with a fraction or an exponent. Decimal arithmetic with larger exponents fails or takes very long."""
MAX_NUMBER_CHARACTERS = 1000
MAX_PIECE_DEPTH = 20
"""Arrays and objects inside each other that are decoded in pieces. Each level reads the rest of the body once."""
PIECE_VALUES = 5_000
"""A body with more values is decoded in pieces of at most so many values, if its structure allows it."""


class UnusableNumber(Enum):
    """Stands for a number that is far larger, smaller or longer than any attribute. No attribute accepts it."""

    OUT_OF_RANGE = "a number that is out of range"


def parse_number(text: str) -> Decimal | UnusableNumber:
    """Return the value of a number with a fraction or an exponent."""
    if len(text) > MAX_NUMBER_CHARACTERS:
        return UnusableNumber.OUT_OF_RANGE
    try:
        number = Decimal(text)
    except InvalidOperation:
        return UnusableNumber.OUT_OF_RANGE
    return number if abs(number.adjusted()) <= MAX_EXPONENT else UnusableNumber.OUT_OF_RANGE


_decode = msgspec.json.Decoder(float_hook=parse_number).decode
_decode_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_elements = msgspec.json.Decoder(list[msgspec.Raw]).decode


def is_large(body: bytes) -> bool:
    """Return whether a body should be decoded in a thread."""
    return _count_values(body) > PIECE_VALUES


def decode_json(body: bytes) -> Any:
    """Return the value of a body. Numbers with a fraction are decimals.

    Raises TooLarge, MalformedRequest or an error of msgspec.
    """
    if _count_values(body) > MAX_VALUES:
        raise TooLarge(f"The body has more than {MAX_VALUES:,} values")
    return _decode_in_pieces(body)


def _count_values(text: bytes) -> int:
    """Return at least the number of values. All but the first of an array or object follow a comma."""
    return text.count(b",") + 1


def _decode_in_pieces(text: bytes, depth: int = 0) -> Any:
    if _count_values(text) <= PIECE_VALUES:
        return _decode(text)
    if depth > MAX_PIECE_DEPTH:
        raise MalformedRequest("The body is nested too deeply")
    match text.lstrip(b" \t\r\n")[:1]:
        case b"{":
            return {name: _decode_in_pieces(bytes(value), depth + 1) for name, value in _decode_members(text).items()}
        case b"[":
            return [_decode_in_pieces(bytes(element), depth + 1) for element in _decode_elements(text)]
        case _:
            return _decode(text)
