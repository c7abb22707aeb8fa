"""Pay runs: open, review, finalise and release."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import date

from gaji.approvals.models import Approval
from gaji.approvals.service import is_required
from gaji.company.clients.service import ClientMembership
from gaji.company.pay_points.queries import load_pay_point_names
from gaji.company.waves.queries import load_pay_calendars
from gaji.console.account_requests import load_requests_of_errors
from gaji.console.approvals import load_pending
from gaji.console.error_messages import earlier_period_text
from gaji.console.formats import format_count
from gaji.console.forms import require_known_ids
from gaji.console.levy_end import find_leaver_levies
from gaji.console.missing_wages import find_missing_wages
from gaji.console.next_company import find_next_step, was_step_done
from gaji.console.pages import PageRouter, when_queried
from gaji.console.pagination import build_pager
from gaji.console.pay_register import (
    COLUMNS,
    DOWNLOADS,
    FILTERS,
    MAX_ITEMS,
    MAX_SCANNED_PAYSLIPS,
    RegisterQuery,
    download_register,
    hidden_costs,
    item_lines,
    line_anchor,
    list_items,
    parse_register_query,
)
from gaji.console.pay_run_warnings import EMPLOYEES_PATH, is_small, load_run_warnings, select_employee_errors
from gaji.console.pay_to_withhold import load_withholding_text
from gaji.console.request import PageRequest, page_not_found
from gaji.console.return_paths import return_path
from gaji.console.tables import SortKeys, build_table
from gaji.console.unconfirmed_leave import count_unconfirmed_leave
from gaji.console.unrepaired_runs import find_unrepaired_run
from gaji.console.unwithheld_pay import load_unwithheld_text
from gaji.core import clock
from gaji.core.errors import Conflict, Errors, GajiError, ValidationError
from gaji.db.tenancy import Tenant, Transaction
from gaji.documents.filings import service as filings
from gaji.documents.payment_files import service as payment_files
from gaji.law.months import Month
from gaji.payroll.accounting.unposted_journals import has_journal_lines
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.payment_runs import finalise, overview, reopen, service
from gaji.payroll.payment_runs import open_run as opening
from gaji.payroll.payment_runs.correction_runs import (
    is_month_checked,
)
from gaji.payroll.payment_runs.missing_levies import list_missing_levies
from gaji.payroll.payment_runs.overview import RunHeader, RunOverview, RunSummary
from gaji.payroll.payment_runs.reopen import ReopenEffects, RunChanges
from gaji.payroll.payment_runs.run_order import EarlierPeriod, find_earlier_period
from gaji.payroll.payslips import summaries as payslips
from gaji.payroll.payslips.history import TOTAL_DEDUCTION, TOTAL_INCOME
from gaji.payroll.payslips.pay_register import RegisterItem, load_item_names, load_register
from gaji.payroll.payslips.rendering import captions_by_item
from gaji.payroll.payslips.statutory_totals import load_open_periods
from gaji.payroll.withheld_payments.queries import load_withheld_cents_of_run
from gaji.people.employees.directory import load_employee_labels
from gaji.people.employees.display_name import EmployeeLabel
from gaji.people.self_service.employee_invitations import count_without_access
from gaji.web.responses import HttpResponse

router = PageRouter()

RUN_SORT_KEYS: SortKeys[RunSummary] = {
    "period": lambda run: (run.period_end_date, run.id),
    "schedule": lambda run: run.wave_id,
    "state": lambda run: (run.released, run.finalised, run.opening),
    "payslips": lambda run: run.payslips,
    "nett_pay": lambda run: run.total,
}
LARGEST_RUNS_FIRST = ("period", "payslips", "nett_pay")
TOTALS = {TOTAL_INCOME: "Total earnings", TOTAL_DEDUCTION: "Total deductions"}


@dataclass(frozen=True)
class CpfFileState:
    """The CPF file of a month that has the contributions of a pay run."""

    month: str
    due_date: date
    is_downloaded: bool
    is_current: bool
    """Whether it was downloaded after the pay run was finalised, or has the same contributions."""
    is_month_open: bool
    """Whether other pay periods of the month are not finalised."""


@dataclass(frozen=True)
class ListedChanges:
    """What differs from the previous finalisation of a pay run, with the names to show."""

    run: RunChanges
    names: Mapping[int, EmployeeLabel] = field(default_factory=dict)
    captions: Mapping[str, str] = field(default_factory=dict)


@router.get("/companies/{client_id}/payment_runs")
async def list_runs(request: PageRequest) -> HttpResponse:
    """Show the periods that are paid next, and the pay runs so far."""
    return await _list_page(request, await request.company(request.ids["client_id"]))


@router.post("/companies/{client_id}/payment_runs")
async def open_run(request: PageRequest) -> HttpResponse:
    """Open a pay run. If it is open already, show it."""
    company = await request.writable_company(request.ids["client_id"])
    body = {name: request.form.get(name) for name in ("wave_id", "period_end_date")}
    async with request.tenant.read_only() as tx:
        wave_ids = [str(wave_id) for wave_id in await load_pay_calendars(tx, company.id)]
        open_runs = [run for run in await overview.list_runs(tx, company.id) if not run.finalised and not run.special]
    require_known_ids([body["wave_id"] or ""], wave_ids, "pay schedule")
    for run in open_runs:
        if (str(run.wave_id), str(run.period_end_date)) == (body["wave_id"], body["period_end_date"]):
            return request.redirect(f"/payment_runs/{run.id}")
    try:
        run_id, _ = await opening.open_run(request.tenant, company.id, body)
    except (ValidationError, Conflict) as error:
        return await _list_page(request, company, error)
    return request.redirect(f"/payment_runs/{run_id}", "Pay run opened. Review it, then finalise it")


@router.get("/payment_runs/{payment_run_id}", step_up=when_queried("format"), is_file=True)
async def show_run(request: PageRequest) -> HttpResponse:
    """Show a pay run."""
    return await _run_page(request)


@router.get("/payment_runs/{payment_run_id}/{step}")
async def confirm_step(request: PageRequest) -> HttpResponse:
    """Ask for confirmation of a step."""
    run_id, step = request.ids["payment_run_id"], request.names["step"]
    company = await request.company(await overview.load_client_id(request.tenant, run_id))
    if step not in CONFIRMED_STEPS:
        raise page_not_found(request)
    await request.writable_company(company.id)
    run_overview = await overview.load_overview(request.tenant, run_id)
    is_reopened = step == "unfinalise" and run_overview.run.finalised
    is_finalised_next = step == "finalise" and not run_overview.run.finalised
    is_printed_next = is_finalised_next or step == "release"
    payment_errors = await payment_files.find_draft_errors(request.tenant, run_id) if is_finalised_next else Errors()
    employee_errors = select_employee_errors(payment_errors)
    async with request.tenant.read_only() as tx:
        needs_approval = is_finalised_next and await is_required(tx, company.id)
        earlier = await _find_earlier(tx, run_overview) if is_finalised_next else None
    return request.render(
        "payment_run_step.html",
        company=company,
        here="Pay runs",
        overview=run_overview,
        run=run_overview.run,
        step=step,
        needs_approval=needs_approval,
        earlier=earlier,
        earlier_text=earlier_period_text(earlier) if earlier else "",
        unrepaired=await find_unrepaired_run(request.tenant, run_overview) if is_finalised_next else None,
        return_to=return_path(request.query),
        employee_errors=employee_errors,
        awaiting=await load_requests_of_errors(request.tenant, company.id, employee_errors),
        company_errors={path: error for path, error in payment_errors.items() if not path.startswith(EMPLOYEES_PATH)},
        without_access=await count_without_access(request.tenant, company.id) if step == "release" else 0,
        unconfirmed_leave=await count_unconfirmed_leave(request.tenant, run_overview) if is_printed_next else 0,
        missing_wages=await find_missing_wages(request.tenant, run_overview) if is_finalised_next else None,
        unwithheld=await load_unwithheld_text(request.tenant, company.id, run_overview.run)
        if is_finalised_next
        else "",
        to_withhold=await load_withholding_text(request.tenant, company.id, run_id) if is_finalised_next else "",
        used_files=await _used_files(request.tenant, run_overview) if is_reopened else [],
        effects=await _load_effects(request.tenant, run_overview) if is_reopened else None,
        without_levy=await list_missing_levies(request.tenant, run_id) if is_finalised_next else {},
        leaver_levies=await find_leaver_levies(request.tenant, run_overview) if is_finalised_next else None,
    )


@router.post("/payment_runs/{payment_run_id}/{step}")
async def run_step(request: PageRequest) -> HttpResponse:
    """Run a step. If it is not possible, the page of the pay run says why."""
    run_id, step = request.ids["payment_run_id"], request.names["step"]
    if step not in STEPS:
        raise page_not_found(request)
    client_id = await overview.load_client_id(request.tenant, run_id)
    try:
        notice = await STEPS[step](request.tenant, run_id)
    except Conflict as error:
        return await _run_page(request, error)
    return request.redirect(
        f"/companies/{client_id}/payment_runs" if step == "delete" else f"/payment_runs/{run_id}", notice
    )


async def _load_effects(tenant: Tenant, run_overview: RunOverview) -> ReopenEffects:
    async with tenant.read_only() as tx:
        return await reopen.load_effects(tx, run_overview.key)


async def _list_page(request: PageRequest, company: ClientMembership, error: GajiError | None = None) -> HttpResponse:
    async with request.tenant.read_only() as tx:
        waves_by_id = await load_pay_calendars(tx, company.id)
        runs = await overview.list_runs(tx, company.id)
        next_periods = await payslips.load_next_periods(tx, company.id)
    is_late = any(period.pay_date < clock.today() for period in next_periods.values())
    is_finished = not is_late and all(run.finalised and run.released for run in runs)
    return request.render(
        "payment_runs.html",
        status=error.status if error else 200,
        company=company,
        next_company=await find_next_step(request, company, is_finished=was_step_done(request) and is_finished),
        here="Pay runs",
        error=error,
        table=build_table(request, runs, RUN_SORT_KEYS, largest_first=LARGEST_RUNS_FIRST, anchor="#sofar"),
        next_periods=sorted(next_periods.values(), key=lambda period: (period.end, period.wave_id)),
        open_runs={run.wave_id: run for run in runs if not run.finalised and not run.special},
        labels={wave_id: wave.schedule.label for wave_id, wave in waves_by_id.items()},
    )


async def _run_page(request: PageRequest, error: GajiError | None = None) -> HttpResponse:
    query = parse_register_query(request)
    is_download = request.query.get("format") in DOWNLOADS
    async with request.tenant.snapshot() as tx:
        header = await overview.load_header(tx, request.ids["payment_run_id"])
        waves_by_id = await load_pay_calendars(tx, header.client_id)
        pay_points = list((await load_pay_point_names(tx, header.client_id)).values())
        all_items = list_items(await load_catalogue(tx, header.client_id)) if query.chooses_items else {}
        items = query.chosen_items(all_items)
        selection = query.select(header, has_pay_points=bool(pay_points), items=items)
        register = await load_register(tx, selection, query.page)
        run_overview = await overview.add_counts(tx, header, None if query.is_filtered else register)
        used_items = None if is_download else await _load_used_items(tx, run_overview, query)
        changes = await _load_changes(tx, header) if header.run.finalised else None
        cpf_file = await _load_cpf_file(tx, run_overview) if header.run.finalised else None
        withheld = await load_withheld_cents_of_run(tx, header.client_id, header.run.id) if header.run.finalised else {}
        correction_id = await reopen.find_finalised_correction(tx, header.key) if header.run.finalised else None
        has_journal = await _has_journal(tx, run_overview)
        is_compared = run_overview.previous_offset is not None
        correction_before_id = await reopen.find_correction_before(tx, header.key) if is_compared else None
        needs_approval = not header.run.finalised and await is_required(tx, header.client_id)
        earlier = await _find_earlier(tx, header) if is_small(run_overview) else None
    company = await request.company(header.client_id)
    chosen_items = {item: all_items[item] for item in items}
    columns = query.visible_columns(
        register.total,
        compared=is_compared,
        has_pay_points=bool(pay_points),
        has_levy=bool(run_overview.now.levy),
        items=chosen_items,
        is_download=is_download,
    )
    if is_download:
        return await download_register(request, run_overview, selection, columns.headings)
    warnings = await load_run_warnings(request.tenant, run_overview, can_write=company.can_write)
    approvals = await load_pending(request, company, payment_run_id=header.run.id)
    is_finished = (
        _is_all_done(run_overview, cpf_file, has_journal=has_journal)
        and not warnings.unpaid.employee_ids
        and not approvals
    )
    return request.render(
        "payment_run.html",
        return_to=return_path(request.query),
        status=error.status if error else 200,
        company=company,
        next_company=await find_next_step(request, company, is_finished=was_step_done(request) and is_finished),
        here="Pay runs",
        error=error,
        overview=run_overview,
        run=run_overview.run,
        label=waves_by_id[run_overview.run.wave_id].schedule.label,
        query=query,
        changes=changes,
        cpf_file=cpf_file,
        has_journal=has_journal,
        warnings=warnings,
        needs_approval=needs_approval,
        earlier=earlier,
        earlier_text=earlier_period_text(earlier) if earlier else "",
        withheld=withheld,
        correction_id=correction_id,
        correction_before_id=correction_before_id,
        approvals=approvals,
        register=register,
        columns=columns.headings,
        has_default_columns=columns.is_default,
        hidden_costs=hidden_costs(columns.headings, register.total),
        all_columns={name: text for name, text in COLUMNS.items() if is_compared or name != "change"},
        filters={name: text for name, text in FILTERS.items() if is_compared or name in ("", "attention")},
        pay_points=pay_points,
        item_columns={item.column: text for item, text in {**(used_items or {}), **chosen_items}.items()},
        can_show_items=used_items is None,
        max_items=MAX_ITEMS,
        line_anchor=line_anchor,
        lines=item_lines(items),
        used_files=await _used_files(request.tenant, run_overview) if run_overview.run.finalised else [],
        pager=build_pager(
            request, query.page, register.total.rows if selection.lists_former else register.total.payslips
        ),
    )


async def _find_earlier(tx: Transaction, header: RunHeader) -> EarlierPeriod | None:
    """Return the earlier period that has to be paid before a regular run is finalised."""
    if header.run.finalised or header.run.special:
        return None
    return await find_earlier_period(tx, header.client_id, header.key.period)


async def _load_changes(tx: Transaction, header: RunHeader) -> ListedChanges | None:
    """Load what changed since a run was finalised before. None if it was finalised once."""
    changes = await reopen.load_changes(tx, header.client_id, header.run.id)
    if changes is None:
        return None
    employee_ids = [payslip.employee_id for payslip in changes.payslips]
    if not employee_ids:
        return ListedChanges(changes)
    names = await load_employee_labels(tx, header.client_id, employee_ids)
    captions = captions_by_item(await load_catalogue(tx, header.client_id))
    return ListedChanges(changes, names, {**captions, **TOTALS})


def _is_all_done(run_overview: RunOverview, cpf_file: CpfFileState | None, *, has_journal: bool) -> bool:
    """Return whether no step of the run is left. The CPF file of a month with open pay periods comes later."""
    run = run_overview.run
    is_paid = run.paid_at is not None or not run_overview.counts.total
    is_filed = cpf_file is None or cpf_file.is_current or cpf_file.is_month_open
    return run.finalised and is_paid and run.released and (run.posted or not has_journal) and is_filed


async def _load_used_items(
    tx: Transaction, run_overview: RunOverview, query: RegisterQuery
) -> dict[RegisterItem, str] | None:
    """Load the pay items on the payslips of a run. None for a large run whose query does not ask for them."""
    if run_overview.counts.payslips > MAX_SCANNED_PAYSLIPS and not query.lists_items:
        return None
    names = await load_item_names(tx, run_overview.client_id, run_overview.run.id)
    items = list_items(await load_catalogue(tx, run_overview.client_id))
    return {item: text for item, text in items.items() if item.name in names}


async def _load_cpf_file(tx: Transaction, run_overview: RunOverview) -> CpfFileState | None:
    """Return the CPF file that has the contributions of a finalised run. None if it has none."""
    run, costs = run_overview.run, run_overview.now
    if not (costs.cpf or costs.sdl or costs.funds):
        return None
    month = Month.from_date(run.corrected_end or run.period_end_date)
    downloaded_at = await filings.load_submission_time(tx, run_overview.client_id, month)
    is_current = bool(downloaded_at and run.finalised_at and downloaded_at >= run.finalised_at)
    is_month_open = bool(await load_open_periods(tx, run_overview.client_id, month.last_day))
    is_outdated = downloaded_at and not is_current and not is_month_open
    if is_outdated and await is_month_checked(tx, run_overview.client_id, month):
        is_current = await filings.is_complete(tx, run_overview.client_id, month)
    return CpfFileState(str(month), filings.cpf_due_date(month), downloaded_at is not None, is_current, is_month_open)


async def _has_journal(tx: Transaction, run_overview: RunOverview) -> bool:
    """Return whether the journal of a run has lines. That of a draft may still get some."""
    run = run_overview.run
    if run.finalised_at is None:
        return True
    return await has_journal_lines(tx, run_overview.client_id, run.id, run.finalised_at, run.total or 0)


async def _used_files(tenant: Tenant, run_overview: RunOverview) -> list[str]:
    """Return the files with amounts of the pay run that were downloaded, because they may have been sent."""
    run = run_overview.run
    month = Month.from_date(run.corrected_end or run.period_end_date)
    files = []
    if await payment_files.is_downloaded(tenant, run.id):
        files.append("a payment file")
    if await filings.is_submitted(tenant, run_overview.client_id, month):
        files.append("the CPF file of the month")
    return files


async def _calculate(tenant: Tenant, run_id: int) -> str:
    payslip_count = await service.calculate_run(tenant, run_id)
    return f"{format_count(payslip_count, 'payslip')} recalculated"


async def _finalise(tenant: Tenant, run_id: int) -> str:
    run = await finalise.finalise_run(tenant, run_id)
    if isinstance(run, Approval):
        return "Another person has to approve the pay run. Then it is finalised"
    message = f"Pay run finalised with {format_count(run.payslips, 'payslip')}"
    if run.differences is not None:
        message += f". {_changed_text(run.differences['count'])} since the pay run was last finalised"
    async with tenant.read_only() as tx:
        has_payments = (await overview.load_header(tx, run_id)).run.total
    return f"{message}. {'Pay the employees' if has_payments else 'There is nothing to pay. Release the payslips'} next"


def _changed_text(count: int) -> str:
    return f"{format_count(count, 'payslip')} changed" if count else "No payslip changed"


async def _reopen(tenant: Tenant, run_id: int) -> str:
    payslip_count = await finalise.unfinalise_run(tenant, run_id)
    count = format_count(payslip_count, "payslip")
    return f"Pay run reopened. {count} can be changed again. Correct the records, then finalise it again"


async def _release(tenant: Tenant, run_id: int) -> str:
    await service.release_run(tenant, run_id)
    client_id = await overview.load_client_id(tenant, run_id)
    readers = "Employees with access" if await count_without_access(tenant, client_id) else "Employees"
    return f"Payslips released. {readers} can see them in the portal"


async def _delete(tenant: Tenant, run_id: int) -> str:
    await service.delete_run(tenant, run_id)
    return "Pay run deleted"


async def _mark_posted(tenant: Tenant, run_id: int) -> str:
    await service.update_run(tenant, run_id, {"posted_to_accounting_system": True})
    return "Journal marked as posted"


async def _mark_not_paid(tenant: Tenant, run_id: int) -> str:
    await service.mark_not_paid(tenant, run_id)
    return "Pay run marked as not paid"


STEPS: Mapping[str, Callable[[Tenant, int], Awaitable[str]]] = {
    "calculate": _calculate,
    "finalise": _finalise,
    "unfinalise": _reopen,
    "release": _release,
    "delete": _delete,
    "posted": _mark_posted,
    "mark_not_paid": _mark_not_paid,
}
CONFIRMED_STEPS = ("finalise", "unfinalise", "release", "delete")
"""Steps that ask for confirmation first."""
