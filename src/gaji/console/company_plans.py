"""What a step of pay runs would do in each of several companies, and what is left out with the reason."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from gaji.approvals.models import Approval, ApprovalKind, ApprovalStatus
from gaji.approvals.service import find_approvals, is_required
from gaji.company.clients.service import ClientMembership
from gaji.company.waves.queries import PayCalendar, load_pay_calendars, load_wave_names
from gaji.console.approvals import waiting_text
from gaji.console.downloads import proposed_paid_date, unusual_date_text
from gaji.console.finalise_notes import file_errors_text, levy_text, list_finalise_remarks, list_leave_remarks
from gaji.console.formats import format_count, format_list, format_money
from gaji.console.late_periods import load_later_late_periods
from gaji.console.unconfirmed_leave import is_first_run
from gaji.console.unrepaired_runs import UnrepairedRun, find_unrepaired_run
from gaji.console.unwithheld_pay import load_unwithheld_text
from gaji.core import clock
from gaji.core.errors import Errors
from gaji.core.fair_queue import FairQueue
from gaji.db.tenancy import Tenant, Transaction
from gaji.documents.payment_files.service import (
    PaymentFile,
    count_changes,
    find_draft_errors,
    group_formats,
    last_bank_date,
    list_files,
    missing_details,
)
from gaji.payroll.payment_runs import overview
from gaji.payroll.payment_runs.missing_levies import list_missing_levies
from gaji.payroll.payment_runs.overview import RunHeader, RunSummary
from gaji.payroll.payment_runs.payslips import load_content
from gaji.payroll.payment_runs.queries import is_recent, load_open_runs
from gaji.payroll.payslips.pay_register import RegisterSelection, RegisterTotal, load_register_totals
from gaji.payroll.payslips.summaries import NextPeriod, load_next_periods
from gaji.payroll.run_steps.models import CompanyStep, StepItem
from gaji.people.employees.directory import find_clients_with_employees
from gaji.people.self_service.employee_invitations import count_without_access

MAX_COMPANIES = 50
"""How many companies can be selected at once."""
MAX_PAYSLIPS = 5_000
"""How many payslips a step changes at once. A larger pay run is done alone."""
MAX_DAYS_AHEAD = timedelta(days=7)
"""How long before its pay date a pay run is opened without a choice of the user."""
SLOTS = FairQueue("steps for several companies", slots=4, max_waiting=2, slots_per_owner=1)
"""Each account has one such request at a time. It works on one company after the other."""

VIEW_ONLY = "Your role can only view this company"
NEEDS_APPROVAL = "A second person has to approve it. Request the approval in the pay run"
NO_SCHEDULE = "It has no pay schedule yet. Add one on the dashboard of the company"
NO_EMPLOYEES = "It has no employees yet. Add them on the dashboard of the company"
ON_ITS_PAGE = "Corrections and once-off pay runs are finalised on their own page"
TOO_MANY = f"More than {MAX_PAYSLIPS:,} payslips at once. Do this one afterwards"
TOTALS = ("gross", "nett_pay", "employer_cost")


@dataclass(frozen=True)
class PlannedStep:
    """A step for one pay run of a company. Money is in cents."""

    company: ClientMembership
    key: str = ""
    """Identifies it in forms. Empty if there is nothing to do in the company."""
    run_id: int | None = None
    run: RunSummary | None = None
    wave_id: int = 0
    schedule: str = ""
    """The name of the pay schedule, if the company has several."""
    end: date | None = None
    payment_date: date | None = None
    payslips: int = 0
    cents: Mapping[str, int] = field(default_factory=dict)
    """By the names of `TOTALS`, and `change` if there is a previous period."""
    problems: Sequence[str] = ()
    """Why it cannot be done here."""
    approval_id: int | None = None
    """The pending request to finalise it, which is its problem."""
    note: str = ""
    """What is unusual. It is only done if the user selects it."""
    note_path: str = ""
    """The page on which that can be fixed."""
    remarks: Sequence[tuple[str, str]] = ()
    """Warnings that do not block the step: text and link."""
    lacks_file: bool = False
    """Whether its file for the bank cannot be created, as a remark says. It is only done if the user selects it."""
    later_late_periods: int = 0
    """How many later periods of the pay schedule had their pay date in the past."""
    fingerprint: str = ""
    """What the payslips pay, to notice changes after the review."""

    @property
    def is_ready(self) -> bool:
        """Whether it can be done."""
        return bool(self.key) and not self.problems

    @property
    def is_unusual(self) -> bool:
        """Whether the page gives a reason not to do it. It is only done if the user selects it."""
        return bool(self.note) or self.lacks_file

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits for the step in a company that the user may change."""
        return not self.key and self.company.can_write

    def to_item(self, paid_on: date | None = None) -> StepItem:
        """Return what a worker is to do."""
        if self.end is None:
            raise ValueError("there is nothing to do in the company")
        return StepItem(self.wave_id, self.end, self.run_id, self.payslips, paid_on, self.fingerprint)


