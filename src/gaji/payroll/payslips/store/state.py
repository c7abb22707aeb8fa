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


async def last_finalised_end(tx: Transaction, client_id: int, employee_id: int) -> date | None:
    """The last day of the latest finalised period of an employee."""
    found: date | None = await tx.fetchval(
        "SELECT max(date) FROM payslips WHERE client_id = $1 AND employee_id = $2 AND finalised", client_id, employee_id
    )
    return found


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


async def first_finalised_start(tx: Transaction, client_id: int, employee_id: int, since: date) -> date | None:
    """The first day of the earliest finalised period of an employee that ends on this day or later."""
    found: date | None = await tx.fetchval(
        "SELECT min(start_date) FROM payslips WHERE client_id = $1 AND employee_id = $2 AND finalised AND date >= $3",
        client_id,
        employee_id,
        since,
    )
    return found


async def forget_withdrawn(tx: Transaction, client_id: int, wave_id: int) -> None:
    """Delete the drafts of a wave that are put aside."""
    await tx.execute(
        "DELETE FROM payslips WHERE client_id = $1 AND wave_id = $2 AND NOT finalised AND withdrawn", client_id, wave_id
    )


async def has_line(tx: Transaction, client_id: int, item: str) -> bool:
    """Whether an item stands on any payslip of a client; looks through all of them."""
    found: bool = await tx.fetchval(
        "SELECT EXISTS (SELECT FROM payslips WHERE client_id = $1 AND jsonb_path_exists(lines::jsonb, "
        "'strict $.**[0] ? (@ == $item)', jsonb_build_object('item', $2::text), true))",
        client_id,
        item,
    )
    return found
