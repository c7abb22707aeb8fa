"""Paging of lists."""

from collections.abc import Mapping
from dataclasses import dataclass

from gaji.console.request import PAGE_SIZES, PageRequest
from gaji.db.json_lists import ListPage


@dataclass(frozen=True)
class Pager:
    """The position of a page in a list, and links to its neighbours."""

    first: int
    last: int
    total: int
    previous: str
    next: str
    size: int
    chosen_size: str
    """The size in the query string, for forms that keep it. Empty if it was not chosen."""
    sizes: Mapping[int, str]
    """The URLs of lists with more or fewer rows. Empty if all rows fit on the shortest one."""


def build_pager(request: PageRequest, page: ListPage, total: int) -> Pager:
    """Return the pager for a page of a list with this many elements."""
    last = min(page.offset + page.size, total)
    return Pager(
        first=min(page.offset + 1, total),
        last=last,
        total=total,
        previous=request.url_with(page=str(page.number - 1)) if page.number > 1 else "",
        next=request.url_with(page=str(page.number + 1)) if last < total else "",
        size=page.size,
        chosen_size=str(page.size) if request.query.get("per_page") == str(page.size) else "",
        sizes={size: request.url_with(per_page=str(size)) for size in PAGE_SIZES} if total > min(PAGE_SIZES) else {},
    )
