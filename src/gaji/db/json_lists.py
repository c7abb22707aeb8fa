"""Lists of JSON elements that the database has built, complete or by page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import asyncpg
import msgspec

from gaji.db.tenancy import Transaction

Filters = Mapping[str, Any]
"""The values that the elements of a list must have, by filter."""
NO_FILTERS: Filters = {}


@dataclass(frozen=True, slots=True)
class ListPage:
    """A requested page, counted from 1."""

    number: int
    size: int

    @property
    def offset(self) -> int:
        """The number of elements before this page."""
        return (self.number - 1) * self.size


@dataclass(frozen=True, slots=True)
class ListOrder:
    """The order of a list by one of its columns."""

    name: str
    descending: bool = False

    def sql(self, expressions: Mapping[str, Sequence[str]], last: str) -> str:
        """Return the expressions of ORDER BY, of which `last` is unique. Elements without a value come last.

        >>> ListOrder("name", descending=True).sql({"name": ["lower(name)"]}, "id")
        'lower(name) DESC NULLS LAST, id'
        """
        direction = "DESC NULLS LAST" if self.descending else "ASC NULLS LAST"
        return ", ".join([*(f"{expression} {direction}" for expression in expressions[self.name]), last])


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


def filter_rows(conditions: Mapping[str, str], filters: Filters, *arguments: Any) -> tuple[str, tuple[Any, ...]]:
    """Return the SQL that applies the filters to a list, and the arguments of its query with their values.

    In a condition, `{}` stands for the value. Filters without a condition are left out.

    >>> filter_rows({"number": "number = {}", "email": "email = {}"}, {"email": "siti@example.com", "page": 2}, 7)
    (' AND email = $2', (7, 'siti@example.com'))
    """
    clause = ""
    for name, condition in conditions.items():
        if name in filters:
            arguments = (*arguments, filters[name])
            clause += f" AND {condition.format(f'${len(arguments)}')}"
    return clause, arguments


def slice_page(elements: list[str], page: ListPage | None) -> tuple[list[str], int]:
    """Return all elements, or one page of them, and their total number."""
    selected = elements if page is None else elements[page.offset : page.offset + page.size]
    return selected, len(elements)


def json_text(value: object) -> str:
    """Return a value as JSON text, to insert into an element."""
    return msgspec.json.encode(value).decode()


def json_array(resource: str, elements: list[str]) -> bytes:
    """Return the body of a list: each element wrapped in the name of the resource."""
    start = f'{{"{resource}":'
    separator = "}," + start
    return f"[{start}{separator.join(elements)}}}]".encode() if elements else b"[]"


def bare_json_array(elements: list[str]) -> bytes:
    """Return the body of a list whose elements are not wrapped."""
    return f"[{','.join(elements)}]".encode()


def wrap_element(resource: str, element: str) -> bytes:
    """Return the body of a single read: the element wrapped in the name of the resource."""
    return f'{{"{resource}":{element}}}'.encode()
