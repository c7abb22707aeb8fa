"""What the schema holds, as PostgreSQL's own catalogue tells it: for the commands that treat every table alike."""

from dataclasses import dataclass
from graphlib import TopologicalSorter

import asyncpg

from gaji.db.database import SCHEMA

_TABLES = """
    SELECT c.relname::text AS name, c.relforcerowsecurity AS forced,
           NOT c.relforcerowsecurity OR EXISTS (
               SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'maintenance') AS open_to_owner,
           ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0
                 AND NOT a.attisdropped AND a.attgenerated = '' ORDER BY a.attnum) AS columns,
           ARRAY(SELECT DISTINCT f.relname::text FROM pg_constraint k JOIN pg_class f ON f.oid = k.confrelid
                 WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.confrelid <> k.conrelid
                 ORDER BY 1) AS refers_to
    FROM pg_class c
    WHERE c.relnamespace = to_regnamespace($1) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND NOT starts_with(c.relname, 'pgqueuer')
    ORDER BY c.relname
"""


class HiddenTable(Exception):
    """A table's policies hide its rows even from the owner: a defect of the migration that made it."""


@dataclass(frozen=True)
class Table:
    """A table of ours (the job queue's own are left out), with the columns that hold what was stored."""

    name: str
    columns: tuple[str, ...]
    forced: bool
    """Row-level security holds for the owner too."""


async def tables(connection: asyncpg.Connection) -> list[Table]:
    """Every table, each after those it refers to: the order in which they can be filled."""
    found = {row["name"]: row for row in await connection.fetch(_TABLES, SCHEMA)}
    for name, row in found.items():
        # Without the policy a count is 0 and a copy is empty, and nobody would know.
        if not row["open_to_owner"]:
            raise HiddenTable(f"the table {name} has no policy for maintenance, so its rows cannot be read whole")
    order = TopologicalSorter({name: found.keys() & row["refers_to"] for name, row in found.items()}).static_order()
    return [Table(name, tuple(found[name]["columns"]), found[name]["forced"]) for name in order]


async def next_values(connection: asyncpg.Connection) -> dict[str, int]:
    """What each sequence will give next."""
    sequences = await connection.fetch(
        "SELECT c.relname::text AS name, s.seqincrement AS step "
        "FROM pg_class c JOIN pg_sequence s ON s.seqrelid = c.oid "
        "WHERE c.relnamespace = to_regnamespace($1) AND NOT starts_with(c.relname, 'pgqueuer') ORDER BY 1",
        SCHEMA,
    )
    return {
        row["name"]: await connection.fetchval(
            f"SELECT last_value + CASE WHEN is_called THEN $1::bigint ELSE 0 END FROM {identifier(row['name'])}",
            row["step"],
        )
        for row in sequences
    }


def identifier(name: str) -> str:
    """A table, column or sequence of the schema as a statement names it, whatever its characters."""
    return '"{}"'.format(name.replace('"', '""'))
