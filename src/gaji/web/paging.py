"""Paging of lists with `page` and `per_page`. The total and the links are in headers."""

from collections.abc import Mapping
from urllib.parse import urlencode

from gaji.core.errors import Errors, ValidationError
from gaji.core.validation import OUT_OF_RANGE, parse_integer
from gaji.db.json_lists import ListPage

MAX_PER_PAGE = 1000
DEFAULT_PER_PAGE = 100
MAX_PAGE = 10**9


def parse_page(query: Mapping[str, list[str]]) -> ListPage | None:
    """Return the requested page, or None if the query names no page. Raises ValidationError."""
    if "page" not in query and "per_page" not in query:
        return None
    errors = Errors()
    number = _parse_parameter(query, "page", 1, MAX_PAGE, errors)
    size = _parse_parameter(query, "per_page", DEFAULT_PER_PAGE, MAX_PER_PAGE, errors)
    if errors:
        raise ValidationError(errors)
    return ListPage(number, size)


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


def _parse_parameter(query: Mapping[str, list[str]], name: str, default: int, maximum: int, errors: Errors) -> int:
    if name not in query:
        return default
    number = parse_integer(query[name][-1])
    if number is None or not 1 <= number <= maximum:
        errors.add(name, OUT_OF_RANGE, minimum=1, maximum=maximum)
        return default
    return number
