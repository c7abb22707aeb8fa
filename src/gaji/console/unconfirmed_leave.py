"""Employees whose payslips print leave balances that nobody has confirmed, in the first pay runs of a company."""

from datetime import timedelta

from gaji.company.waves.queries import PayCalendar, load_pay_calendars
from gaji.db.tenancy import Tenant
from gaji.documents.payslips import options
from gaji.leave.balances.opening_balances import list_unconfirmed
from gaji.payroll.payment_runs.overview import RunHeader, RunSummary
from gaji.payroll.payslips.run_lines import load_employee_ids

FIRST_MONTHS = timedelta(days=92)
"""How long after the first pay period the balances are pointed out."""


def is_first_run(calendar: PayCalendar, run: RunSummary) -> bool:
    """Return whether a run is one of the first of its pay schedule, and not once-off."""
    return not run.special and run.period_end_date <= calendar.schedule.start(calendar.first_offset) + FIRST_MONTHS


async def count_unconfirmed_leave(tenant: Tenant, header: RunHeader) -> int:
    """Count the employees of a run who served before the first pay period, and whose leave nobody confirmed.

    0 for later and once-off runs, and if payslips do not show balances.
    """
    run, client_id = header.run, header.client_id
    async with tenant.read_only() as tx:
        calendar = (await load_pay_calendars(tx, client_id))[run.wave_id]
        if not is_first_run(calendar, run):
            return 0
        start = calendar.schedule.start(calendar.first_offset)
        employee_ids = await load_employee_ids(tx, client_id, run.id)
        unconfirmed_ids = await list_unconfirmed(tx, client_id, employee_ids, start)
    if not unconfirmed_ids or not (await options.read_options(tenant, client_id))["leave_balances"]:
        return 0
    return len(unconfirmed_ids)
