"""Cells: what the values of a row are in a file that knows no objects."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

import msgspec

Cell = str | bool | int | Decimal | None

_decode = msgspec.json.Decoder(float_hook=Decimal).decode


def cells(rows: str, keys: Sequence[str]) -> Iterator[list[Cell]]:
    """The cells of rows, which are JSON objects with commas between them."""
    for row in _decode(f"[{rows}]"):
        yield [_cell(row.get(key)) for key in keys]


def _cell(value: Any) -> Cell:
    """An item is what people read of it."""
    found: Cell = value["caption"] if isinstance(value, dict) else value
    return found