async def plan_steps(tenant: Tenant, step: CompanyStep, companies: Sequence[ClientMembership]) -> list[PlannedStep]:
    """Return what a step would do in these companies. Every company has at least one element."""
    planned: list[PlannedStep] = []
    for company in companies:
        if company.can_write:
            planned += await _with_schedules(tenant, company, await PLANNERS[step](tenant, company))
        else:
            planned.append(PlannedStep(company, problems=(VIEW_ONLY,)))
    return limit_payslips(planned)


async def _with_schedules(
    tenant: Tenant, company: ClientMembership, planned: Sequence[PlannedStep]
) -> Sequence[PlannedStep]:
    """Return the steps with the names of pay schedules, if the company has several."""
    if not any(item.wave_id for item in planned):
        return planned
    async with tenant.read_only() as tx:
        names = await load_wave_names(tx, company.id)
    return [replace(item, schedule=names.get(item.wave_id, "")) for item in planned] if len(names) > 1 else planned


def limit_payslips(planned: Sequence[PlannedStep], limit: int = MAX_PAYSLIPS) -> list[PlannedStep]:
    """Leave out what exceeds the number of payslips at once, except the first pay run."""
    total, limited = 0, []
    for item in planned:
        is_excess = item.is_ready and total > 0 and total + item.payslips > limit
        total += item.payslips if item.is_ready and not is_excess else 0
        limited.append(replace(item, problems=(TOO_MANY,)) if is_excess else item)
    return limited


async def _plan_open(tenant: Tenant, company: ClientMembership) -> list[PlannedStep]:
    """The late periods, or the next one, of which each pay schedule has one."""
    today = clock.today()
    async with tenant.read_only() as tx:
        periods = await load_next_periods(tx, company.id)
        run_ids = await load_open_runs(tx, company.id)
        calendars = await load_pay_calendars(tx, company.id)
        later = await load_later_late_periods(tx, {company.id: list(periods.values())})
    due = sorted(periods.values(), key=lambda period: (period.pay_date, period.wave_id))
    listed = [period for period in due if period.pay_date < today] or due[:1]
    keys = [(period.wave_id, period.offset) for period in listed]
    planned = [
        _planned_period(company, period, run_ids.get(key), calendars[period.wave_id], len(later.get(key, ())))
        for period, key in zip(listed, keys, strict=True)
    ]
    if planned:
        return planned
    async with tenant.read_only() as tx:
        has_employees = company.id in await find_clients_with_employees(tx, [company.id])
    reason = "Nothing is due" if has_employees else NO_EMPLOYEES if calendars else NO_SCHEDULE
    return [PlannedStep(company, problems=(reason,))]


def _planned_period(
    company: ClientMembership, period: NextPeriod, run_id: int | None, calendar: PayCalendar, later_late_periods: int
) -> PlannedStep:
    today, start = clock.today(), calendar.schedule.start(period.offset)
    return PlannedStep(
        company,
        key=f"{period.wave_id}-{period.offset}",
        run_id=run_id,
        wave_id=period.wave_id,
        end=period.end,
        payment_date=period.pay_date,
        payslips=period.payslips,
        later_late_periods=later_late_periods,
        note="Not due yet" if start > today or period.pay_date > today + MAX_DAYS_AHEAD else "",
    )


async def _plan_finalise(tenant: Tenant, company: ClientMembership) -> list[PlannedStep]:
    """The first open pay run of each pay schedule. Once-off pay runs and corrections are named, but left out."""
    async with tenant.read_only() as tx:
        runs = await overview.list_runs(tx, company.id)
        needs_approval = await is_required(tx, company.id)
        requests = await _load_requests(tx, company) if needs_approval else {}
    open_runs = [run for run in runs if not run.finalised and not run.special]
    first_runs = {run.wave_id: run for run in sorted(open_runs, key=lambda run: run.period_end_date, reverse=True)}
    by_end = sorted(first_runs.values(), key=lambda run: (run.period_end_date, run.id))
    waiting = {run.id: _waiting_run(tenant, company, run, requests[run.id]) for run in runs if run.id in requests}
    planned = [waiting.get(run.id) or await _plan_run(tenant, company, run, runs, needs_approval) for run in by_end]
    special_runs = [run for run in runs[::-1] if not run.finalised and run.special]
    planned += [
        waiting.get(run.id) or replace(_planned_run(company, run), problems=(ON_ITS_PAGE,)) for run in special_runs
    ]
    return planned or [PlannedStep(company, problems=("No pay run is open",))]


