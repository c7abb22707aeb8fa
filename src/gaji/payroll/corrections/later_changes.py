"""Changes after a payslip was finalised."""

from gaji.db.tenancy import Transaction
from gaji.payroll.corrections import repository
from gaji.payroll.snapshots.queries import load_late_entries


async def has_later_changes(tx: Transaction, client_id: int, payslip_id: int) -> bool:
    """Return whether details, service, leave or pay items of the employee changed after a payslip was finalised.

    Otherwise it cannot differ from what is recorded now because of them. Pay items of profiles count for everyone.
    """
    is_changed = await repository.is_changed_later(tx, client_id, payslip_id)
    return is_changed or bool(await load_late_entries(tx, client_id, [payslip_id]))
