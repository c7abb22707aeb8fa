"""What the page to finalise a pay run warns about, as texts for other pages."""

from collections.abc import Sequence, Set

from gaji.console.error_messages import error_text, file_error_sentence
from gaji.console.formats import format_count
from gaji.console.glossary import company_label
from gaji.console.levy_end import list_levy_remarks
from gaji.console.missing_wages import list_wages_remarks
from gaji.console.unconfirmed_leave import count_unconfirmed_leave
from gaji.console.unrepaired_runs import find_unrepaired_run
from gaji.console.unwithheld_pay import load_unwithheld_text
from gaji.core.errors import Errors, FieldError
from gaji.db.tenancy import Tenant
from gaji.documents.payment_files.service import find_draft_errors
from gaji.payroll.payment_runs import overview
from gaji.payroll.payment_runs.correction_runs import MAX_CHECKED_PAYSLIPS
from gaji.payroll.payment_runs.missing_levies import list_missing_levies
from gaji.payroll.payment_runs.overview import RunHeader, RunOverview
from gaji.payroll.payslips.run_lines import load_employee_ids

MAX_PROBLEMS = 3
"""How many problems of a file are shown. The page that fixes them lists all."""
TOO_LARGE = f"Accounts and levies of more than {MAX_CHECKED_PAYSLIPS:,} payslips are not checked here"


async def load_finalise_notes(tenant: Tenant, run_id: int, awaiting_ids: Set[int]) -> list[str]:
    """Return what to know before a pay run is finalised. `awaiting_ids` are employees whose new account is pending."""
    run_overview = await overview.load_overview(tenant, run_id)
    async with tenant.read_only() as tx:
        employee_ids = await load_employee_ids(tx, run_overview.client_id, run_id) if awaiting_ids else []
    notes = _awaiting_notes(len(awaiting_ids & set(employee_ids)))
    if run_overview.counts.payslips > MAX_CHECKED_PAYSLIPS:
        return [*notes, TOO_LARGE]
    if unrepaired := await find_unrepaired_run(tenant, run_overview):
        notes.append(unrepaired.text)
    if errors := await find_draft_errors(tenant, run_id):
        notes.append(f"The file for the bank cannot be created yet. {file_errors_text(errors)}")
    if missing := await list_missing_levies(tenant, run_id):
        names = limited_text([str(employee) for employee in missing.values()])
        notes.append(f"{levy_text(len(missing))}: {names}")
    remarks = await list_finalise_remarks(tenant, run_overview)
    return [*notes, *_payslip_notes(run_overview), *(text for text, _ in remarks)]


async def list_finalise_remarks(tenant: Tenant, header: RunHeader) -> list[tuple[str, str]]:
    """Return what the page to finalise the run warns about, and that does not block it: text and link."""
    remarks = [*await list_leave_remarks(tenant, header), *await list_wages_remarks(tenant, header)]
    remarks += await list_levy_remarks(tenant, header)
    unwithheld = await load_unwithheld_text(tenant, header.client_id, header.run)
    return [*remarks, (unwithheld, f"/payment_runs/{header.run.id}/files")] if unwithheld else remarks


async def list_leave_remarks(tenant: Tenant, header: RunHeader) -> list[tuple[str, str]]:
    """Return the warning about leave balances on payslips of the run that are not confirmed, with its link."""
    if (header.run.payslips or 0) > MAX_CHECKED_PAYSLIPS:
        return []
    number = await count_unconfirmed_leave(tenant, header)
    text = f"Leave balances of {format_count(number, 'employee')} are not confirmed"
    return [(text, f"/companies/{header.client_id}/settings/take_on#people")] if number else []


def file_errors_text(errors: Errors) -> str:
    """Return what prevents a file for a bank or an authority, as one line."""
    return limited_text([_file_error_text(error) for error in errors.values()])


def levy_text(number: int) -> str:
    """Return how many pass holders lack the levy."""
    return f"{format_count(number, 'pass holder has', 'pass holders have')} no foreign worker levy"


def limited_text(texts: Sequence[str]) -> str:
    """Return the first texts, and how many more there are.

    >>> limited_text(["a", "b", "c", "d", "e"])
    'a; b; c; and 2 more'
    """
    more = [f"and {len(texts) - MAX_PROBLEMS} more"] if len(texts) > MAX_PROBLEMS else []
    return "; ".join([*texts[:MAX_PROBLEMS], *more])


def _awaiting_notes(number: int) -> list[str]:
    if not number:
        return []
    count = format_count(number, "account change awaits approval", "account changes await approval")
    return [f"{count}. Decide first: finalised payslips keep the accounts that employees have now"]


def _payslip_notes(run_overview: RunOverview) -> list[str]:
    notes, counts = [], run_overview.counts
    if counts.nothing and not run_overview.run.corrects:
        notes.append(f"{format_count(counts.nothing, 'payslip has', 'payslips have')} no nett pay")
    if counts.without_hours:
        notes.append(f"No hours entered for {format_count(counts.without_hours, 'employee')} paid by the hour")
    return notes


def _file_error_text(error: FieldError) -> str:
    """Return what is wrong, and with what."""
    if error.path.startswith("employees."):
        return f"{error.params['employee']}: {error.params['problems']}"
    return file_error_sentence(error) or f"{company_label(error.path)} {error_text(error)}"
