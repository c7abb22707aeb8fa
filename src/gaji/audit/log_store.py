"""The SQL of the whole log of a client."""

from collections.abc import Mapping
from typing import Any

import asyncpg

from gaji.db.json_lists import Page
from gaji.db.tenancy import Transaction

CONDITIONS = {
    "kind": "split_part(l.action, '.', 1) = {}",
    "how": "split_part(l.action, '.', 2) = {}",
    "user_id": "l.user_id = {}",
    "record_id": "l.row_id = {}",
    "since": "l.at >= {}",
    "before": "l.at < {}",
}
"""By the name of a filter, what it means."""


async def page_of(tx: Transaction, client_id: int, filters: Mapping[str, Any], page: Page) -> list[asyncpg.Record]:
    """A page of the log, newest first, with one row more if there is another page."""
    values = list(filters.values())
    where = "".join(f" AND {CONDITIONS[name].format(f'${place}')}" for place, name in enumerate(filters, start=2))
    rows: list[asyncpg.Record] = await tx.fetch(
        f"""SELECT l.at, coalesce(nullif(u.name, ''), u.email) AS who, l.actor, l.action, l.before, l.after, l.row_id
            FROM audit_log l LEFT JOIN users u ON u.id = l.user_id
            WHERE l.client_id = $1{where} ORDER BY l.id DESC LIMIT {page.size + 1:d} OFFSET {page.offset:d}""",
        client_id,
        *values,
    )
    return rows
