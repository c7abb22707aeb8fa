"""Tables: what a report is made of, the rows a piece at a time and as JSON already."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from gaji.db.json_lists import json_text
from gaji.law.quantities import format_millis

Money = Callable[[str], str]
"""How an amount, a decimal text, stands in a row."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some rows."""

    rows: Sequence[str]
    """JSON objects."""
    rules_versions: frozenset[str] = frozenset()
    """The sets of the law's figures that their amounts go by."""

    @property
    def text(self) -> str:
        """The rows with commas between them."""
        return ",".join(self.rows)


@dataclass(frozen=True)
class Table:
    """A report: the keys of its rows in their order, and the rows."""

    keys: Sequence[str]
    pieces: AsyncIterator[Piece]


@dataclass(frozen=True)
class Form:
    """The form of a table's rows."""

    keys: Sequence[str]
    _template: str = field(init=False)

    def __post_init__(self) -> None:
        named = (json_text(key).replace("%", "%%") + ":%s" for key in self.keys)
        object.__setattr__(self, "_template", f"{{{','.join(named)}}}")

    def row(self, *cells: str) -> str:
        """A row of these cells, each of them JSON.

        >>> Form(["employee", "Days"]).row('"0001"', "7.5")
        '{"employee":"0001","Days":7.5}'
        """
        return self._template % cells


def plain(amount: str) -> str:
    """An amount as a number."""
    return amount


def humanized(amount: str) -> str:
    """An amount as people read it.

    >>> humanized("-1234.50")
    '"-$1,234.50"'
    """
    whole, _, cents = amount.lstrip("-").partition(".")
    return f'"{"-" if amount[0] == "-" else ""}${int(whole):,}.{cents}"'


@lru_cache(maxsize=10_000)
def days(millidays: int) -> str:
    """A number of days, of which many rows have the same."""
    return format_millis(millidays)


def money(humanize: bool | None) -> Money:
    """How amounts are to stand in rows."""
    return humanized if humanize else plain
