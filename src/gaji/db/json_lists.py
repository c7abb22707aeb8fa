"""Lists of JSON elements that the database has built, complete or by page."""

from dataclasses import dataclass
from typing import Any

import asyncpg
import msgspec

from gaji.db.tenancy import Transaction


@dataclass(frozen=True, slots=True)
class ListPage:
    """A requested page, counted from 1."""

    number: int
    size: int

    @property
    def offset(self) -> int:
        """The number of elements before this page."""
        return (self.number - 1) * self.size


async def fetch_page(
    tx: Transaction, query: str, source: str, page: ListPage | None, *arguments: Any
) -> tuple[list[asyncpg.Record], int]:
    """Return the rows of a query, or one page of them, and their total number.

    `source` is the FROM clause of the query, which is counted.
    """
    if page is None:
        rows = await tx.fetch(query, *arguments)
        return rows, len(rows)
    total = await tx.fetchval(f"SELECT count(*) FROM {source}", *arguments)
    limit = f"LIMIT {page.size:d} OFFSET {page.offset:d}"
    return await tx.fetch(f"{query} {limit}", *arguments), total


def slice_page(elements: list[str], page: ListPage | None) -> tuple[list[str], int]:
    """Return all elements, or one page of them, and their total number."""
    selected = elements if page is None else elements[page.offset : page.offset + page.size]
    return selected, len(elements)


def json_text(value: object) -> str:
    """Return a value as JSON text, to insert into an element."""
    return msgspec.json.encode(value).decode()


def json_array(resource: str, elements: list[str]) -> bytes:
    """Return the body of a list: each element wrapped in the name of the resource."""
    prefix = f'{{"{resource}":'
    return ("[" + ",".join(f"{prefix}{element}}}" for element in elements) + "]").encode()


def bare_json_array(elements: list[str]) -> bytes:
    """Return the body of a list whose elements are not wrapped."""
    return f"[{','.join(elements)}]".encode()


def wrap_element(resource: str, element: str) -> bytes:
    """Return the body of a single read: the element wrapped in the name of the resource."""
    return f'{{"{resource}":{element}}}'.encode()
