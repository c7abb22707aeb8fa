"""Employees with the state of their access to self-service."""

from collections.abc import Sequence
from typing import Any

import asyncpg

from gaji.core import clock
from gaji.db.json_lists import ListPage
from gaji.db.tenancy import Transaction
from gaji.people.employees import filters
from gaji.people.employees.display_name import LAST_NAME_FIRST

# Everyone in service or about to join. Two of them with the same email cannot both sign in with it.
PEOPLE = f"""
    SELECT e.id, e.number, e.first_name, e.last_name, e.name_format, e.searched, nullif(e.email, '') AS email,
        a.email AS sign_in, a.user_id AS member_id, k.id AS user_id, i.id AS invitation_id, i.expires_at,
        i.updated_at AS invited_at, r.error AS mail_error,
        CASE WHEN a.email IS NOT NULL THEN 'active' WHEN i.id IS NULL THEN 'new'
            WHEN i.expires_at <= now() THEN 'expired' WHEN r.invitation_id IS NOT NULL THEN 'refused'
            ELSE 'invited' END AS state,
        CASE WHEN nullif(e.email, '') IS NULL THEN 'missing' WHEN e.email !~ '^[!-?A-~]+@[!-?A-~]+$' THEN 'invalid'
            WHEN count(*) OVER (PARTITION BY lower(e.email)) > 1 THEN 'shared'
            WHEN k.disabled_at IS NOT NULL THEN 'disabled' WHEN m.role IS NOT NULL THEN 'other_role'
            WHEN o.id IS NOT NULL THEN 'other_invitation' END AS email_problem
    FROM employees e
    LEFT JOIN (SELECT DISTINCT ON (m.employee_id) m.employee_id, m.user_id, u.email
               FROM memberships m JOIN users u ON u.id = m.user_id
               WHERE m.client_id = $1 AND m.employee_id IS NOT NULL
               ORDER BY m.employee_id, u.disabled_at IS NOT NULL, u.id) a ON a.employee_id = e.id
    LEFT JOIN (SELECT DISTINCT ON (employee_id) * FROM invitations
               WHERE client_id = $1 AND employee_id IS NOT NULL
               ORDER BY employee_id, expires_at DESC) i ON i.employee_id = e.id
    LEFT JOIN refused_invitations($1) r ON r.invitation_id = i.id
    LEFT JOIN users k ON lower(k.email) = lower(e.email) AND k.account_id = $3
    LEFT JOIN memberships m ON m.client_id = $1 AND m.user_id = k.id AND m.employee_id IS DISTINCT FROM e.id
    LEFT JOIN invitations o ON o.client_id = $1 AND lower(o.email) = lower(e.email)
        AND o.employee_id IS DISTINCT FROM e.id
    WHERE e.client_id = $1 AND {filters.IN_SERVICE.format("$2")}"""
TO_INVITE = "state IN ('new', 'expired', 'refused')"
GROUPS = {
    "": "true",
    "new": TO_INVITE,
    "invited": "state = 'invited'",
    "active": "state = 'active'",
    "problem": f"{TO_INVITE} AND (email_problem IS NOT NULL OR state = 'refused')",
}
"""The SQL condition of each group of employees."""
BY_NAME = f"""ltrim(lower(CASE name_format WHEN {LAST_NAME_FIRST} THEN concat(last_name, ' ', first_name)
    ELSE concat(first_name, ' ', last_name) END)), id"""


async def count_groups(tx: Transaction, client_id: int) -> dict[str, int]:
    """Return the number of employees in each group."""
    columns = ", ".join(f'count(*) FILTER (WHERE {condition}) AS "{name}_"' for name, condition in GROUPS.items())
    row = await tx.fetchrow(f"SELECT {columns} FROM ({PEOPLE}) people", *_arguments(tx, client_id))
    return {name: row[f"{name}_"] for name in GROUPS}


async def list_people(
    tx: Transaction, client_id: int, group: str, text: str, page: ListPage
) -> tuple[list[asyncpg.Record], int]:
    """Return a page of the employees of a group that match a text, and their number."""
    rows = await tx.fetch(
        f"SELECT *, count(*) OVER () AS total FROM ({PEOPLE}) people WHERE {GROUPS[group]} "
        f"AND searched LIKE ALL ($4::text[]) ORDER BY {BY_NAME} LIMIT {page.size:d} OFFSET {page.offset:d}",
        *_arguments(tx, client_id),
        filters.search_patterns(text),
    )
    return rows, rows[0]["total"] if rows else 0


async def load_people(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> list[asyncpg.Record]:
    """Return these employees, ordered by name."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT * FROM ({PEOPLE}) people WHERE id = ANY ($4::bigint[]) ORDER BY {BY_NAME}",
        *_arguments(tx, client_id),
        employee_ids,
    )
    return rows


async def list_people_to_invite(tx: Transaction, client_id: int, limit: int) -> list[asyncpg.Record]:
    """Return the first employees without a valid invitation, those whose email can be used first."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"SELECT * FROM ({PEOPLE}) people WHERE {TO_INVITE} ORDER BY email_problem IS NOT NULL, {BY_NAME} "
        f"LIMIT {limit:d}",
        *_arguments(tx, client_id),
    )
    return rows


async def count_without_access(tx: Transaction, client_id: int) -> int:
    """Return the number of employees who have no access."""
    count: int = await tx.fetchval(
        f"SELECT count(*) FROM employees e WHERE e.client_id = $1 AND {filters.IN_SERVICE.format('$2')} "
        "AND e.id NOT IN (SELECT employee_id FROM memberships WHERE client_id = $1 AND employee_id IS NOT NULL)",
        client_id,
        clock.today(),
    )
    return count


def _arguments(tx: Transaction, client_id: int) -> tuple[Any, ...]:
    return client_id, clock.today(), tx.caller.account_id
