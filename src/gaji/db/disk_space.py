"""Whether the disk of the database is full, as far as a client of the server can tell."""

import asyncpg

_PROBE = """
    CREATE TEMPORARY TABLE disk_space_probe ON COMMIT DROP AS SELECT number FROM generate_series(1, 30000) AS number
"""
"""Takes about 1 MiB. Changes to rows may still fit into pages that exist when a new table does not."""


async def is_disk_full(connection: asyncpg.Connection) -> bool:
    """Return whether the server has no space for a small temporary table, which is not kept."""
    try:
        async with connection.transaction():
            await connection.execute(_PROBE)
    except asyncpg.DiskFullError:
        return True
    return False