async def _load_requests(tx: Transaction, company: ClientMembership) -> dict[int | None, Approval]:
    """Load the pending requests to finalise, by pay run."""
    filters = {"status": ApprovalStatus.PENDING, "kind": ApprovalKind.PAYMENT_RUN_FINALISATION}
    approvals, _ = await find_approvals(tx, company.id, filters)
    return {approval.subject.payment_run_id: approval for approval in approvals}


def _waiting_run(tenant: Tenant, company: ClientMembership, run: RunSummary, approval: Approval) -> PlannedStep:
    """Return a run that a second person has been asked to approve."""
    problems = (waiting_text(approval, tenant),)
    return replace(_planned_run(company, run), problems=problems, approval_id=approval.id)


async def _plan_run(
    tenant: Tenant, company: ClientMembership, run: RunSummary, runs: Sequence[RunSummary], needs_approval: bool
) -> PlannedStep:
    """Return what finalising a run would do. `runs` are all runs of the company."""
    async with tenant.snapshot() as tx:
        header = await overview.load_header(tx, run.id)
        fingerprint = (await load_content(tx, header.key)).fingerprint
        total = await _load_total(tx, header)
    problems = [NEEDS_APPROVAL] if needs_approval else []
    problems += _payslip_problems(total, is_opening=header.run.opening)
    problems += [] if problems else await _find_problems(tenant, run.id)
    file_errors = Errors() if problems else await find_draft_errors(tenant, run.id)
    unrepaired = None if problems else await find_unrepaired_run(tenant, header, runs)
    names = TOTALS if header.previous_offset is None else (*TOTALS, "change")
    notes = [] if problems else _finalise_notes(total, file_errors, unrepaired)
    return replace(
        _planned_run(company, run),
        payslips=total.payslips,
        cents={name: total.cents[name] for name in names},
        problems=problems,
        note=" ".join(notes),
        note_path=_note_path(company, run, file_errors, unrepaired) if notes else "",
        remarks=[] if problems else await list_finalise_remarks(tenant, header),
        fingerprint=fingerprint,
    )


def _note_path(
    company: ClientMembership, run: RunSummary, file_errors: Errors, unrepaired: UnrepairedRun | None
) -> str:
    """Return the page on which the first note can be fixed."""
    if unrepaired:
        return unrepaired.path
    if not file_errors:
        return f"/payment_runs/{run.id}"
    is_about_employees = any(path.startswith("employees.") for path in file_errors)
    return f"/payment_runs/{run.id}/finalise" if is_about_employees else f"/companies/{company.id}/details"


def _finalise_notes(total: RegisterTotal, file_errors: Errors, unrepaired: UnrepairedRun | None) -> list[str]:
    """Return why a pay run that can be finalised may pay someone nothing, or too little, or has to wait."""
    notes = [f"{unrepaired.text}."] if unrepaired else []
    if total.without_hours:
        notes.append(f"No hours entered for {format_count(total.without_hours, 'employee')} paid by the hour.")
    if file_errors:
        notes.append(f"No file for the bank yet. {file_errors_text(file_errors)}.")
    return notes


async def _load_total(tx: Transaction, header: RunHeader) -> RegisterTotal:
    selection = RegisterSelection(
        client_id=header.client_id,
        run_id=header.run.id,
        wave_id=header.run.wave_id,
        previous_offset=header.previous_offset,
        previous_nett_pay=header.before.nett_pay,
        finalised=header.run.finalised,
        has_pay_points=False,
    )
    _, total = await load_register_totals(tx, selection)
    return total


def _payslip_problems(total: RegisterTotal, *, is_opening: bool) -> list[str]:
    """Return what needs attention before payslips can be finalised."""
    if is_opening or total.dirty:
        return ["Payslips are being calculated"]
    if not total.payslips:
        return ["It has no payslips"]
    problems = []
    if total.attention:
        problems.append(f"{format_count(total.attention, 'payslip needs', 'payslips need')} attention")
    if total.blank:
        problems.append(f"{format_count(total.blank, 'payslip has', 'payslips have')} no nett pay")
    return problems


async def _find_problems(tenant: Tenant, run_id: int) -> list[str]:
    """Return what the page of the pay run warns about before it is finalised."""
    problems = []
    if missing := await list_missing_levies(tenant, run_id):
        problems.append(levy_text(len(missing)))
    return problems


