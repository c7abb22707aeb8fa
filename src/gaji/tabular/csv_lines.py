"""CSV lines (RFC 4180) in UTF-8 that are safe to open in a spreadsheet."""

import csv
import io
import re
from collections.abc import Iterable, Sequence

FORMULA = re.compile(r"[=+\-@\t\r]")
NUMBER = re.compile(r"[+-][\d .,()/-]*")
"""Amounts and telephone numbers, which are safe although they start like a formula."""


def csv_lines(lines: Iterable[Sequence[object]]) -> bytes:
    """Encode lines of cells as CSV."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows([_escape_formula(str(cell)) for cell in line] for line in lines)
    return text.getvalue().encode()


def _escape_formula(text: str) -> str:
    """Prefix a text that a spreadsheet would run as a formula with an apostrophe.

    >>> [_escape_formula(text) for text in ("=1+1", "@SUM(A1)", "-12.50", "+65 6123 4567", "Tan")]
    ["'=1+1", "'@SUM(A1)", '-12.50', '+65 6123 4567', 'Tan']
    """
    return f"'{text}" if FORMULA.match(text) and not NUMBER.fullmatch(text) else text
