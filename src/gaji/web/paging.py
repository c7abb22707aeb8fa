"""Paging: opted in to with `page` and `per_page`; what is known about the pages is in headers only."""

from collections.abc import Mapping
from urllib.parse import urlencode

from gaji.core.errors import INVALID, ValidationError
from gaji.core.validation import parse_integer
from gaji.db.json_lists import Page

MOST_PER_PAGE = 1000
DEFAULT_PER_PAGE = 100
MOST_PAGE = 10**9


def parse_page(query: Mapping[str, list[str]]) -> Page | None:
    """The page that the query asks for; raises Invalid when it makes no sense."""
    if "page" not in query and "per_page" not in query:
        return None
    errors: dict[str, str] = {}
    number = _within(query, "page", 1, MOST_PAGE, errors)
    size = _within(query, "per_page", DEFAULT_PER_PAGE, MOST_PER_PAGE, errors)
    if errors:
        raise ValidationError(errors)
    return Page(number, size)


def paging_headers(page: Page, total: int, address: str, query: Mapping[str, list[str]]) -> dict[str, str]:
    """How many elements there are, and where the other pages are."""
    last = max(1, -(-total // page.size))
    numbers = {"first": 1, "prev": min(page.number - 1, last), "next": page.number + 1, "last": last}
    links = []
    for relation, number in numbers.items():
        if 1 <= number <= last:
            parameters = {**query, "page": [str(number)], "per_page": [str(page.size)]}
            links.append(f'<{address}?{urlencode(parameters, doseq=True)}>; rel="{relation}"')
    return {"X-Total-Count": str(total), "Link": ", ".join(links)}


def _within(query: Mapping[str, list[str]], name: str, default: int, most: int, errors: dict[str, str]) -> int:
    if name not in query:
        return default
    number = parse_integer(query[name][-1])
    if number is None or not 1 <= number <= most:
        errors.add(name, INVALID, reason=f"must be a whole number from 1 to {most}")
        return default
    return number
