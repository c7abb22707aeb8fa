"""Leave adjustments that other packages ask about."""

from collections.abc import Sequence
from datetime import date

from gaji.db.query_plans import each_id
from gaji.db.tenancy import Transaction
from gaji.engine.leave.child_leave_types import CHILD_LEAVE_TYPES


async def find_child_leave_adjustments(tx: Transaction, client_id: int, employee_ids: Sequence[int]) -> dict[int, date]:
    """Return the date of the last adjustment that granted leave for children, by employee. Others are left out."""
    query = (
        "SELECT a.employee_id, max(a.date) AS date FROM leave_adjustments a JOIN leave_types t "
        "ON t.client_id = a.client_id AND t.id = a.leave_type_id WHERE a.client_id = ids.client_id "
        "AND a.employee_id = ids.id AND a.millidays > 0 AND t.system_type = ANY ($3::text[]) GROUP BY a.employee_id"
    )
    rows = await tx.fetch(f"SELECT a.* FROM {each_id('$2', query)} a", client_id, employee_ids, list(CHILD_LEAVE_TYPES))
    return {row["employee_id"]: row["date"] for row in rows}
