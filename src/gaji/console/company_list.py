"""The companies of a user with what is due and late in each of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from gaji.approvals import service as approvals
from gaji.approvals.models import PendingCount
from gaji.company.clients.number_notes import load_number_notes
from gaji.company.clients.service import ClientMembership
from gaji.company.waves.queries import load_pay_calendars_of_clients
from gaji.console.differing_runs import DifferingRun, load_differing_runs
from gaji.console.formats import format_count, format_day, format_money, format_month
from gaji.console.glossary import company_label
from gaji.console.late_filings import LateFiling, UnpaidPeriod, late_text, load_late_filings, load_unpaid, run_path
from gaji.console.late_periods import months_text
from gaji.console.leaver_clearances import NO_CLEARANCES, ClearanceReminder, load_leaver_clearances
from gaji.console.missing_details import find_missing_details
from gaji.console.missing_wages import MissingWages, load_missing_wages
from gaji.core import clock
from gaji.core.errors import FieldError
from gaji.db.tenancy import Tenant
from gaji.documents.filings.changed_months import ChangedMonth, load_changed_months
from gaji.documents.filings.overdue import load_recent_months
from gaji.documents.filings.service import cpf_due_date
from gaji.documents.payment_files.released_payments import ReleasedPay, load_released_pay
from gaji.leave.team_calendar import count_pending
from gaji.payroll.accounting.unposted_journals import load_unposted_journals
from gaji.payroll.payment_runs.queries import (
    DuePayment,
    OpenSpecialRun,
    UnfinishedRun,
    find_wages_due,
    load_due_payments,
    load_open_special_runs,
    load_unreleased_runs,
)
from gaji.payroll.payslips.summaries import NextPeriod
from gaji.people.employees.directory import (
    EndingPasses,
    find_clients_with_employees,
    load_ending_passes,
    load_headcounts,
)

NO_REQUESTS = PendingCount()
MAX_FILINGS = 3
"""How many late filings of a company are listed with their links. The others are named."""


@dataclass(frozen=True)
class WaitingTask:
    """What waits in a company, and the page to do it on."""

    text: str
    path: str
    is_reminder: bool = False
    """Whether it may wait for weeks or for someone else. Users can go on to the next company meanwhile."""
    due: date | None = None
    """The day on which it is or was due, if it has one."""


@dataclass(frozen=True)
class CompanyStatus:
    """A company, and what is due and late in it."""

    company: ClientMembership
    headcount: int
    unpaid: Sequence[UnpaidPeriod]
    """By pay date."""
    unreleased: Sequence[UnfinishedRun]
    """The finalised runs whose payslips employees cannot see yet."""
    unposted: Sequence[UnfinishedRun]
    """The finalised runs whose journal has lines and is not posted, if the company posts journals."""
    due_payments: Sequence[DuePayment]
    """The finalised runs that are not marked as paid, and are late or due within a week."""
    released_pay: Sequence[ReleasedPay]
    """What was released after tax clearance, and is in no bank file that was downloaded."""
    special_runs: Sequence[OpenSpecialRun]
    """Once-off pay runs and corrections that are not finalised."""
    late_filings: Sequence[LateFiling]
    clearances: Sequence[ClearanceReminder]
    """Leavers whose form IR21 is due soon or may be required, or whose pay is withheld after it was sent."""
    changed_months: Sequence[ChangedMonth]
    differing_runs: Sequence[DifferingRun]
    """The latest runs that paid other amounts than are recorded now."""
    number_notes: Sequence[FieldError]
    """What is unusual about the UEN and the CPF submission number."""
    missing_details: Sequence[str]
    """The details that files for the bank and the CPF Board need, and that are missing."""
    missing_wages: MissingWages | None
    """Wages that another payroll paid earlier in the year, and that are not entered."""
    passes: EndingPasses | None
    """Work passes that have ended or end soon."""
    pending_requests: int
    """Leave requests without a decision."""
    pending_approvals: int
    """Requests that await approval and that the user can decide."""
    own_approvals: int
    """Requests of the user, which another person has to decide."""
    has_employees: bool

    @property
    def next_period(self) -> NextPeriod | None:
        """The unpaid period with the earliest pay date."""
        return self.unpaid[0].period if self.unpaid else None

    @property
    def late(self) -> list[UnpaidPeriod]:
        """The unpaid periods whose pay date has passed."""
        return [item for item in self.unpaid if item.period.pay_date < clock.today()]

    @property
    def late_text(self) -> str:
        """How many pay dates have passed, and their months, if there are several."""
        return late_text(self.late)

    @property
    def corrections(self) -> list[OpenSpecialRun]:
        """The corrections that are not finalised."""
        return [run for run in self.special_runs if run.is_correction]

    @property
    def late_once_off_runs(self) -> list[OpenSpecialRun]:
        """The once-off pay runs that are not finalised, and whose pay date has passed."""
        return [run for run in self.special_runs if not run.is_correction and run.payment_date < clock.today()]

    @property
    def late_payments(self) -> Sequence[DuePayment]:
        """The finalised runs that are not marked as paid in time."""
        return [payment for payment in self.due_payments if payment.due < clock.today()]

    @property
    def listed(self) -> Sequence[UnpaidPeriod]:
        """The unpaid periods to show: those that are late, or the next one, and others that cannot be finalised."""
        first = self.late or self.unpaid[:1]
        return [*first, *(item for item in self.unpaid if item.period.attention and item not in first)]

    @property
    def has_late_filings(self) -> bool:
        """Whether a filing is late, or has changed since."""
        return bool(self.late_filings or self.changed_months)

    @property
    def clearances_due(self) -> list[ClearanceReminder]:
        """The forms IR21 that are due soon."""
        return [reminder for reminder in self.clearances if reminder.is_due]

    @property
    def first_filings(self) -> Sequence[LateFiling]:
        """The late filings that are always listed."""
        return self.late_filings[:MAX_FILINGS]

    @property
    def more_filings(self) -> Sequence[LateFiling]:
        """The late filings that are only listed when the user asks for them."""
        return self.late_filings[MAX_FILINGS:]

    @property
    def more_filings_text(self) -> str:
        """How many of them there are, and their names."""
        hidden = self.more_filings
        names = [filing.name for filing in hidden if filing.month is None]
        if months := [filing.month.first_day for filing in hidden if filing.month]:
            names.append(f"CPF {months_text(months)}")
        return f"{len(hidden)} more: {', '.join(names)}" if hidden else ""

    @property
    def needs_attention(self) -> bool:
        """Whether anything is late, blocked, changed, not released, not paid or waiting for a decision."""
        return next(self.waiting_tasks(), None) is not None

    @property
    def next_step(self) -> WaitingTask | None:
        """The first of what needs attention, or else the next pay run. None if nothing is due."""
        if task := next(self.waiting_tasks(), None):
            return task
        if not self.has_employees:
            return WaitingTask("set up the company", f"/companies/{self.company.id}")
        if not self.unpaid:
            return None
        item = self.unpaid[0]
        text = "continue the pay run" if item.run_id else "open the pay run"
        path = run_path(self.company.id, item)
        return WaitingTask(f"{text} to {format_day(item.period.end)}", path, due=item.period.pay_date)

    def waiting_tasks(self) -> Iterator[WaitingTask]:
        """Yield what needs attention: first what is late, then what is merely due."""
        client_id = self.company.id
        for item in self.late:
            day = item.period.pay_date
            yield WaitingTask(f"pay run due on {format_day(day)}", run_path(client_id, item), due=day)
        for open_run in self.late_once_off_runs:
            text = f"once-off pay run due on {format_day(open_run.payment_date)}"
            yield WaitingTask(text, f"/payment_runs/{open_run.id}", due=open_run.payment_date)
        for payment in self.late_payments:
            end = payment.corrected_end
            name = f"of the correction of {format_day(end)}" if end else f"due {format_day(payment.due)}"
            path = f"/payment_runs/{payment.run_id}/files"
            yield WaitingTask(f"wages {name} are not marked as paid", path, due=payment.due)
        for pay in self.released_pay:
            text = f"the bank file for {format_money(pay.cents)} of released pay was not downloaded"
            yield WaitingTask(text, f"/payment_runs/{pay.run_id}/files")
        for filing in self.late_filings:
            problem = f": {filing.problem[0].lower()}{filing.problem[1:]}" if filing.problem else ""
            yield WaitingTask(f"{filing.title} is late{problem}", filing.path, due=filing.due_date)
        if self.passes and self.passes.ended:
            yield ended_passes_task(client_id, self.passes)
        for reminder in self.clearances_due:
            yield WaitingTask(f"{reminder.title} {reminder.reason}", reminder.path, due=reminder.due_date)
        for changed in self.changed_months:
            name = format_month(str(changed.month))
            text = f"CPF for {name} changed after the file was downloaded"
            if not changed.has_new:
                text = f"less CPF is payable for {name} than was submitted"
            path = f"/companies/{client_id}/filings?month={changed.month}"
            yield WaitingTask(text, path, is_reminder=not changed.has_new, due=cpf_due_date(changed.month))
        for item in self.unpaid:
            if item.period.attention and item not in self.late:
                text = format_count(item.period.attention, "payslip needs attention", "payslips need attention")
                yield WaitingTask(text, run_path(client_id, item), due=item.period.pay_date)
        for open_run in self.corrections:
            corrected = f" of {format_day(open_run.corrected_end)}" if open_run.corrected_end else ""
            due = find_wages_due(open_run.payment_date, open_run.corrected_end)
            yield WaitingTask(f"the correction{corrected} is not finalised", f"/payment_runs/{open_run.id}", due=due)
        for run, _ in self.differing_runs:
            text = f"the pay run to {format_day(run.period_end_date)} differs from what is recorded now"
            yield WaitingTask(text, f"/payment_runs/{run.id}/correct")
        for unreleased in self.unreleased:
            text, path = f"payslips of {_run_name(unreleased)} are not released", f"/payment_runs/{unreleased.id}"
            yield WaitingTask(text, path, due=unreleased.period_end_date)
        for unposted in self.unposted:
            path = f"/payment_runs/{unposted.id}/accounting"
            text = f"journal of {_run_name(unposted)} is not posted"
            yield WaitingTask(text, path, due=unposted.period_end_date)
        if task := leave_requests_task(client_id, self.pending_requests):
            yield task
        if task := approvals_task(client_id, self.pending_approvals):
            yield task
        if missing := self.missing_wages:
            path = f"/companies/{client_id}/settings/take_on#people"
            yield WaitingTask(missing.task, path, is_reminder=True)
        if self.number_notes:
            yield numbers_task(self.company, self.number_notes)
        for reminder in self.clearances:
            if not reminder.is_due:
                yield WaitingTask(f"{reminder.title} {reminder.reason}", reminder.path, is_reminder=True)
        if self.passes and self.passes.ending:
            yield ending_passes_task(client_id, self.passes)


def _run_name(run: UnfinishedRun) -> str:
    """Return the last day of the period. A correction is named by what it corrects, not by the later pay period."""
    if run.corrected_end:
        return f"the correction of {format_day(run.corrected_end)}"
    day = format_day(run.period_end_date)
    return f"the once-off pay run of {day}" if run.special else day


def numbers_task(company: ClientMembership, notes: Sequence[FieldError]) -> WaitingTask:
    """Return that the UEN or the CPF submission number is to be checked. Only writers can open the form."""
    names = dict.fromkeys(company_label(note.path) for note in notes)
    page = f"details#{notes[0].path}" if company.can_write else "settings"
    return WaitingTask(f"check the {' and the '.join(names)}", f"/companies/{company.id}/{page}", is_reminder=True)


def leave_requests_task(client_id: int, number: int) -> WaitingTask | None:
    """Return that leave requests wait for a decision, or None if there are none."""
    return WaitingTask(format_count(number, "leave request"), f"/companies/{client_id}/leave") if number else None


def decidable_requests(company: ClientMembership, pending: Mapping[int, PendingCount]) -> int:
    """Return how many of the pending requests of a company the user can decide."""
    return pending.get(company.id, NO_REQUESTS).other_requests if company.can_write else 0


def approvals_task(client_id: int, number: int) -> WaitingTask | None:
    """Return that requests await approval, or None if there are none."""
    text = format_count(number, "request awaits approval", "requests await approval")
    return WaitingTask(text, f"/companies/{client_id}/approvals", is_reminder=True) if number else None


def ended_passes_task(client_id: int, passes: EndingPasses) -> WaitingTask:
    """Return that work passes of employees in service have ended."""
    if passes.ended == 1:
        text = f"a work pass ended on {format_day(passes.first)}"
        return WaitingTask(text, _passes_path(client_id), due=passes.first)
    return WaitingTask(f"{passes.ended} work passes have ended", _passes_path(client_id), due=passes.first)


def ending_passes_task(client_id: int, passes: EndingPasses) -> WaitingTask:
    """Return that work passes of employees in service end soon."""
    first, text = passes.first_ending, f"{passes.ending} work passes end soon"
    if passes.ending == 1:
        text = f"a work pass ends on {format_day(first)}"
    return WaitingTask(text, _passes_path(client_id), is_reminder=True, due=first)


def _passes_path(client_id: int) -> str:
    return f"/companies/{client_id}/employees?state=expiring"


SORT_KEYS: dict[str, Callable[[CompanyStatus], tuple[object, ...] | None]] = {
    "name": lambda status: (status.company.name.lower(),),
    "headcount": lambda status: (status.headcount,),
    "next_step": lambda status: (step.due,) if (step := status.next_step) and step.due else None,
    "pay_date": lambda status: (status.next_period.pay_date if status.next_period else date.max,),
    "late_filings": lambda status: (len(status.late_filings) + len(status.changed_months),),
    "approvals": lambda status: (status.pending_requests + status.pending_approvals,),
}
"""What companies can be sorted by. The next step is sorted by the day on which it is due."""
FILTERS: dict[str, tuple[str, Callable[[CompanyStatus], bool]]] = {
    "attention": ("Needs attention", lambda status: status.needs_attention),
    "late_runs": ("Late pay runs", lambda status: bool(status.late or status.late_once_off_runs)),
    "unpaid": ("Not marked as paid", lambda status: bool(status.due_payments)),
    "released_pay": ("Released pay without a file", lambda status: bool(status.released_pay)),
    "unreleased": ("Not released", lambda status: bool(status.unreleased)),
    "unposted": ("Journal not posted", lambda status: bool(status.unposted)),
    "late_filings": ("Late or changed filings", lambda status: status.has_late_filings),
    "clearances": ("Tax clearance (IR21)", lambda status: bool(status.clearances)),
    "corrections": ("Corrections to finalise", lambda status: bool(status.corrections)),
    "differs": ("Pay differs", lambda status: bool(status.differing_runs)),
    "approvals": ("Waiting for approval", lambda status: bool(status.pending_requests or status.pending_approvals)),
    "passes": ("Work passes that end", lambda status: status.passes is not None),
    "details": ("Details missing", lambda status: bool(status.missing_details)),
    "earlier_wages": ("Earlier wages missing", lambda status: status.missing_wages is not None),
    "numbers": ("UEN or CPF number to check", lambda status: bool(status.number_notes)),
    "not_set_up": ("Not set up", lambda status: not status.has_employees),
}
"""What the list can be limited to: the label, and which companies it shows."""


async def load_statuses(
    tenant: Tenant, companies: Sequence[ClientMembership], *, compare: bool = True
) -> list[CompanyStatus]:
    """Load the status of companies, in the same order. The tenancy must be that of all companies of the user.

    Without `compare`, nothing is compared: the months that changed, runs that differ and notes on numbers are empty.
    """
    ids = [company.id for company in companies]
    async with tenant.read_only() as tx:
        headcounts = await load_headcounts(tx, ids)
        unpaid = await load_unpaid(tx, ids)
        unreleased = await load_unreleased_runs(tx, ids)
        due_payments = await load_due_payments(tx, ids, clock.today())
        released_pay = await load_released_pay(tx, ids)
        unposted = await load_unposted_journals(tx, ids, clock.today())
        special_runs = await load_open_special_runs(tx, ids)
        recent = await load_recent_months(tx, ids)
        missing = await find_missing_details(tx, ids)
        clearances = await load_leaver_clearances(tx, ids)
        late_filings = await load_late_filings(tx, ids, recent, unpaid, clearances, missing)
        changed_months = await load_changed_months(tx, recent) if compare else {}
        passes = await load_ending_passes(tx, ids)
        requests = await count_pending(tx, ids)
        pending_approvals = await approvals.count_pending(tx, ids)
        missing_wages = await load_missing_wages(tx, await load_pay_calendars_of_clients(tx, ids))
        with_employees = await find_clients_with_employees(tx, ids)
    differing_runs = await load_differing_runs(tenant, companies) if compare else {}
    number_notes = await load_number_notes(tenant, ids) if compare else {}
    return [
        CompanyStatus(
            company,
            headcounts.get(company.id, 0),
            unpaid.get(company.id, []),
            unreleased.get(company.id, []),
            unposted.get(company.id, []),
            due_payments.get(company.id, []),
            released_pay.get(company.id, []),
            special_runs.get(company.id, []),
            late_filings.get(company.id, []),
            clearances.get(company.id, NO_CLEARANCES).reminders,
            changed_months.get(company.id, []),
            differing_runs.get(company.id, []),
            number_notes.get(company.id, []),
            missing.get(company.id, []),
            missing_wages.get(company.id),
            passes.get(company.id),
            requests.get(company.id, 0),
            decidable_requests(company, pending_approvals),
            pending_approvals.get(company.id, NO_REQUESTS).own_requests,
            company.id in with_employees,
        )
        for company in companies
    ]
