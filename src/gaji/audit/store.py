"""The SQL of what people changed."""

import asyncpg

from gaji.db.tenancy import Transaction

# What belongs to an employee and has an id of its own: the log knows which row was changed, not whose it is.
OWNED = ("calculations", "service_periods", "wave_periods", "leave_days", "leave_adjustments")
ROWS = " UNION ALL ".join(
    f"SELECT '{table}', id FROM {table} WHERE client_id = $1 AND employee_id = $2" for table in OWNED
)


async def of_employee(tx: Transaction, client_id: int, employee_id: int, most: int) -> list[asyncpg.Record]:
    """The latest changes of an employee and of what is kept about them: when, who, how, what, before and after."""
    rows: list[asyncpg.Record] = await tx.fetch(
        f"""WITH owned(kind, id) AS (SELECT 'employees', $2::bigint UNION ALL {ROWS})
            SELECT l.at, coalesce(nullif(u.name, ''), u.email) AS who, l.actor, l.action, l.before, l.after
            FROM audit_log l JOIN owned o ON o.id = l.row_id AND split_part(l.action, '.', 1) = o.kind
                 LEFT JOIN users u ON u.id = l.user_id
            WHERE l.client_id = $1 ORDER BY l.id DESC LIMIT $3""",
        client_id,
        employee_id,
        most,
    )
    return rows
