"""The SQL of who works with a client."""

import asyncpg

from gaji.db.tenancy import Transaction
from gaji.elements import Page, counted

SOURCE = """memberships m JOIN users u ON u.id = m.user_id
    WHERE m.client_id = $1 AND ($2 = '' OR m.role = $2)
      AND ($3 = '' OR strpos(lower(u.email || ' ' || u.name), lower($3)) > 0)"""


async def members(
    tx: Transaction, client_id: int, role: str, text: str, page: Page
) -> tuple[list[asyncpg.Record], int]:
    """A page of the people of a client by email, of a role or of any; and how many there are."""
    return await counted(
        tx,
        f"SELECT u.id, u.email, u.name, m.role, m.employee_id, u.administrator, u.disabled_at IS NOT NULL AS disabled "
        f"FROM {SOURCE} ORDER BY lower(u.email)",
        SOURCE,
        page,
        client_id,
        role,
        text,
    )
