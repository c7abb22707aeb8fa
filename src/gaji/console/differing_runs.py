"""The latest pay runs that paid other amounts than are recorded now."""

from collections.abc import Sequence
from dataclasses import replace

from gaji.company.clients.service import ClientMembership
from gaji.db.tenancy import Tenant, Transaction
from gaji.law.months import Month
from gaji.leave.days import queries as leave_days
from gaji.payroll.calculations import queries as calculations
from gaji.payroll.payment_runs import overview
from gaji.payroll.payment_runs.correction_runs import MAX_CHECKED_PAYSLIPS, UnpaidEmployees, is_checked, list_unpaid
from gaji.payroll.payment_runs.overview import RunSummary
from gaji.payroll.payment_runs.queries import load_latest_runs

MAX_COMPARED_RUNS = 2
"""How many of the latest finalised runs of a company are compared with what is recorded now."""
MAX_COMPARED_COMPANIES = 20
"""How many companies of a list are compared, because each comparison calculates payslips again."""

DifferingRun = tuple[RunSummary, UnpaidEmployees]


async def load_differing_runs(tenant: Tenant, companies: Sequence[ClientMembership]) -> dict[int, list[DifferingRun]]:
    """Return the latest runs that paid other amounts than are recorded now, with the employees, by company.

    Only companies that the user may change are compared, at most `MAX_COMPARED_COMPANIES`, those with the latest
    changes. Companies without such runs are left out, and so are large runs.
    """
    client_ids = [company.id for company in companies if company.can_write]
    async with tenant.read_only() as tx:
        runs = await load_latest_runs(tx, client_ids, MAX_COMPARED_RUNS) if client_ids else []
        latest = [run for run in runs if run.payslips <= MAX_CHECKED_PAYSLIPS]
        if not latest:
            return {}
        columns = ([run.client_id for run in latest], [run.id for run in latest], [run.finalised_at for run in latest])
        changes = [
            *(await calculations.load_changed_runs(tx, *columns)).items(),
            *(await leave_days.load_changed_runs(tx, *columns)).items(),
        ]
    owners = {run.id: run.client_id for run in latest}
    changed_ids: dict[int, set[int]] = {}
    for run_id, _ in sorted(changes, key=lambda change: change[1], reverse=True):
        changed_ids.setdefault(owners[run_id], set()).add(run_id)
    differing: dict[int, list[DifferingRun]] = {}
    for client_id, run_ids in list(changed_ids.items())[:MAX_COMPARED_COMPANIES]:
        async with tenant.snapshot() as tx:
            if different := await _compare_runs(tx, client_id, list(run_ids)):
                differing[client_id] = different
    return differing


async def _compare_runs(tx: Transaction, client_id: int, run_ids: Sequence[int]) -> list[DifferingRun]:
    """Differences are monthly. An employee is listed once for a month, with the latest run."""
    listed_ids: dict[Month, frozenset[int]] = {}
    results = []
    for run in await overview.list_runs(tx, client_id, run_ids=run_ids):
        if not is_checked(run):
            continue
        unpaid = await list_unpaid(tx, run, client_id)
        month = Month.from_date(run.period_end_date)
        earlier_ids = listed_ids.get(month, frozenset())
        listed_ids[month] = earlier_ids | unpaid.employee_ids
        if new_ids := unpaid.employee_ids - earlier_ids:
            results.append((run, replace(unpaid, employee_ids=new_ids)))
    return results
