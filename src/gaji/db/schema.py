"""Tables and sequences of the schema, from PostgreSQL's catalog, for commands that process all tables."""

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
    """A table's policies hide its rows even from the owner, which is a defect of its migration."""


@dataclass(frozen=True)
class DatabaseTable:
    """A table of Gaji, without those of the job queue. Generated columns are left out."""

    name: str
    columns: tuple[str, ...]
    forced: bool
    """Whether row-level security applies to the owner too."""


async def load_tables(connection: asyncpg.Connection) -> list[DatabaseTable]:
    """Return all tables, each after those that it references, so that they can be filled in this order."""
    rows = {row["name"]: row for row in await connection.fetch(_TABLES, SCHEMA)}
    for name, row in rows.items():
        # Without the policy a count would be 0 and a copy empty, without any error.
        if not row["open_to_owner"]:
            raise HiddenTable(f"the table {name} has no maintenance policy, so its rows cannot be read completely")
    order = TopologicalSorter({name: rows.keys() & row["refers_to"] for name, row in rows.items()}).static_order()
    return [DatabaseTable(name, tuple(rows[name]["columns"]), rows[name]["forced"]) for name in order]


async def next_sequence_values(connection: asyncpg.Connection) -> dict[str, int]:
    """Return the next value of each sequence."""
    sequences = await connection.fetch(
        "SELECT c.relname::text AS name, s.seqincrement AS step "
        "FROM pg_class c JOIN pg_sequence s ON s.seqrelid = c.oid "
        "WHERE c.relnamespace = to_regnamespace($1) AND NOT starts_with(c.relname, 'pgqueuer') ORDER BY 1",
        SCHEMA,
    )
    return {
        row["name"]: await connection.fetchval(
            f"SELECT last_value + CASE WHEN is_called THEN $1::bigint ELSE 0 END FROM {quote_identifier(row['name'])}",
            row["step"],
        )
        for row in sequences
    }


def quote_identifier(name: str) -> str:
    """Return the quoted name of a table, column or sequence."""
    return '"{}"'.format(name.replace('"', '""'))
