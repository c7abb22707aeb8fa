"""Employees whose payslips print leave balances that nobody has confirmed, in the first pay runs of a company."""

from datetime import timedelta

from gaji.company.waves.queries import load_pay_calendars
from gaji.db.tenancy import Tenant
from gaji.documents.payslips import options
from gaji.leave.balances.opening_balances import list_unconfirmed
from gaji.payroll.payment_runs.overview import RunHeader
from gaji.payroll.payslips.run_lines import load_employee_ids

FIRST_MONTHS = timedelta(days=92)
"""How long after the first pay period the balances are pointed out."""


async def count_unconfirmed_leave(tenant: Tenant, header: RunHeader) -> int:
    """Count the employees of a run who served before the first pay period, and whose leave nobody confirmed.

    0 for later and once-off runs, and if payslips do not show balances.
    """
    run, client_id = header.run, header.client_id
    async with tenant.read_only() as tx:
        calendar = (await load_pay_calendars(tx, client_id))[run.wave_id]
        start = calendar.schedule.start(calendar.first_offset)
        if run.special or run.period_end_date > start + FIRST_MONTHS:
            return 0
        employee_ids = await load_employee_ids(tx, client_id, run.id)
        unconfirmed_ids = await list_unconfirmed(tx, client_id, employee_ids, start)
    if not unconfirmed_ids or not (await options.read_options(tenant, client_id))["leave_balances"]:
        return 0
    return len(unconfirmed_ids)
