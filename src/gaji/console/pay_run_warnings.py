"""What the page of a pay run warns about."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gaji.approvals.models import Approval
from gaji.console.account_requests import load_requests_of_errors
from gaji.console.levy_end import LeaverLevies, find_leaver_levies
from gaji.console.missing_wages import MissingWages, find_missing_wages
from gaji.console.pay_deadlines import PayDeadlines, find_missed_deadlines
from gaji.console.unconfirmed_leave import count_unconfirmed_leave
from gaji.core.errors import Errors, FieldError
from gaji.db.tenancy import Tenant
from gaji.documents.payment_files import service as payment_files
from gaji.payroll.payment_runs.correction_runs import MAX_CHECKED_PAYSLIPS, UnpaidEmployees, is_checked, list_unpaid
from gaji.payroll.payment_runs.missing_levies import list_missing_levies
from gaji.payroll.payment_runs.overview import RunOverview
from gaji.people.employees.display_name import EmployeeLabel

EMPLOYEES_PATH = "employees."
"""What the paths of errors about employees begin with."""


@dataclass(frozen=True)
class DraftWarnings:
    """What to check before a pay run is finalised."""

    missing_wages: MissingWages | None = None
    unconfirmed_leave: int = 0
    without_levy: Mapping[int, EmployeeLabel] = field(default_factory=dict)
    leaver_levies: LeaverLevies | None = None
    employee_errors: Mapping[str, FieldError] = field(default_factory=dict)
    """The employees whom the file for the bank cannot pay."""
    awaiting: Mapping[int, Approval] = field(default_factory=dict)
    """The requests that change how these are paid, by employee."""


@dataclass(frozen=True)
class RunWarnings:
    """What the page of a pay run warns about. Empty for someone who cannot change the company."""

    draft: DraftWarnings = DraftWarnings()
    deadlines: PayDeadlines | None = None
    bank_errors: Errors = field(default_factory=Errors)
    """What is missing or wrong in the bank details of the company."""
    unpaid: UnpaidEmployees = field(default_factory=UnpaidEmployees)
    """The employees who were paid other amounts than are recorded now."""
    changed_payments: int = 0


async def load_run_warnings(tenant: Tenant, run_overview: RunOverview, *, can_write: bool) -> RunWarnings:
    """Load the warnings of a pay run."""
    if not can_write:
        return RunWarnings()
    run, client_id = run_overview.run, run_overview.client_id
    bank_errors, unpaid = Errors(), UnpaidEmployees()
    async with tenant.snapshot() as tx:
        if run.paid_at is None:
            bank_errors = await payment_files.find_payer_errors(tx, client_id, run.id)
        if is_checked(run):
            unpaid = await list_unpaid(tx, run, client_id)
    return RunWarnings(
        draft=DraftWarnings() if run.finalised else await _load_draft_warnings(tenant, run_overview),
        deadlines=_missed_deadlines(run_overview),
        bank_errors=bank_errors,
        unpaid=unpaid,
        changed_payments=await _count_changed_payments(tenant, run_overview),
    )


def select_employee_errors(errors: Errors) -> dict[str, FieldError]:
    """Return the errors of a file for the bank that are about employees."""
    return {path: error for path, error in errors.items() if path.startswith(EMPLOYEES_PATH)}


async def _load_draft_warnings(tenant: Tenant, run_overview: RunOverview) -> DraftWarnings:
    missing_wages = await find_missing_wages(tenant, run_overview)
    if not is_small(run_overview):
        return DraftWarnings(missing_wages)
    employee_errors = await _find_employee_errors(tenant, run_overview)
    return DraftWarnings(
        missing_wages,
        await count_unconfirmed_leave(tenant, run_overview),
        await list_missing_levies(tenant, run_overview.run.id),
        await find_leaver_levies(tenant, run_overview),
        employee_errors,
        await load_requests_of_errors(tenant, run_overview.client_id, employee_errors),
    )


async def _find_employee_errors(tenant: Tenant, run_overview: RunOverview) -> dict[str, FieldError]:
    """Return the employees of a draft whom the file for the bank cannot pay. Empty until it is calculated."""
    if run_overview.run.opening or run_overview.counts.dirty:
        return {}
    return select_employee_errors(await payment_files.find_draft_errors(tenant, run_overview.run.id))


async def _count_changed_payments(tenant: Tenant, run_overview: RunOverview) -> int:
    run = run_overview.run
    if not run.finalised or run.paid_at is not None or not is_small(run_overview):
        return 0
    return await payment_files.count_changed_payments(tenant, run.id)


def _missed_deadlines(run_overview: RunOverview) -> PayDeadlines | None:
    """Return the deadlines that a correction misses, if it pays anything and is not paid yet."""
    run = run_overview.run
    if run.corrected_end is None or run.paid_at or run_overview.counts.total <= 0:
        return None
    return find_missed_deadlines(run.corrected_end, run.payment_date)


def is_small(run_overview: RunOverview) -> bool:
    """Return whether the page compares all payslips of the run with other records."""
    return run_overview.counts.payslips <= MAX_CHECKED_PAYSLIPS
