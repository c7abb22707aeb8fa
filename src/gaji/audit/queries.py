"""Audit log queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import asyncpg
import msgspec

from gaji.db.database import COMMAND_LINE
from gaji.db.json_lists import ListOrder, ListPage
from gaji.db.tenancy import Transaction

HIDDEN_COLUMNS = {"id", "client_id", "for_client_id", "employee_id", "created_at", "updated_at"}
SECRET_SUFFIXES = ("_lookup", "_masked")
HIDDEN_COLUMNS_OF = {"passkeys": {"handle_id", "credential_id", "public_key", "sign_count", "last_used_at"}}
"""Columns that are never shown, by table. Those of a passkey can show that its owner has another account."""

# Rows that belong to an employee and have an id of their own. The log records the row, not the employee.
EMPLOYEE_TABLES = (
    *("calculations", "service_periods", "wave_periods", "leave_days", "leave_adjustments", "children"),
    *("benefits_in_kind", "share_gains", "medical_certificates", "approvals"),
)
OWNED_TABLES = (*EMPLOYEE_TABLES, "leave_requests", "profile_mappings", "inherited_calculations")
OWNED_ROWS = " UNION ALL ".join(
    f"SELECT '{table}', id FROM {table} WHERE client_id = $1 AND employee_id = ANY ({{0}}::bigint[])"
    for table in OWNED_TABLES
)
# What a record is called, by table, for changes that do not name it.
TITLES = {
    "calculations": "type",
    "leave_days": "date::text",
    "leave_adjustments": "date::text",
    "children": "name",
    "benefits_in_kind": "category",
    "approvals": "kind",
    "profile_mappings": "profile_id::text",
    **dict.fromkeys(
        (
            *("pay_points", "leave_types", "profiles", "calculation_definitions", "custom_employee_fields"),
            "report_selections",
        ),
        "name",
    ),
    "waves": "id::text",
    "leave_policies": "leave_type_id::text",
    "payment_runs": "period_end_date::text",
    **dict.fromkeys(("service_periods", "wave_periods", "share_gains", "leave_requests"), "NULL"),
    "inherited_calculations": "NULL",
}
TITLE_COLUMNS = {
    **{table: column.removesuffix("::text") for table, column in TITLES.items()},
    "employees": "first_name",
}
RECORDS = " UNION ALL ".join(
    f"SELECT '{table}' AS table_name, t.id, {'t.employee_id' if table in OWNED_TABLES else 'NULL::bigint'} "
    f"AS employee_id, {f't.{column}' if column != 'NULL' else 'NULL::text'} AS title "
    f"FROM records r CROSS JOIN LATERAL (SELECT * FROM {table} WHERE client_id = r.client_id AND id = r.id OFFSET 0) t "
    f"WHERE r.table_name = '{table}'"
    for table, column in TITLES.items()
)
EMPLOYEE_ROWS = " UNION ALL ".join(
    f"SELECT client_id, '{table}', id FROM {table} WHERE client_id = $1 AND employee_id = $2"
    for table in EMPLOYEE_TABLES
)
KEYED_BY_EMPLOYEE = ("employees", "take_on_balances", "employee_accounting_splits")
"""Tables whose rows the log records by the ID of the employee."""
COLUMNS = """l.id, l.at, l.user_id, coalesce(nullif(u.name, ''), u.email) AS user_name, l.key_id, l.request_id,
    l.actor, l.action, l.before, l.after, l.row_id"""
NEWEST = "l.id DESC"
ORDERS = {"when": ["l.id"], "who": ["lower(coalesce(nullif(u.name, ''), u.email, l.actor))"]}
"""The SQL expressions that the log can be ordered by."""
FILTERS = {
    "table": "split_part(l.action, '.', 1) = {}",
    "action": "split_part(l.action, '.', 2) = {}",
    "user_id": "l.user_id = {}",
    "row_id": "l.row_id = {}",
    "employee_ids": "((l.before->>'employee_id')::bigint = ANY ({0}::bigint[]) "
    "OR (l.after->>'employee_id')::bigint = ANY ({0}::bigint[]) "
    "OR (split_part(l.action, '.', 1), l.row_id) IN (SELECT 'employees', unnest({0}::bigint[]) UNION ALL "
    f"{OWNED_ROWS}))",
    "since": "l.at >= {}",
    "before": "l.at < {}",
}
"""The SQL condition of each filter."""
SUBJECT = """CASE WHEN split_part(l.action, '.', 1) IN ('users', 'second_factors', 'console_sessions') THEN l.row_id
    ELSE coalesce((coalesce(l.after, l.before) ->> 'user_id')::bigint, (
        SELECT (k.after ->> 'user_id')::bigint FROM audit_log k
        WHERE k.client_id IS NULL AND k.row_id = l.row_id AND k.action = split_part(l.action, '.', 1) || '.insert'
        LIMIT 1)) END"""
"""The user whom an entry without a client is about. A change names only what changed; the first entry has the user."""
VISIBLE = f"""($2 OR {SUBJECT} = $1 OR {SUBJECT} IN (
    SELECT theirs.user_id FROM memberships mine JOIN memberships theirs USING (client_id)
    WHERE mine.user_id = $1 AND mine.role = 'owner'))"""
"""The entries without a client that the caller may see, among those of the account."""


@dataclass(frozen=True)
class AuditEntry:
    """One change to one record."""

    id: int
    changed_at: datetime
    user_id: int | None
    user_name: str
    """The user, the operating-system user who ran a command, or otherwise where the change came from."""
    key_id: int | None
    """The API key that was used."""
    request_id: str | None
    actor: str
    """Where the change came from, such as `api` or `console`."""
    table: str
    action: str
    """insert, update or delete."""
    changes: Sequence[tuple[str, Any, Any]]
    """Name, old value and new value of each column that changed."""
    masked: Mapping[str, tuple[str | None, str | None]]
    """The masked old and new value of each encrypted column that changed, by the name of the attribute."""
    record_id: int | None
    employee_id: int | None
    """The employee that the record belongs to, if the change names it."""
    title: str | None
    """What the record is called, if the change says it."""


@dataclass(frozen=True)
class AccountAuditEntry:
    """A change that belongs to no client, such as one of a user, an API key or single sign-on."""

    entry: AuditEntry
    subject: str | None
    """Name or email of the user whom it is about."""


@dataclass(frozen=True)
class AuditedRecord:
    """A record as it is now: whose it is, and what it is called."""

    employee_id: int | None
    title: str | None


async def load_employee_entries(tx: Transaction, client_id: int, employee_id: int, limit: int) -> list[AuditEntry]:
    """Load the latest changes to an employee and the employee's records, newest first."""
    # The entries of each record are looked up by its ID (see `db.query_plans`).
    rows = await tx.fetch(
        f"""WITH owned(client_id, table_name, id) AS (
                SELECT $1::bigint, 'employees', $2::bigint UNION ALL {EMPLOYEE_ROWS})
            SELECT {COLUMNS}
            FROM owned o CROSS JOIN LATERAL (
                SELECT * FROM audit_log WHERE client_id = o.client_id AND row_id = o.id
                    AND split_part(action, '.', 1) = o.table_name OFFSET 0) l
                 LEFT JOIN users u ON u.id = l.user_id
            ORDER BY l.id DESC LIMIT $3""",
        client_id,
        employee_id,
        limit,
    )
    return [_entry(row) for row in rows]


