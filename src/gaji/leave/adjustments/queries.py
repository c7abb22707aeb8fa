"""Leave adjustments that other packages ask about."""

from datetime import date

from gaji.db.tenancy import Transaction
from gaji.engine.leave.child_leave_types import CHILD_LEAVE_TYPES


async def find_child_leave_adjustment(tx: Transaction, client_id: int, employee_id: int) -> date | None:
    """Return the date of the last adjustment that granted an employee leave for children, if there is one."""
    day: date | None = await tx.fetchval(
        "SELECT max(a.date) FROM leave_adjustments a JOIN leave_types t ON t.client_id = a.client_id "
        "AND t.id = a.leave_type_id WHERE a.client_id = $1 AND a.employee_id = $2 AND a.millidays > 0 "
        "AND t.system_type = ANY ($3::text[])",
        client_id,
        employee_id,
        list(CHILD_LEAVE_TYPES),
    )
    return day
