"""Pay of leavers with tax clearance (IR21) that is withheld once a pay run is finalised."""

from gaji.console.formats import format_list, format_money
from gaji.db.tenancy import Tenant
from gaji.payroll.withheld_payments.queries import load_pay_to_withhold
from gaji.people.employees.directory import load_employee_labels

MAX_NAMES = 10
"""How many leavers are named."""


async def load_withholding_text(tenant: Tenant, client_id: int, run_id: int) -> str:
    """Return whose pay an open run withholds. Empty if it withholds nothing."""
    async with tenant.read_only() as tx:
        cents_by_employee = await load_pay_to_withhold(tx, client_id, run_id)
        labels = await load_employee_labels(tx, client_id, list(cents_by_employee)) if cents_by_employee else {}
    if not cents_by_employee:
        return ""
    names = [f"{labels[employee_id].name} ({format_money(cents)})" for employee_id, cents in cents_by_employee.items()]
    others = len(names) - MAX_NAMES
    return format_list([*names[:MAX_NAMES], f"{others} more"] if others > 0 else names)
