"""Statements for many records of a client whose cost does not depend on the statistics of a table.

PostgreSQL expects a client to have as many rows as the others, or a single one if the client was created since the last
ANALYZE, and fewer still because row-level security compares the client once more. In a larger client, it would look up
`employee_id = ANY ($2)` by reading the whole client for each chunk of a pay run.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal

from gaji.db.tenancy import Transaction


def each_id(parameter: str, query: str) -> str:
    """Return the rows of a query for each ID of an array parameter, to be used after FROM and followed by an alias.

    The query compares columns with `ids.client_id`, which is $1, and `ids.id`. An ID that appears twice counts once.
    """
    # OFFSET 0 keeps PostgreSQL from reading the whole client and joining the IDs to it. It does not know the value of
    # `ids.client_id` when it plans, so it does not use another index because the client seems to be empty.
    ids = f"SELECT DISTINCT $1::bigint AS client_id, unnest({parameter}::bigint[]) AS id"
    return f"({ids}) ids CROSS JOIN LATERAL ({query} OFFSET 0)"


def ids_condition(column: str) -> str:
    """Return the SQL condition of the filter `ids` on a column. `{}` stands for the array of IDs.

    The subquery hides the array from the planner. If it saw how few IDs a request has, it would prefer a new plan to
    the stored one each time, and planning takes longer than the rest of a small read.
    """
    return f"{column} = ANY ((SELECT {{}}::bigint[])::bigint[])"


@asynccontextmanager
async def planned_without(tx: Transaction, method: Literal["enable_sort", "enable_nestloop"]) -> AsyncIterator[None]:
    """Keep PostgreSQL from using a method that is only good for few rows."""
    await tx.execute(f"SET LOCAL {method} = off")
    yield
    await tx.execute(f"SET LOCAL {method} TO DEFAULT")