async def load_client_entries(
    tx: Transaction, client_id: int, filters: Mapping[str, Any], page: ListPage, order: ListOrder | None = None
) -> tuple[list[AuditEntry], bool]:
    """Load a page of the client's audit log, newest first by default, and whether there are more entries."""
    by = order.sql(ORDERS, NEWEST) if order else NEWEST
    rows = await tx.fetch(
        f"""SELECT {COLUMNS}
            FROM audit_log l LEFT JOIN users u ON u.id = l.user_id
            WHERE l.client_id = $1{_conditions(filters)}
            ORDER BY {by} LIMIT {page.size + 1:d} OFFSET {page.offset:d}""",
        client_id,
        *filters.values(),
    )
    return [_entry(row) for row in rows[: page.size]], len(rows) > page.size


async def count_client_entries(tx: Transaction, client_id: int, filters: Mapping[str, Any]) -> int:
    """Return the number of entries in the client's audit log that match the filters."""
    query = f"SELECT count(*) FROM audit_log l WHERE l.client_id = $1{_conditions(filters)}"
    count: int = await tx.fetchval(query, client_id, *filters.values())
    return count


async def load_account_entries(
    tx: Transaction, filters: Mapping[str, Any], page: ListPage
) -> tuple[list[AccountAuditEntry], int]:
    """Load a page of the entries that belong to no client and that the caller may see, newest first, and their number.

    Administrators see those of the account, owners those about the members of their clients, and others their own.
    """
    of_account = "l.account_id = (SELECT current_account()) AND l.client_id IS NULL"
    where = f"WHERE {of_account} AND {VISIBLE}{_conditions(filters, first_parameter=3)}"
    viewer = tx.caller.user_id, tx.caller.administers_account
    rows = await tx.fetch(
        f"""SELECT {COLUMNS}, coalesce(nullif(s.name, ''), s.email) AS subject
            FROM audit_log l LEFT JOIN users u ON u.id = l.user_id LEFT JOIN users s ON s.id = {SUBJECT}
            {where} ORDER BY {NEWEST} LIMIT {page.size:d} OFFSET {page.offset:d}""",
        *viewer,
        *filters.values(),
    )
    total: int = await tx.fetchval(f"SELECT count(*) FROM audit_log l {where}", *viewer, *filters.values())
    return [AccountAuditEntry(_entry(row), row["subject"]) for row in rows], total


