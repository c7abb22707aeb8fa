"""Sorting of tables. The column is in the query string, so it works without scripts and can be bookmarked."""

from collections.abc import Container, Iterable
from dataclasses import dataclass

from gaji.console.request import PageRequest
from gaji.db.json_lists import ListOrder


@dataclass(frozen=True)
class TableSort:
    """The column that a table is sorted by, and the links to sort it by another one."""

    request: PageRequest
    name: str
    """Empty for the usual order."""
    descending: bool
    largest_first: Container[str]
    """Columns that are sorted from the largest value first."""
    anchor: str = ""

    @property
    def value(self) -> str:
        """The value of the parameter `sort`."""
        return f"-{self.name}" if self.descending and self.name else self.name

    @property
    def order(self) -> ListOrder | None:
        """The order for lists that the database sorts."""
        return ListOrder(self.name, self.descending) if self.name else None

    def url(self, name: str) -> str:
        """Return the URL that sorts by a column, and the other way round if it is sorted by it already."""
        descending = not self.descending if name == self.name else name in self.largest_first
        return self.request.url_with(sort=f"-{name}" if descending else name) + self.anchor

    def direction(self, name: str) -> str:
        """Return the ARIA sort direction of a column, empty for all but the sorted one."""
        return "" if name != self.name else "descending" if self.descending else "ascending"


def parse_sort(
    request: PageRequest,
    columns: Container[str],
    largest_first: Iterable[str] = (),
    anchor: str = "",
    default: str = "",
) -> TableSort:
    """Read the parameter `sort`: a column, with a minus for descending. Unknown columns are ignored."""
    text = request.query.get("sort") or default
    name = text.removeprefix("-")
    is_known = name in columns
    return TableSort(
        request, name if is_known else "", is_known and text.startswith("-"), frozenset(largest_first), anchor
    )
