"""Reading in a tenancy: every statement is a transaction of its own that enters as it begins, and cannot write.

To begin, enter, read and commit one after the other takes three ways to the database and back, and most requests are
one small read. A statement gets one more parameter instead, of a type that opens the tenancy when it is bound: before
the statement is planned and run, and in the same transaction.
"""

import re
from functools import lru_cache
from typing import Any

import asyncpg

PARTS = re.compile(r"\s*WITH\s+(RECURSIVE\s+)?", re.IGNORECASE)
"""How a statement begins that has named parts already."""

Who = tuple[int, int, int | None]
"""The user, the access version that was remembered, and the key if it is limited to some clients."""


class Reader:
    """A connection for one caller's reads; it has the verbs of asyncpg that run one statement."""

    __slots__ = ("_connection", "_who", "entered")

    def __init__(self, connection: asyncpg.Connection, who: Who) -> None:
        self._connection = connection
        self._who = who
        self.entered = False
        """Whether any statement was run: that is when the database looks at who reads."""

    def fetch(self, query: str, *arguments: Any, **details: Any) -> Any:
        """The rows that the query finds."""
        return self._connection.fetch(self._entering(query, arguments), *arguments, self._who, **details)

    def fetchrow(self, query: str, *arguments: Any, **details: Any) -> Any:
        """The first row that the query finds, or None."""
        return self._connection.fetchrow(self._entering(query, arguments), *arguments, self._who, **details)

    def fetchval(self, query: str, *arguments: Any, **details: Any) -> Any:
        """The first value of the first row that the query finds, or None."""
        return self._connection.fetchval(self._entering(query, arguments), *arguments, self._who, **details)

    def execute(self, query: str, *arguments: Any, **details: Any) -> Any:
        """Run one statement and give what it says it did."""
        return self._connection.execute(self._entering(query, arguments), *arguments, self._who, **details)

    def executemany(self, query: str, rows: Any, **details: Any) -> Any:
        """There is nothing to read in this way."""
        raise RuntimeError("a block that reads cannot write")

    def _entering(self, query: str, arguments: tuple[Any, ...]) -> str:
        self.entered = True
        return entering(query, len(arguments) + 1)


@lru_cache(maxsize=1000)
def entering(query: str, place: int) -> str:
    """The query with one more parameter, which opens the tenancy.

    >>> entering("SELECT name FROM clients WHERE id = $1", 2)
    'WITH entered AS (SELECT $2::entrance) SELECT name FROM clients WHERE id = $1'
    >>> entering("WITH RECURSIVE up AS (SELECT 1) SELECT FROM up", 1)
    'WITH RECURSIVE entered AS (SELECT $1::entrance), up AS (SELECT 1) SELECT FROM up'
    """
    part = f"entered AS (SELECT ${place:d}::entrance)"
    if named := PARTS.match(query):
        return f"WITH {named[1] or ''}{part}, {query[named.end() :]}"
    return f"WITH {part} {query}"
