"""Changes after a payslip was finalised."""

from gaji.db.tenancy import Transaction
from gaji.payroll.snapshots.queries import load_late_entries

_IS_CHANGED = """
    SELECT EXISTS (SELECT FROM calculations c WHERE c.client_id = p.client_id AND c.employee_id = p.employee_id
            AND c.updated_at > p.finalised_at)
        OR EXISTS (SELECT FROM calculations c WHERE c.client_id = p.client_id AND c.profile_id IS NOT NULL
            AND c.updated_at > p.finalised_at)
        OR EXISTS (SELECT FROM inherited_calculations c WHERE c.client_id = p.client_id
            AND c.employee_id = p.employee_id AND c.updated_at > p.finalised_at)
        OR EXISTS (SELECT FROM last_changes l WHERE l.client_id = p.client_id AND l.resource = 'leave_day'
            AND l.employee_id = p.employee_id AND l.changed_at > p.finalised_at)
        OR EXISTS (SELECT FROM last_changes l WHERE l.client_id = p.client_id AND l.resource = 'employee'
            AND l.id = p.employee_id AND l.changed_at > p.finalised_at)
    FROM payslips p WHERE p.client_id = $1 AND p.id = $2"""


async def has_later_changes(tx: Transaction, client_id: int, payslip_id: int) -> bool:
    """Return whether details, service, leave or pay items of the employee changed after a payslip was finalised.

    Otherwise it cannot differ from what is recorded now because of them. Pay items of profiles count for everyone.
    """
    is_changed: bool = await tx.fetchval(_IS_CHANGED, client_id, payslip_id)
    return is_changed or bool(await load_late_entries(tx, client_id, [payslip_id]))
