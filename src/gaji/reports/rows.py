"""Report rows: JSON text that is produced in chunks."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from gaji.db.json_lists import json_text
from gaji.law.quantities import format_millis

AmountFormatter = Callable[[str], str]
"""Returns the JSON of an amount that is given as decimal text."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some rows of a report."""

    rows: Sequence[str]
    """JSON objects."""
    rules_versions: frozenset[str] = frozenset()
    """The versions of the rules that the amounts were calculated with."""

    @property
    def text(self) -> str:
        """The rows, separated by commas."""
        return ",".join(self.rows)


@dataclass(frozen=True)
class StreamedTable:
    """A report: the keys of its rows in order, and the rows."""

    keys: Sequence[str]
    chunks: AsyncIterator[Chunk]


@dataclass(frozen=True)
class RowFormat:
    """Formats rows with fixed keys."""

    keys: Sequence[str]
    _template: str = field(init=False)

    def __post_init__(self) -> None:
        members = (json_text(key).replace("%", "%%") + ":%s" for key in self.keys)
        object.__setattr__(self, "_template", f"{{{','.join(members)}}}")

    def format_row(self, *cells: str) -> str:
        """Return a row with these cells, each of them JSON.

        >>> RowFormat(["employee", "Days"]).format_row('"0001"', "7.5")
        '{"employee":"0001","Days":7.5}'
        """
        return self._template % cells


def amount_formatter(humanize: bool | None) -> AmountFormatter:
    """Return the function that formats amounts: as JSON numbers, or as text such as `$1,234.50`."""
    return humanize_amount if humanize else number_amount


def number_amount(amount: str) -> str:
    """Return an amount as a JSON number."""
    return amount


def humanize_amount(amount: str) -> str:
    """Return an amount as a JSON string with a currency sign.

    >>> humanize_amount("-1234.50")
    '"-$1,234.50"'
    """
    dollars, _, cents = amount.lstrip("-").partition(".")
    return f'"{"-" if amount[0] == "-" else ""}${int(dollars):,}.{cents}"'


@lru_cache(maxsize=10_000)
def format_days(millidays: int) -> str:
    """Return a number of days. Cached, because many rows have the same number."""
    return format_millis(millidays)
