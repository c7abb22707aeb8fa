"""Conversion of JSON rows to cells."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

import msgspec

Cell = str | bool | int | Decimal | None

_decode = msgspec.json.Decoder(float_hook=Decimal).decode


def iterate_cells(rows: str, keys: Sequence[str]) -> Iterator[list[Cell]]:
    """Yield the cells of each row. `rows` are JSON objects separated by commas."""
    for row in _decode(f"[{rows}]"):
        yield [_to_cell(row.get(key)) for key in keys]


def _to_cell(value: Any) -> Cell:
    """Return the cell of a value. An object is reduced to its caption."""
    cell: Cell = value["caption"] if isinstance(value, dict) else value
    return cell
