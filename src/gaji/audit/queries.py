"""Audit log queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import asyncpg
import msgspec

from gaji.db.json_lists import ListPage
from gaji.db.tenancy import Transaction

HIDDEN_COLUMNS = {"id", "client_id", "employee_id", "created_at", "updated_at"}
SECRET_SUFFIXES = ("_lookup", "_masked")

# Rows that belong to an employee and have an id of their own. The log records the row, not the employee.
EMPLOYEE_TABLES = (
    *("calculations", "service_periods", "wave_periods", "leave_days", "leave_adjustments", "children"),
    *("benefits_in_kind", "share_gains", "medical_certificates"),
)
EMPLOYEE_ROWS = " UNION ALL ".join(
    f"SELECT '{table}', id FROM {table} WHERE client_id = $1 AND employee_id = $2" for table in EMPLOYEE_TABLES
)
COLUMNS = """l.at, coalesce(nullif(u.name, ''), u.email) AS user_name, l.actor, l.action, l.before, l.after,
    l.row_id"""
FILTERS = {
    "table": "split_part(l.action, '.', 1) = {}",
    "action": "split_part(l.action, '.', 2) = {}",
    "user_id": "l.user_id = {}",
    "record_id": "l.row_id = {}",
    "since": "l.at >= {}",
    "before": "l.at < {}",
}
"""The SQL condition of each filter."""


@dataclass(frozen=True)
class AuditEntry:
    """One change to one record."""

    changed_at: datetime
    user_name: str
    actor: str
    """Where the change came from, such as `api` or `console`."""
    table: str
    action: str
    """insert, update or delete."""
    changes: Sequence[tuple[str, Any, Any]]
    """Name, old value and new value of each column that changed."""
    record_id: int | None


async def load_employee_entries(tx: Transaction, client_id: int, employee_id: int, limit: int) -> list[AuditEntry]:
    """Load the latest changes to an employee and the employee's records, newest first."""
    rows = await tx.fetch(
        f"""WITH owned(table_name, id) AS (SELECT 'employees', $2::bigint UNION ALL {EMPLOYEE_ROWS})
            SELECT {COLUMNS}
            FROM audit_log l JOIN owned o ON o.id = l.row_id AND split_part(l.action, '.', 1) = o.table_name
                 LEFT JOIN users u ON u.id = l.user_id
            WHERE l.client_id = $1 ORDER BY l.id DESC LIMIT $3""",
        client_id,
        employee_id,
        limit,
    )
    return [_entry(row) for row in rows]


async def load_client_entries(
    tx: Transaction, client_id: int, filters: Mapping[str, Any], page: ListPage
) -> tuple[list[AuditEntry], bool]:
    """Load a page of the client's audit log, newest first, and whether there are more entries."""
    conditions = (FILTERS[name].format(f"${number}") for number, name in enumerate(filters, start=2))
    where = "".join(f" AND {condition}" for condition in conditions)
    rows = await tx.fetch(
        f"""SELECT {COLUMNS}
            FROM audit_log l LEFT JOIN users u ON u.id = l.user_id
            WHERE l.client_id = $1{where} ORDER BY l.id DESC LIMIT {page.size + 1:d} OFFSET {page.offset:d}""",
        client_id,
        *filters.values(),
    )
    return [_entry(row) for row in rows[: page.size]], len(rows) > page.size


def _entry(row: asyncpg.Record) -> AuditEntry:
    table, action = row["action"].split(".")
    old, new = _columns(row["before"]), _columns(row["after"])
    changes = [
        (name, old.get(name), new.get(name)) for name in dict.fromkeys([*old, *new]) if _is_visible(name, old, new)
    ]
    user_name = row["user_name"] or row["actor"]
    return AuditEntry(row["at"], user_name, row["actor"], table, action, changes, row["row_id"])


def _columns(text: str | None) -> Mapping[str, Any]:
    return msgspec.json.decode(text) if text else {}


def _is_visible(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    empty = old.get(name) in (None, "", {}) and new.get(name) in (None, "", {})
    return name not in HIDDEN_COLUMNS and not name.endswith(SECRET_SUFFIXES) and not empty
