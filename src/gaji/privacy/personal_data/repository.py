"""SQL for the records about an employee."""

from collections.abc import AsyncIterator, Collection, Sequence
from typing import Any

import asyncpg
import msgspec

from gaji.db.tenancy import Transaction
from gaji.privacy.audit_trail import ENTRIES_ABOUT_EMPLOYEE
from gaji.privacy.tables import PersonalTable

ROWS_AT_ONCE = 500
NAMES = """
    SELECT 'wave_id' AS attribute, id::text, coalesce(custom_name, name) AS name FROM waves WHERE client_id = $1
    UNION ALL SELECT 'leave_type_id', id::text, initcap(left(name, 1)) || replace(substr(name, 2), '_', ' ')
        FROM leave_types WHERE client_id = $1
    UNION ALL SELECT 'pay_point_id', id::text, name FROM pay_points WHERE client_id = $1
    UNION ALL SELECT 'profile_id', id::text, name FROM profiles WHERE client_id = $1
    UNION ALL SELECT 'calculation_def_id', id::text, name FROM calculation_definitions WHERE client_id = $1
    UNION ALL SELECT 'custom_fields', id::text, name FROM custom_employee_fields WHERE client_id = $1
    UNION ALL SELECT 'custom_fields.' || f.id, o ->> 'id', o ->> 'name'
        FROM custom_employee_fields f CROSS JOIN LATERAL json_array_elements(f.options) AS o WHERE f.client_id = $1
    UNION ALL SELECT 'split_id', id::text, name FROM accounting_splits WHERE client_id = $1
    UNION ALL SELECT 'payslip_id', id::text, to_char(date, 'FMDD Mon YYYY') FROM payslips
        WHERE client_id = $1 AND employee_id = $2"""
HIDDEN_FROM_EMPLOYEES = (
    *("calculations", "profile_mappings", "retro_proposals", "payment_releases", "payment_withholdings"),
    *("tax_certificates", "approvals"),
)
"""Tables whose changes are not for employees, because they include what is in preparation."""


async def load_rows(
    tx: Transaction, table: PersonalTable, client_id: int, employee_id: int, *, is_self: bool
) -> AsyncIterator[list[dict[str, Any]]]:
    """Yield the rows of a table about an employee, in batches. `is_self` for those that the employee may have."""
    removed = "".join(f" - '{column}'" for column in ("client_id", "searched", *table.left_out))
    limit = f"AND ({table.own_condition})" if is_self else ""
    query = f"SELECT (to_jsonb(t){removed})::text AS record FROM {table.name} t WHERE {table.condition} {limit}"
    async for batch in _batches(tx, query, client_id, employee_id):
        yield batch


async def load_names(tx: Transaction, client_id: int, employee_id: int) -> dict[str, dict[str, str]]:
    """Load the names of what records about an employee refer to, by attribute and ID."""
    names: dict[str, dict[str, str]] = {}
    for row in await tx.fetch(NAMES, client_id, employee_id):
        names.setdefault(row["attribute"], {})[row["id"]] = row["name"]
    names["type_id"] = names.get("leave_type_id", {})
    return names


async def load_user_names(tx: Transaction, user_ids: Collection[int]) -> dict[str, str]:
    """Load the names of users of the account, by ID."""
    query = "SELECT id::text, coalesce(nullif(name, ''), email) AS name FROM users WHERE id = ANY ($1)"
    return {row["id"]: row["name"] for row in await tx.fetch(query, list(user_ids))}


async def load_cpf_records(tx: Transaction, client_id: int, employee_id: int) -> AsyncIterator[list[dict[str, Any]]]:
    """Yield what was submitted about an employee in CPF files, in batches."""
    query = """SELECT jsonb_build_object('month', s.month, 'file_name', s.file_name, 'member', m)::text AS record
               FROM cpf_submissions s CROSS JOIN LATERAL json_array_elements(s.members) AS m
               WHERE s.client_id = $1 AND (m ->> 0)::bigint = $2 ORDER BY s.month, s.id"""
    async for batch in _batches(tx, query, client_id, employee_id):
        yield batch


async def load_protected_records(
    tx: Transaction, client_id: int, employee_id: int
) -> AsyncIterator[tuple[str, list[dict[str, Any]]]]:
    """Yield records that only a database function can read, in batches, each with its section."""
    query = "SELECT source, record::text FROM personal_records($1, $2)"
    cursor = await tx.connection.cursor(query, client_id, employee_id)
    while rows := await cursor.fetch(ROWS_AT_ONCE):
        for source in dict.fromkeys(row["source"] for row in rows):
            yield source, _decode(row for row in rows if row["source"] == source)


async def load_audit_entries(
    tx: Transaction, client_id: int, employee_id: int, user_ids: Sequence[int], *, is_self: bool
) -> AsyncIterator[list[dict[str, Any]]]:
    """Yield the entries of the audit log about an employee, in batches."""
    hidden = "AND split_part(l.action, '.', 1) <> ALL ($4::text[])" if is_self else "AND $4::text[] IS NOT NULL"
    query = f"""WITH {ENTRIES_ABOUT_EMPLOYEE}
        SELECT (to_jsonb(l) - 'client_id' - 'account_id' - 'key_id' - 'request_id')::text AS record
        FROM entries e JOIN audit_log l ON l.id = e.id WHERE true {hidden} ORDER BY l.id"""
    async for batch in _batches(tx, query, client_id, employee_id, list(user_ids), list(HIDDEN_FROM_EMPLOYEES)):
        yield batch


async def _batches(tx: Transaction, query: str, *arguments: Any) -> AsyncIterator[list[dict[str, Any]]]:
    cursor = await tx.connection.cursor(query, *arguments)
    while rows := await cursor.fetch(ROWS_AT_ONCE):
        yield _decode(rows)


def _decode(rows: Any) -> list[dict[str, Any]]:
    return [_decode_row(row) for row in rows]


def _decode_row(row: asyncpg.Record) -> dict[str, Any]:
    record: dict[str, Any] = msgspec.json.decode(row["record"])
    return record
