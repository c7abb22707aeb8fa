"""Read-only statements that each enter the caller's tenancy.

To begin a transaction, enter the tenancy, read and commit takes three round trips, and most requests are one small
read. Instead, each statement gets one more parameter, of a domain whose constraint enters the tenancy when the
parameter is bound: before the statement is planned and run, and in the same transaction.
"""

import re
from functools import lru_cache
from typing import Any

import asyncpg

WITH_CLAUSE = re.compile(r"\s*WITH\s+(RECURSIVE\s+)?", re.IGNORECASE)
"""The start of a statement that already has common table expressions."""

CallerKey = tuple[int, int, int | None]
"""The user, the access version, and the key if it is limited to some clients."""
RequestedRecord = tuple[str, int]
"""The record that a request is about: its collection in the API (known to `open_client_tenancy`), and its ID."""
ALL_CLIENTS, CLIENT_OF_RECORD = "entrance", "record_entrance"
"""The domains: one enters the tenancy of all clients of the caller, the other that of one record's client."""


class TenantReader:
    """A connection for the reads of one caller, with asyncpg's methods that run one statement."""

    __slots__ = ("_connection", "_domain", "_entry", "entered")

    def __init__(
        self, connection: asyncpg.Connection, caller_key: CallerKey, record: RequestedRecord | None = None
    ) -> None:
        self._connection = connection
        self._domain = CLIENT_OF_RECORD if record else ALL_CLIENTS
        self._entry = (*caller_key, *record) if record else caller_key
        self.entered = False
        """Whether any statement was run, and so the caller's access checked."""

    def fetch(self, query: str, *arguments: Any, **details: Any) -> Any:
        """Return the rows of a query."""
        return self._connection.fetch(self._prepare(query, arguments), *arguments, self._entry, **details)

    def fetchrow(self, query: str, *arguments: Any, **details: Any) -> Any:
        """Return the first row of a query, or None."""
        return self._connection.fetchrow(self._prepare(query, arguments), *arguments, self._entry, **details)

    def fetchval(self, query: str, *arguments: Any, **details: Any) -> Any:
        """Return the first value of the first row of a query, or None."""
        return self._connection.fetchval(self._prepare(query, arguments), *arguments, self._entry, **details)

    def execute(self, query: str, *arguments: Any, **details: Any) -> Any:
        """Run a statement and return its command tag."""
        return self._connection.execute(self._prepare(query, arguments), *arguments, self._entry, **details)

    def executemany(self, query: str, rows: Any, **details: Any) -> Any:
        """Raise an error, because this method only writes."""
        raise RuntimeError("a read-only block cannot write")

    def _prepare(self, query: str, arguments: tuple[Any, ...]) -> str:
        self.entered = True
        return with_tenancy_parameter(query, len(arguments) + 1, self._domain)


@lru_cache(maxsize=1000)
def with_tenancy_parameter(query: str, position: int, domain: str = ALL_CLIENTS) -> str:
    """Return the query with one more parameter, which enters the tenancy.

    >>> with_tenancy_parameter("SELECT name FROM clients WHERE id = $1", 2)
    'WITH entered AS (SELECT $2::entrance) SELECT name FROM clients WHERE id = $1'
    >>> with_tenancy_parameter("WITH RECURSIVE up AS (SELECT 1) SELECT FROM up", 1)
    'WITH RECURSIVE entered AS (SELECT $1::entrance), up AS (SELECT 1) SELECT FROM up'
    """
    expression = f"entered AS (SELECT ${position:d}::{domain})"
    if match := WITH_CLAUSE.match(query):
        return f"WITH {match[1] or ''}{expression}, {query[match.end() :]}"
    return f"WITH {expression} {query}"
