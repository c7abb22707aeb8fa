"""Paging of lists."""

from dataclasses import dataclass
from urllib.parse import urlencode

from gaji.console.request import PageRequest
from gaji.db.json_lists import ListPage


@dataclass(frozen=True)
class Pager:
    """The position of a page in a list, and links to its neighbours."""

    first: int
    last: int
    total: int
    previous: str
    next: str


def build_pager(request: PageRequest, page: ListPage, total: int) -> Pager:
    """Return the pager for a page of a list with this many elements."""
    last = min(page.offset + page.size, total)
    return Pager(
        first=min(page.offset + 1, total),
        last=last,
        total=total,
        previous=_page_url(request, page.number - 1) if page.number > 1 else "",
        next=_page_url(request, page.number + 1) if last < total else "",
    )


def _page_url(request: PageRequest, number: int) -> str:
    query = {name: values for name, values in request.queries.items() if name != "page"}
    return f"{request.path}?{urlencode({**query, 'page': [str(number)]}, doseq=True)}"
