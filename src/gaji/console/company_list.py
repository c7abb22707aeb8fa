"""The companies of a user with what is due and late in each of them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from gaji.approvals import service as approvals
from gaji.company.clients.service import ClientMembership
from gaji.console.formats import format_count, format_day, format_month
from gaji.console.late_filings import LateFiling, load_late_filings
from gaji.core import clock
from gaji.db.tenancy import Tenant
from gaji.documents.filings.overdue import load_recent_months
from gaji.documents.filings.service import cpf_due_date
from gaji.law.months import Month
from gaji.leave.team_calendar import count_pending
from gaji.payroll.payment_runs.queries import load_late_payments, load_open_runs_of_clients, load_unreleased_runs
from gaji.payroll.payslips.summaries import NextPeriod, load_unpaid_periods
from gaji.people.employees.directory import find_clients_with_employees, load_headcounts


@dataclass(frozen=True)
class UnpaidPeriod:
    """An unpaid period, and its run if one is open."""

    period: NextPeriod
    run_id: int | None


@dataclass(frozen=True)
class WaitingTask:
    """What waits in a company, and the page to do it on."""

    text: str
    path: str


@dataclass(frozen=True)
class CompanyStatus:
    """A company, and what is due and late in it."""

    company: ClientMembership
    headcount: int
    unpaid: Sequence[UnpaidPeriod]
    """By pay date."""
    unreleased: Sequence[tuple[int, date]]
    """The ID and the last day of each finalised run whose payslips employees cannot see yet."""
    late_payments: Sequence[tuple[int, date]]
    """The ID and the payment date of each finalised run that is not marked as paid in time."""
    late_filings: Sequence[LateFiling]
    pending_requests: int
    """Leave requests without a decision."""
    pending_approvals: int
    """Requests that await approval."""
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
    def listed(self) -> Sequence[UnpaidPeriod]:
        """The unpaid periods to show: those that are late, or the next one."""
        return self.late or self.unpaid[:1]

    @property
    def needs_attention(self) -> bool:
        """Whether anything is late, blocked, not released, not paid or waiting for a decision."""
        return next(self.waiting_tasks(), None) is not None

    def waiting_tasks(self) -> Iterator[WaitingTask]:
        """Yield what needs attention, the most urgent first."""
        for item in self.late:
            yield WaitingTask(f"pay run due on {format_day(item.period.pay_date)}", run_path(self.company.id, item))
        if not self.late and self.unpaid and self.unpaid[0].period.attention:
            text = format_count(self.unpaid[0].period.attention, "payslip needs attention", "payslips need attention")
            yield WaitingTask(text, run_path(self.company.id, self.unpaid[0]))
        for run_id, due in self.late_payments:
            yield WaitingTask(f"wages due {format_day(due)} are not marked as paid", f"/payment_runs/{run_id}/files")
        for run_id, end in self.unreleased:
            yield WaitingTask(f"payslips of {format_day(end)} are not released", f"/payment_runs/{run_id}")
        for filing in self.late_filings:
            yield WaitingTask(f"{filing.title} is late", filing.path)
        if task := leave_requests_task(self.company.id, self.pending_requests):
            yield task
        if task := approvals_task(self.company.id, self.pending_approvals):
            yield task


def leave_requests_task(client_id: int, number: int) -> WaitingTask | None:
    """Return that leave requests wait for a decision, or None if there are none."""
    return WaitingTask(format_count(number, "leave request"), f"/companies/{client_id}/leave") if number else None


def approvals_task(client_id: int, number: int) -> WaitingTask | None:
    """Return that requests await approval, or None if there are none."""
    text = format_count(number, "request awaits approval", "requests await approval")
    return WaitingTask(text, f"/companies/{client_id}/approvals") if number else None


def run_path(client_id: int, item: UnpaidPeriod) -> str:
    """Return the page of the pay run of a period, or the page that opens it."""
    return f"/payment_runs/{item.run_id}" if item.run_id else f"/companies/{client_id}/payment_runs"


SORT_KEYS: dict[str, Callable[[CompanyStatus], tuple[object, ...]]] = {
    "name": lambda status: (status.company.name.lower(),),
    "headcount": lambda status: (status.headcount,),
    "pay_date": lambda status: (status.next_period.pay_date if status.next_period else date.max,),
    "late_filings": lambda status: (len(status.late_filings),),
    "approvals": lambda status: (status.pending_requests + status.pending_approvals,),
}
"""What companies can be sorted by."""
FILTERS: dict[str, tuple[str, Callable[[CompanyStatus], bool]]] = {
    "attention": ("Needs attention", lambda status: status.needs_attention),
    "late_runs": ("Late pay runs", lambda status: bool(status.late)),
    "unpaid": ("Not marked as paid", lambda status: bool(status.late_payments)),
    "unreleased": ("Not released", lambda status: bool(status.unreleased)),
    "late_filings": ("Late filings", lambda status: bool(status.late_filings)),
    "approvals": ("Waiting for approval", lambda status: bool(status.pending_requests or status.pending_approvals)),
    "not_set_up": ("Not set up", lambda status: not status.has_employees),
}
"""What the list can be limited to: the label, and which companies it shows."""


async def load_statuses(tenant: Tenant, companies: Sequence[ClientMembership]) -> list[CompanyStatus]:
    """Load the status of companies, in the same order."""
    ids = [company.id for company in companies]
    async with tenant.read_only() as tx:
        headcounts = await load_headcounts(tx, ids)
        periods = await load_unpaid_periods(tx, ids)
        runs = await load_open_runs_of_clients(tx, ids)
        unreleased = await load_unreleased_runs(tx, ids)
        late_payments = await load_late_payments(tx, ids, clock.today())
        late_filings = await load_late_filings(tx, ids, await load_recent_months(tx, ids))
        requests = await count_pending(tx, ids)
        pending_approvals = await approvals.count_pending(tx, ids)
        with_employees = await find_clients_with_employees(tx, ids)
    unpaid = {
        client_id: [UnpaidPeriod(item, runs.get((item.wave_id, item.offset))) for item in items]
        for client_id, items in periods.items()
    }
    return [
        CompanyStatus(
            company,
            headcounts.get(company.id, 0),
            unpaid.get(company.id, []),
            unreleased.get(company.id, []),
            late_payments.get(company.id, []),
            _with_unpaid_months(company.id, late_filings.get(company.id, []), unpaid.get(company.id, [])),
            requests.get(company.id, 0),
            pending_approvals.get(company.id, 0),
            company.id in with_employees,
        )
        for company in companies
    ]


def _with_unpaid_months(
    client_id: int, late: Sequence[LateFiling], unpaid: Sequence[UnpaidPeriod]
) -> Sequence[LateFiling]:
    """Return the late filings with the CPF files that are late because a pay run of the month is not finalised."""
    titles = {filing.title for filing in late}
    months = {Month.from_date(item.period.end): item for item in reversed(unpaid)}
    blocked = [
        LateFiling(
            f"CPF {format_month(str(month))}, not finalised",
            f"CPF file of {format_month(str(month))}",
            "the pay run is not finalised; due by",
            cpf_due_date(month),
            run_path(client_id, item),
        )
        for month, item in sorted(months.items())
        if cpf_due_date(month) < clock.today()
    ]
    return [*late, *(filing for filing in blocked if filing.title not in titles)]
