"""The SQL of payslips."""

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


async def mark_employee(tx: Transaction, client_id: int, employee_id: int) -> None:
    """Mark the drafts of an employee as waiting for calculation; nobody else calculates them until this ends."""
    await tx.execute(
        "UPDATE payslips SET dirty = true WHERE client_id = $1 AND employee_id = $2 AND NOT finalised",
        client_id,
        employee_id,
    )


async def mark_client(tx: Transaction, client_id: int) -> int:
    """Mark all drafts of a client as waiting for calculation, and say how many there are."""
    outcome = await tx.execute(
        f"UPDATE payslips SET dirty = true WHERE client_id = $1 AND NOT finalised AND {SHOWN}", client_id
    )
    return int(outcome.rpartition(" ")[2])