def _conditions(filters: Mapping[str, Any], first_parameter: int = 2) -> str:
    """Return the SQL conditions of filters whose values are the parameters from a number on."""
    conditions = (FILTERS[name].format(f"${number}") for number, name in enumerate(filters, start=first_parameter))
    return "".join(f" AND {condition}" for condition in conditions)


def _entry(row: asyncpg.Record) -> AuditEntry:
    table, action = row["action"].split(".")
    actor, operator = _split_actor(row["actor"])
    old, new = _columns(row["before"]), _columns(row["after"])
    changes = [
        (name, old.get(name), new.get(name))
        for name in dict.fromkeys([*old, *new])
        if _is_visible(name, old, new) and name not in HIDDEN_COLUMNS_OF.get(table, ())
    ]
    values = {**old, **new}
    employee_id = row["row_id"] if table in KEYED_BY_EMPLOYEE else values.get("employee_id")
    title = values.get(TITLE_COLUMNS.get(table, "name")) or (values.get("email") if table == "users" else None)
    return AuditEntry(
        id=row["id"],
        changed_at=row["at"],
        user_id=row["user_id"],
        user_name=row["user_name"] or operator or actor,
        key_id=row["key_id"],
        request_id=row["request_id"] or None,
        actor=actor,
        table=table,
        action=action,
        changes=changes,
        masked=_masked_values(old, new),
        record_id=row["row_id"],
        employee_id=employee_id,
        title=None if title is None else str(title),
    )


def _split_actor(text: str) -> tuple[str, str]:
    """Return the source of a change, and the operating-system user for changes on the command line.

    >>> _split_actor("command line: siti"), _split_actor("api")
    (('command line', 'siti'), ('api', ''))
    """
    prefix = f"{COMMAND_LINE}: "
    return (COMMAND_LINE, text.removeprefix(prefix)) if text.startswith(prefix) else (text, "")


async def load_records(
    tx: Transaction, client_id: int, entries: Sequence[AuditEntry]
) -> dict[tuple[str, int], AuditedRecord]:
    """Load the records of entries that still exist, by table and ID."""
    keys = {(entry.table, entry.record_id) for entry in entries if entry.record_id is not None}
    rows = await tx.fetch(
        "WITH records AS MATERIALIZED (SELECT $1::bigint AS client_id, r.* FROM unnest($2::text[], $3::bigint[]) "
        f"AS r(table_name, id)) {RECORDS}",
        client_id,
        [table for table, _ in keys],
        [record_id for _, record_id in keys],
    )
    return {(row["table_name"], row["id"]): AuditedRecord(row["employee_id"], row["title"]) for row in rows}


async def load_user_names(tx: Transaction, user_ids: Sequence[int]) -> dict[int, str]:
    """Load the names of users, or the email addresses of those without one. Deleted users are left out."""
    query = "SELECT id, coalesce(nullif(name, ''), email) AS name FROM users WHERE id = ANY ($1::bigint[])"
    return {row["id"]: row["name"] for row in await tx.fetch(query, user_ids)}


def _columns(text: str | None) -> Mapping[str, Any]:
    return msgspec.json.decode(text) if text else {}


def _masked_values(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, tuple[str | None, str | None]]:
    names = (name for name in dict.fromkeys([*old, *new]) if name.endswith("_masked"))
    return {name.removesuffix("_masked"): (old.get(name), new.get(name)) for name in names}


def _is_visible(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    empty = old.get(name) in (None, "", {}) and new.get(name) in (None, "", {})
    return name not in HIDDEN_COLUMNS and not name.endswith(SECRET_SUFFIXES) and not empty
