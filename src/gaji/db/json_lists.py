"""Elements of lists: JSON that the database has built already, cut into pages when the caller asks for pages."""

from dataclasses import dataclass
from typing import Any

import asyncpg
import msgspec

from gaji.db.tenancy import Transaction


@dataclass(frozen=True, slots=True)
class Page:
    """A page that was asked for, counted from 1."""

    number: int
    size: int

    @property
    def offset(self) -> int:
        """How many elements come before this page."""
        return (self.number - 1) * self.size


async def counted(
    tx: Transaction, query: str, source: str, page: Page | None, *arguments: Any
) -> tuple[list[asyncpg.Record], int]:
    """The rows of a query, all or one page of them, and how many there are in all.

    `source` is the table and condition that the query reads from: what is counted.
    """
    if page is None:
        rows = await tx.fetch(query, *arguments)
        return rows, len(rows)
    total = await tx.fetchval(f"SELECT count(*) FROM {source}", *arguments)
    limit = f"LIMIT {page.size:d} OFFSET {page.offset:d}"
    return await tx.fetch(f"{query} {limit}", *arguments), total


def cut(elements: list[str], page: Page | None) -> tuple[list[str], int]:
    """A short list, all or one page of it, and how many there are in all."""
    shown = elements if page is None else elements[page.offset : page.offset + page.size]
    return shown, len(elements)


def json_text(value: object) -> str:
    """A value as JSON, to be spliced into an element."""
    return msgspec.json.encode(value).decode()


def array_of(resource: str, elements: list[str]) -> bytes:
    """The body of a list: every element inside an object whose only key is the resource."""
    opening = f'{{"{resource}":'
    return ("[" + ",".join(f"{opening}{element}}}" for element in elements) + "]").encode()


def bare_array(elements: list[str]) -> bytes:
    """The body of a list whose elements are not wrapped."""
    return f"[{','.join(elements)}]".encode()


def wrapped(resource: str, element: str) -> bytes:
    """The body of a single read: the element inside an object whose only key is the resource."""
    return f'{{"{resource}":{element}}}'.encode()
