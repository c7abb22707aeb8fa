"""The audit log of an employee."""

from gaji.audit.queries import AuditEntry, load_employee_entries
from gaji.db.tenancy import Tenant
from gaji.people.employees.access import require_readable_employee

MAX_ENTRIES = 100


async def list_audit_entries(tenant: Tenant, employee_id: int) -> list[AuditEntry]:
    """List the latest changes to an employee and the employee's records, newest first."""
    async with tenant.read_only() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        return await load_employee_entries(tx, client_id, employee_id, MAX_ENTRIES)
