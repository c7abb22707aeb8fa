"""Lists in pages: which part of them is shown, and the way to the next."""

from dataclasses import dataclass
from urllib.parse import urlencode

from gaji.console.request import PageRequest
from gaji.db.json_lists import Page


@dataclass(frozen=True)
class Pager:
    """Where in a list a page is."""

    first: int
    last: int
    total: int
    previous: str
    next: str


def pager(request: PageRequest, page: Page, total: int) -> Pager:
    """Where this page of so many is, with the addresses of its neighbours."""
    last = min(page.offset + page.size, total)
    return Pager(
        first=min(page.offset + 1, total),
        last=last,
        total=total,
        previous=_address(request, page.number - 1) if page.number > 1 else "",
        next=_address(request, page.number + 1) if last < total else "",
    )


def _address(request: PageRequest, number: int) -> str:
    kept = {name: value for name, value in request.query.items() if name != "page"}
    return f"{request.path}?{urlencode({**kept, 'page': number})}"
