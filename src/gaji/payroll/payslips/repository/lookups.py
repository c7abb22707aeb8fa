"""The SQL of what is asked about payslips."""

from datetime import date

import asyncpg

from gaji.db.tenancy import Transaction

# A draft that nothing is paid by any more is put aside, not deleted: whoever takes back what made it so finds what was
# entered for it.
SHOWN = "NOT withdrawn"


async def facts(tx: Transaction, payslip_id: int) -> asyncpg.Record | None:
    """Client, employee, date, and whether finalised and special, of a payslip that the caller may see."""
    return await tx.fetchrow(
        f"SELECT client_id, employee_id, date, finalised, special FROM payslips WHERE id = $1 AND {SHOWN}", payslip_id
    )


async def lines(tx: Transaction, client_id: int, payslip_id: int) -> str | None:
    """The lines of a payslip as JSON."""
    found: str | None = await tx.fetchval(
        "SELECT lines FROM payslips WHERE client_id = $1 AND id = $2", client_id, payslip_id
    )
    return found


async def current_draft(tx: Transaction, client_id: int, employee_id: int) -> int | None:
    """The regular draft of an employee."""
    found: int | None = await tx.fetchval(
        f"SELECT id FROM payslips WHERE client_id = $1 AND employee_id = $2 AND NOT special AND NOT finalised "
        f"AND {SHOWN} ORDER BY date LIMIT 1",
        client_id,
        employee_id,
    )
    return found


async def has_line(tx: Transaction, client_id: int, item: str) -> bool:
    """Whether an item stands on any payslip of a client; looks through all of them."""
    found: bool = await tx.fetchval(
        "SELECT EXISTS (SELECT FROM payslips WHERE client_id = $1 AND jsonb_path_exists(lines::jsonb, "
        "'strict $.**[0] ? (@ == $item)', jsonb_build_object('item', $2::text), true))",
        client_id,
        item,
    )
    return found
