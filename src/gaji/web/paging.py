"""Paging of lists with `page` and `per_page`. The total and the links are in headers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from gaji.core.error_codes import OUT_OF_RANGE
from gaji.core.errors import Errors
from gaji.core.field_types import Integer, parse_integer
from gaji.db.json_lists import ListPage
from gaji.web.query_parameters import QueryParameter

MAX_PER_PAGE = 1000
DEFAULT_PER_PAGE = 100
MAX_PAGE = 10**9
FIRST_PAGE = ListPage(1, DEFAULT_PER_PAGE)
"""The default of lists that are always in pages."""


@dataclass(frozen=True)
class Count(Integer):
    """An integer from 1 to a limit. Every other value is out of range."""

    minimum: int = 1

    def parse(self, value: object, path: str, errors: Errors) -> int | None:
        number = parse_integer(value)
        if number is not None and self.minimum <= number <= self.maximum:
            return number
        errors.add(path, OUT_OF_RANGE, minimum=self.minimum, maximum=self.maximum)
        return None


PAGE_PARAMETERS = (
    QueryParameter("page", Count(maximum=MAX_PAGE), "Page number, from 1."),
    QueryParameter("per_page", Count(maximum=MAX_PER_PAGE), f"Elements per page. Default: {DEFAULT_PER_PAGE}."),
)


def requested_page(parameters: Mapping[str, Any]) -> ListPage | None:
    """Return the requested page, or None if the query names no page."""
    number, size = parameters.get("page"), parameters.get("per_page")
    return None if number is None and size is None else ListPage(number or 1, size or DEFAULT_PER_PAGE)


def paging_headers(page: ListPage, total: int, address: str, query: Mapping[str, list[str]]) -> dict[str, str]:
    """Return the headers with the total number of elements and links to the other pages."""
    last = max(1, -(-total // page.size))
    numbers = {"first": 1, "prev": min(page.number - 1, last), "next": page.number + 1, "last": last}
    links = []
    for relation, number in numbers.items():
        if 1 <= number <= last:
            parameters = {**query, "page": [str(number)], "per_page": [str(page.size)]}
            links.append(f'<{address}?{urlencode(parameters, doseq=True)}>; rel="{relation}"')
    return {"X-Total-Count": str(total), "Link": ", ".join(links)}