async def _plan_mark_paid(tenant: Tenant, company: ClientMembership) -> list[PlannedStep]:
    """The finalised pay runs that are not marked as paid, for as long as they would need attention."""
    today = clock.today()
    planned = []
    for run in await load_runs(tenant, company):
        if not is_unpaid(run, today):
            continue
        files = await list_files(tenant, run.id)
        proposed = proposed_paid_date(run, last_bank_date(files), today)
        note = unusual_date_text(run, proposed, today)
        unwithheld = await load_unwithheld_text(tenant, company.id, run)
        texts = [*_payment_file_texts(files), *_withheld_texts(files), *manual_payment_texts(files)]
        texts += [unwithheld] if unwithheld else []
        remarks = [(text, f"/payment_runs/{run.id}/files") for text in texts]
        item = replace(_planned_run(company, run), payment_date=proposed, note=note, remarks=remarks)
        planned.append(replace(item, lacks_file=bool(missing_details(files))))
    return planned or [PlannedStep(company, problems=("No pay run is waiting to be paid",))]


def is_unpaid(run: RunSummary, today: date) -> bool:
    """Return whether a pay run is finalised and not marked as paid, for as long as it would need attention."""
    if run.finalised_at is None or run.paid_at or not run.total:
        return False
    return is_recent(run.payment_date, run.finalised_at, today)


def _payment_file_texts(files: Sequence[PaymentFile]) -> list[str]:
    """Return why the bank may not have the payments."""
    if errors := missing_details(files):
        return [f"The file for the bank cannot be created. {file_errors_text(errors)}"]
    groups = [(formats, count_changes(formats)) for formats in group_formats(files)]
    titles = [formats[0].title for formats, changes in groups if changes is None]
    if groups and len(titles) == len(groups):
        return ["No file for the bank was downloaded"]
    noun = "A file for the bank was" if len(titles) == 1 else "Files for the bank were"
    missing_texts = [f"{noun} not downloaded: {format_list(titles)}"] if titles else []
    return [*missing_texts, *(changes_text(changes) for _, changes in groups if changes)]


def changes_text(changes: int) -> str:
    """Return how many payments differ from a file that was downloaded."""
    return f"{format_count(changes, 'payment')} changed after the file for the bank was downloaded"


def _withheld_texts(files: Sequence[PaymentFile]) -> list[str]:
    """Return how much of the nett pay is withheld for tax clearance, if any is."""
    cents = max((sum(pay.cents for pay in file.batch.withheld) for file in files), default=0)
    return [f"{format_money(cents)} of the nett pay is withheld for tax clearance"] if cents else []


def manual_payment_texts(files: Sequence[PaymentFile]) -> list[str]:
    """Return how much is paid in cash or by cheque, if only a part of the nett pay is in the files for the bank."""
    pays = [pay for file in files if not file.bank and not file.suffix for pay in file.pays]
    if not pays or not any(file.bank and file.pays for file in files):
        return []
    amount, people = format_money(sum(pay.cents for pay in pays)), format_count(len(pays), "employee")
    return [f"{amount} for {people} is paid in cash or by cheque, and is not in the file for the bank"]


async def _plan_release(tenant: Tenant, company: ClientMembership) -> list[PlannedStep]:
    """The finalised pay runs whose payslips employees cannot see."""
    runs = await load_runs(tenant, company)
    waiting = [run for run in runs if run.finalised and not run.released]
    without_access = await count_without_access(tenant, company.id) if waiting else 0
    noun = ("employee of the company has", "employees of the company have")
    access_text = f"{format_count(without_access, *noun)} no access to the portal"
    async with tenant.read_only() as tx:
        calendars = await load_pay_calendars(tx, company.id) if waiting else {}
    planned = []
    for run in waiting:
        remarks: list[tuple[str, str]] = []
        if is_first_run(calendars[run.wave_id], run):
            async with tenant.read_only() as tx:
                header = await overview.load_header(tx, run.id)
            remarks += await list_leave_remarks(tenant, header)
        remarks += [(access_text, f"/companies/{company.id}/self-service")] if without_access else []
        planned.append(replace(_planned_run(company, run), remarks=remarks))
    return planned or [PlannedStep(company, problems=("No payslips are waiting to be released",))]


async def load_runs(tenant: Tenant, company: ClientMembership) -> list[RunSummary]:
    """Load the pay runs of a company, oldest first."""
    async with tenant.read_only() as tx:
        return (await overview.list_runs(tx, company.id))[::-1]


def _planned_run(company: ClientMembership, run: RunSummary) -> PlannedStep:
    return PlannedStep(
        company,
        key=str(run.id),
        run_id=run.id,
        run=run,
        wave_id=run.wave_id,
        end=run.period_end_date,
        payment_date=run.payment_date,
        payslips=run.payslips or 0,
        cents={"nett_pay": run.total or 0},
    )


PLANNERS: Mapping[CompanyStep, Callable[[Tenant, ClientMembership], Awaitable[list[PlannedStep]]]] = {
    CompanyStep.OPEN: _plan_open,
    CompanyStep.FINALISE: _plan_finalise,
    CompanyStep.MARK_PAID: _plan_mark_paid,
    CompanyStep.RELEASE: _plan_release,
}
