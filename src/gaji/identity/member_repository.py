"""Members of a client: users with a role for it."""

from collections.abc import Mapping

import asyncpg

from gaji.db.json_lists import ListPage, fetch_page
from gaji.db.tenancy import Transaction

COLUMNS = (
    "u.id AS user_id, u.email, u.name, m.role, m.employee_id, u.administrator, u.disabled_at IS NOT NULL AS disabled"
)
SOURCE = """memberships m JOIN users u ON u.id = m.user_id
    WHERE m.client_id = $1 AND ($2 = '' OR m.role = $2)
      AND ($3 = '' OR strpos(lower(u.email || ' ' || u.name), lower($3)) > 0)"""


ORDERS = {"name": "lower(coalesce(nullif(u.name, ''), u.email))", "role": "m.role"}
"""What members can be ordered by, instead of their email."""


async def list_members(
    tx: Transaction, client_id: int, role: str, text: str, page: ListPage, order: str, *, descending: bool
) -> tuple[list[asyncpg.Record], int]:
    """Return a page of members, and their total number. An empty role, text or order is any."""
    first = f"{ORDERS[order]} {'DESC' if descending else 'ASC'}, " if order else ""
    return await fetch_page(
        tx, f"SELECT {COLUMNS} FROM {SOURCE} ORDER BY {first}lower(u.email)", SOURCE, page, client_id, role, text
    )


async def find_member(tx: Transaction, client_id: int, user_id: int) -> asyncpg.Record | None:
    """Return a member of a client."""
    return await tx.fetchrow(
        f"SELECT {COLUMNS} FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.client_id = $1 AND u.id = $2",
        client_id,
        user_id,
    )


async def lock_client(tx: Transaction, client_id: int) -> None:
    """Lock a client against concurrent changes of its roles."""
    await tx.execute("SELECT FROM clients WHERE id = $1 FOR NO KEY UPDATE", client_id)


async def lock_clients_of_user(tx: Transaction, user_id: int) -> None:
    """Lock the clients of a user that the caller sees against concurrent changes of their roles."""
    await tx.execute(
        "SELECT FROM clients WHERE id IN (SELECT client_id FROM memberships WHERE user_id = $1) "
        "ORDER BY id FOR NO KEY UPDATE",
        user_id,
    )


async def restrict_user(tx: Transaction, user_id: int, restriction: str) -> bool:
    """Restrict a user of the account. Return whether the caller may."""
    return await tx.fetchval("SELECT restrict_user($1, $2)", user_id, restriction) is not None


async def find_current_role(tx: Transaction, client_id: int) -> str | None:
    """Return the caller's role for a client at this moment."""
    role: str | None = await tx.fetchval(
        "SELECT role FROM memberships WHERE client_id = $1 AND user_id = $2 AND client_id = ANY (allowed_clients())",
        client_id,
        tx.caller.user_id,
    )
    return role


async def has_employee(tx: Transaction, client_id: int, employee_id: int) -> bool:
    """Return whether a client has an employee."""
    query = "SELECT EXISTS (SELECT FROM employees WHERE client_id = $1 AND id = $2)"
    return bool(await tx.fetchval(query, client_id, employee_id))


async def has_other_owner(tx: Transaction, client_id: int, user_id: int) -> bool:
    """Return whether a client has another owner who can sign in."""
    query = """SELECT EXISTS (SELECT FROM memberships m JOIN users u ON u.id = m.user_id
        WHERE m.client_id = $1 AND m.role = 'owner' AND u.id <> $2 AND u.disabled_at IS NULL)"""
    return bool(await tx.fetchval(query, client_id, user_id))


async def set_role(tx: Transaction, client_id: int, user_id: int, role: str | None, employee_id: int | None) -> None:
    """Set the role of a user of the account for a client. None removes it."""
    await tx.execute("SELECT set_membership($1, $2, $3, $4)", client_id, user_id, role, employee_id)


async def set_employee_roles(tx: Transaction, client_id: int, user_ids: Mapping[int, int]) -> None:
    """Give users of the account the role of an employee. The IDs of the users are by employee."""
    await tx.execute(
        "SELECT set_membership($1, n.user_id, 'employee', n.employee_id) "
        "FROM unnest($2::bigint[], $3::bigint[]) AS n (employee_id, user_id)",
        client_id,
        list(user_ids),
        list(user_ids.values()),
    )
