"""Tables of rows that are loaded completely: search, sort, page and totals, all in the query string."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from gaji.console.pagination import Pager, build_pager
from gaji.console.request import PageRequest
from gaji.console.table_sort import TableSort, parse_sort

Row = TypeVar("Row")
SortKeys = Mapping[str, Callable[[Row], Any]]
"""What a table can be sorted by: a function of the row for each column. Rows without a value come last."""
PER_PAGE = 50
MAX_SEARCH_LENGTH = 100
DIGITS = re.compile(r"(\d+)")
WORDS = re.compile(r"\w+")


@dataclass(frozen=True)
class Table(Generic[Row]):
    """One page of a table."""

    rows: Sequence[Row]
    matching: Sequence[Row]
    """The rows of all pages, for totals."""
    sort: TableSort
    pager: Pager
    search: str


def build_table(
    request: PageRequest,
    rows: Iterable[Row],
    keys: SortKeys[Row],
    *,
    largest_first: Iterable[str] = (),
    searched: Callable[[Row], str] | None = None,
    anchor: str = "",
    size: int = PER_PAGE,
) -> Table[Row]:
    """Return the page of a table that the query string asks for. `searched` is the text that a search looks in."""
    search = request.query.get("search", "")[:MAX_SEARCH_LENGTH].strip() if searched else ""
    matching = [row for row in rows if not search or (searched and matches_words(searched(row), search))]
    sort = parse_sort(request, keys, largest_first, anchor)
    if sort.name:
        matching = sort_rows(matching, keys[sort.name], descending=sort.descending)
    page = request.list_page(size)
    pager = build_pager(request, page, len(matching))
    return Table(matching[page.offset : page.offset + page.size], matching, sort, pager, search)


def sort_rows(rows: Sequence[Row], key: Callable[[Row], Any], *, descending: bool = False) -> list[Row]:
    """Return the rows in the order of a value. Rows without a value come last."""
    present = [row for row in rows if key(row) is not None]
    missing = [row for row in rows if key(row) is None]
    return [*sorted(present, key=lambda row: sort_key(key(row)), reverse=descending), *missing]


def sort_key(value: Any) -> Any:
    """Return what a value is sorted by. Numbers within text are compared as numbers, and capitals do not matter.

    >>> sorted(["Unit 10", "unit 9", "Annex"], key=sort_key)
    ['Annex', 'unit 9', 'Unit 10']
    """
    if not isinstance(value, str):
        return value
    parts = DIGITS.split(value.casefold())
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts if part]


def matches_words(text: str, search: str) -> bool:
    """Return whether each word of a search is the start of a word or number of the text.

    >>> matches_words("Tan Mei Ling 1042", "lin 10"), matches_words("Tan Mei Ling", "an")
    (True, False)
    """
    words = WORDS.findall(text.casefold())
    return all(any(word.startswith(start) for word in words) for start in WORDS.findall(search.casefold()))
