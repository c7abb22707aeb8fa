"""Holders of a work permit or an S Pass whose payslips in a payment run have no foreign worker levy."""

from gaji.db.tenancy import Tenant
from gaji.engine.catalogue import FOREIGN_WORKER_LEVY
from gaji.payroll.payment_runs.models import load_run
from gaji.payroll.payslips.queries import load_without_item
from gaji.people.employees.display_name import EmployeeLabel
from gaji.people.employees.queries import list_levy_holders


async def list_missing_levies(tenant: Tenant, run_id: int) -> dict[int, EmployeeLabel]:
    """Return the pass holders of a run without the pay item, by employee.

    The levy is due on the last regular payslip of a month, and that of the month of joining on the first payslip.
    """
    async with tenant.read_only() as tx:
        run = await load_run(tx, run_id)
        holders = await list_levy_holders(tx, run.client_id)
        missing = await load_without_item(tx, run.client_id, run.id, list(holders), FOREIGN_WORKER_LEVY)
    return {employee_id: holders[employee_id] for employee_id in missing}
