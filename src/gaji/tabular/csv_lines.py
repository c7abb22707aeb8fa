"""Lines of CSV (RFC 4180) in UTF-8, safe to be opened in a spreadsheet."""

import csv
import io
import re
from collections.abc import Iterable, Sequence

FORMULA = re.compile(r"[=+\-@\t\r]")
NUMBER = re.compile(r"[+-][\d .,()/-]*")
"""Amounts and telephone numbers, which a spreadsheet may well take for what they look like."""


def csv_lines(lines: Iterable[Sequence[object]]) -> bytes:
    """The lines as they are written into a file."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows([_harmless(str(cell)) for cell in line] for line in lines)
    return text.getvalue().encode()


def _harmless(text: str) -> str:
    """A text that no spreadsheet carries out as a formula: an apostrophe before it makes it a text.

    >>> _harmless("=1+1"), _harmless("@SUM(A1)"), _harmless("-12.50"), _harmless("+65 6123 4567"), _harmless("Tan")
    ("'=1+1", "'@SUM(A1)", '-12.50', '+65 6123 4567', 'Tan')
    """
    return f"'{text}" if FORMULA.match(text) and not NUMBER.fullmatch(text) else text
