"""Decoding of JSON bodies.

A large body is decoded in pieces in a thread. The decoder never releases the interpreter lock, so decoding all of it at
once would stop the event loop even from a thread.
"""

from decimal import Decimal
from typing import Any

import msgspec

from gaji.core.errors import TooLarge

MAX_VALUES = 500_000
PIECE_VALUES = 5_000
"""A body with more values is decoded in pieces of at most so many values, if its structure allows it."""

_decode = msgspec.json.Decoder(float_hook=Decimal).decode
_decode_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_elements = msgspec.json.Decoder(list[msgspec.Raw]).decode


def is_large(body: bytes) -> bool:
    """Return whether a body should be decoded in a thread."""
    return _count_values(body) > PIECE_VALUES


def decode_json(body: bytes) -> Any:
    """Return the value of a body. Numbers with a fraction are decimals. Raises TooLarge, or an error of msgspec."""
    if _count_values(body) > MAX_VALUES:
        raise TooLarge(f"The body has more than {MAX_VALUES:,} values")
    return _decode_in_pieces(body)


def _count_values(text: bytes) -> int:
    """Return at least the number of values. All but the first of an array or object follow a comma."""
    return text.count(b",") + 1


def _decode_in_pieces(text: bytes) -> Any:
    if _count_values(text) <= PIECE_VALUES:
        return _decode(text)
    match text.lstrip(b" \t\r\n")[:1]:
        case b"{":
            return {name: _decode_in_pieces(bytes(value)) for name, value in _decode_members(text).items()}
        case b"[":
            return [_decode_in_pieces(bytes(element)) for element in _decode_elements(text)]
        case _:
            return _decode(text)
