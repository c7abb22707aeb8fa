"""Statements for many records of a client whose cost does not depend on the statistics of a table.

PostgreSQL expects a client to have as many rows as the others, or a single one if the client was created since the last
ANALYZE, and fewer still because row-level security compares the client once more. In a larger client, it would look up
`employee_id = ANY ($2)` by reading the whole client for each chunk of a pay run.
"""

from collections.abc import AsyncIterator, Sequence
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


def match_ids(column: str, parameter: str, ids: Sequence[int]) -> tuple[str, int | list[int]]:
    """Return the SQL condition on a column for one or many IDs, and the value of its parameter.

    One ID is compared as a number, because PostgreSQL makes a new plan for an array each time (see `ids_condition`).

    >>> match_ids("p.id", "$2", [7]), match_ids("p.id", "$2", [7, 8])
    (('p.id = $2', 7), ('p.id = ANY ($2::bigint[])', [7, 8]))
    """
    return (f"{column} = {parameter}", ids[0]) if len(ids) == 1 else (f"{column} = ANY ({parameter}::bigint[])", [*ids])


@asynccontextmanager
async def planned_without(tx: Transaction, method: Literal["enable_sort", "enable_nestloop"]) -> AsyncIterator[None]:
    """Keep PostgreSQL from using a method that is only good for few rows."""
    await tx.execute(f"SET LOCAL {method} = off")
    yield
    await tx.execute(f"SET LOCAL {method} TO DEFAULT")
