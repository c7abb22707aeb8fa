"""The dashboard of a company: costs, the next pay runs and what needs attention."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from gaji.approvals.service import count_pending
from gaji.company.clients.number_notes import load_number_notes
from gaji.company.waves.queries import PayCalendar, load_pay_calendars
from gaji.console.chart import build_chart
from gaji.console.company_list import NO_REQUESTS, decidable_requests
from gaji.console.differing_runs import load_differing_runs
from gaji.console.glossary import company_label
from gaji.console.late_filings import UnpaidPeriod, late_text, load_late_filings, load_unpaid
from gaji.console.leaver_clearances import NO_CLEARANCES, load_leaver_clearances
from gaji.console.missing_details import find_missing_details
from gaji.console.missing_wages import load_missing_wages
from gaji.console.next_company import find_next_company
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.core import clock
from gaji.documents.filings.changed_months import load_changed_months
from gaji.documents.filings.overdue import load_recent_months
from gaji.documents.filings.payable import PayableMonth, month_due
from gaji.documents.payment_files.released_payments import load_released_pay
from gaji.law.months import Month
from gaji.leave import team_calendar
from gaji.payroll.accounting.unposted_journals import load_unposted_journals
from gaji.payroll.payment_runs import overview as runs
from gaji.payroll.payment_runs.overview import RunSummary
from gaji.payroll.payment_runs.queries import find_wages_due, is_payment_late
from gaji.payroll.payslips.summaries import CostSummary, NextPeriod
from gaji.people.employees import directory
from gaji.people.employees.cpf_rate_changes import list_cpf_rate_changes
from gaji.web.responses import HttpResponse

router = PageRouter()

MONTHS = 12
MONTHS_DUE = 3
"""How many months, up to this one, can be the month whose contributions are shown."""
VISIBLE_RATE_CHANGES = 5
"""How many employees whose CPF rates change are listed. Others are listed when the user asks for them."""
MAX_RATE_CHANGES = 200
"""In January they can change for nearly everyone."""
MAX_EXPIRING_PASSES = 5
VISIBLE_FILINGS = 5
"""How many late filings, and reminders of tax clearance, are listed. Others are listed when the user asks for them."""
MAX_LISTED_RUNS = 3
"""How many runs with an unfinished step are listed for each step, oldest first. The list of pay runs has all."""


@dataclass(frozen=True)
class ScheduleStatus:
    """A pay schedule, and how far its current period is paid."""

    wave_id: int
    label: str
    state: str
    """`processed`, `partly`, `pending`, or `empty` if it has never had a payslip."""
    end: date
    pay_date: date
    payslips: int
    run: RunSummary | None
    """The open run of the period, or the latest run if everything is paid."""
    is_late: bool = False
    """Whether payslips are not finalised, and their pay date has passed."""
    late_text: str = ""
    """How many pay dates have passed, and their months, if there are several."""


@dataclass(frozen=True)
class ContributionsDue:
    """What is due to the CPF Board and the Ministry of Manpower for a month."""

    payable: PayableMonth
    overdue: bool
    complete: bool
    """Whether every period of the month is paid."""


@router.get("/companies/{client_id}")
async def dashboard(request: PageRequest) -> HttpResponse:
    """Show the dashboard."""
    company = await request.company(request.ids["client_id"])
    today = clock.today()
    months = _last_months(today)
    next_month = Month.from_date(today) + 1
    async with request.tenant.read_only() as tx:
        calendars = await load_pay_calendars(tx, company.id)
        listed = await runs.list_runs(tx, company.id)
        unpaid_periods = await load_unpaid(tx, [company.id])
        unpaid_items = unpaid_periods.get(company.id, [])
        next_periods = _first_periods(unpaid_items)
        costs = await runs.load_costs_by_month(tx, company.id, listed, months[0])
        recent = await load_recent_months(tx, [company.id])
        headcount = await directory.load_headcount(tx, company.id)
        expiring_passes, pass_count = await directory.list_expiring_passes(tx, company.id, MAX_EXPIRING_PASSES)
        rate_changes = await list_cpf_rate_changes(tx, company.id, next_month)
        service_changes = await directory.list_service_changes(tx, company.id, today, next_month.last_day)
        missing = await find_missing_details(tx, [company.id])
        clearances = await load_leaver_clearances(tx, [company.id])
        late_filings = await load_late_filings(tx, [company.id], recent, unpaid_periods, clearances, missing)
        changed_months = await load_changed_months(tx, recent)
        unposted_ids = {run.id for run in (await load_unposted_journals(tx, [company.id], today)).get(company.id, [])}
        released_pay = (await load_released_pay(tx, [company.id])).get(company.id, [])
        pending_approvals = await count_pending(tx, [company.id])
        pending_requests = (await team_calendar.count_pending(tx, [company.id])).get(company.id, 0)
        missing_wages = await load_missing_wages(tx, {company.id: calendars})
        payable = [item for item in recent.get(company.id, []) if item.month >= next_month - MONTHS_DUE]
    differing_runs = await load_differing_runs(request.tenant, [company])
    number_notes = await load_number_notes(request.tenant_of_all_companies, [company.id])
    filings = late_filings.get(company.id, [])
    reminders = clearances.get(company.id, NO_CLEARANCES).reminders
    late_payments = _late_payments(listed, today)
    special_runs = [run for run in listed[::-1] if _is_special_waiting(run, today)]
    unreleased_runs = [run for run in listed[::-1] if run.finalised and not run.released]
    unposted_runs = [run for run in listed[::-1] if run.id in unposted_ids]
    schedules = [
        _schedule_status(
            today, wave_id, calendar, listed, [item for item in unpaid_items if item.period.wave_id == wave_id]
        )
        for wave_id, calendar in calendars.items()
    ]
    unpaid = [calendars[wave_id].schedule.start(period.offset) for wave_id, period in next_periods.items()]
    attention: dict[str, Any] = {
        "late_schedules": [schedule for schedule in schedules if schedule.is_late],
        "late_filings": filings[:VISIBLE_FILINGS],
        "clearances": reminders[:VISIBLE_FILINGS],
        "changed_months": changed_months.get(company.id, []),
        "blocked_periods": [period for period in next_periods.values() if period.attention],
        "pending_requests": pending_requests,
        "pending_approvals": decidable_requests(company, pending_approvals),
        "unpaid_runs": differing_runs.get(company.id, []),
        "special_runs": special_runs[:MAX_LISTED_RUNS],
        "late_payments": late_payments[:MAX_LISTED_RUNS],
        "released_pay": [(pay, run) for pay in released_pay for run in listed if run.id == pay.run_id],
        "unreleased_runs": unreleased_runs[:MAX_LISTED_RUNS],
        "unposted_runs": unposted_runs[:MAX_LISTED_RUNS],
        "number_notes": [(note, company_label(note.path)) for note in number_notes.get(company.id, [])],
        "missing_wages": missing_wages.get(company.id),
        "expiring_passes": expiring_passes,
    }
    needs_attention = any(attention.values())
    has_runs = any(run.finalised for run in listed)
    is_finished = company.can_write and has_runs and not needs_attention
    due = _contributions_due(today, payable, unpaid)
    return request.render(
        "dashboard.html",
        company=company,
        own_approvals=pending_approvals.get(company.id, NO_REQUESTS).own_requests,
        here="Dashboard",
        next_company=await find_next_company(request, company, is_finished=is_finished),
        schedules=schedules,
        has_runs=has_runs,
        headcount=headcount,
        more_filings=filings[VISIBLE_FILINGS:],
        more_clearances=reminders[VISIBLE_FILINGS:],
        more_late_payments=len(late_payments[MAX_LISTED_RUNS:]),
        more_special_runs=len(special_runs[MAX_LISTED_RUNS:]),
        more_unreleased=len(unreleased_runs[MAX_LISTED_RUNS:]),
        more_unposted=len(unposted_runs[MAX_LISTED_RUNS:]),
        more_passes=pass_count - len(expiring_passes),
        rate_changes=rate_changes[:VISIBLE_RATE_CHANGES],
        more_rate_changes=rate_changes[VISIBLE_RATE_CHANGES:MAX_RATE_CHANGES],
        more_rate_changes_count=len(rate_changes) - VISIBLE_RATE_CHANGES,
        service_changes=service_changes,
        next_month=next_month.first_day,
        **attention,
        needs_attention=needs_attention,
        labels={wave_id: calendar.schedule.label for wave_id, calendar in calendars.items()},
        due=due,
        levy=_levy_month(today, payable) or (due and due.payable),
        chart=build_chart({month: _chart_parts(costs.get(month, CostSummary())) for month in months}),
    )


def _first_periods(unpaid: Sequence[UnpaidPeriod]) -> dict[int, NextPeriod]:
    """Return the first unpaid period of each wave, ordered by wave."""
    first: dict[int, NextPeriod] = {}
    for period in sorted((item.period for item in unpaid), key=lambda period: (period.wave_id, period.offset)):
        first.setdefault(period.wave_id, period)
    return first


def _late_payments(runs: Sequence[RunSummary], today: date) -> list[tuple[RunSummary, date]]:
    """Return the finalised runs that are not marked as paid in time, and when their wages were due, oldest first."""
    unpaid = [
        (run, find_wages_due(run.payment_date, run.corrected_end), run.finalised_at)
        for run in runs
        if run.finalised_at and not run.paid_at and run.total
    ]
    late = [(run, due) for run, due, finalised_at in unpaid if is_payment_late(due, finalised_at, today)]
    return sorted(late, key=lambda payment: (payment[1], payment[0].id))


def _is_special_waiting(run: RunSummary, today: date) -> bool:
    """Whether a correction, or a once-off run whose pay date has passed, is not finalised."""
    return run.special and not run.finalised and (run.corrects is not None or run.payment_date < today)


def _schedule_status(
    today: date, wave_id: int, calendar: PayCalendar, runs: Sequence[RunSummary], unpaid: Sequence[UnpaidPeriod]
) -> ScheduleStatus:
    """Processed: nothing up to today is unpaid. Partly: a run is open. Pending: otherwise."""
    next_period = min((item.period for item in unpaid), key=lambda period: period.offset, default=None)
    label = calendar.schedule.label
    regular = [run for run in runs if run.wave_id == wave_id and not run.special]
    open_run = next((run for run in reversed(regular) if not run.finalised), None)
    last = next((run for run in regular if run.finalised), None)
    if next_period is None:
        end = last.period_end_date if last else calendar.schedule.end(calendar.first_offset)
        period = calendar.period(calendar.schedule.offset(end))
        return ScheduleStatus(wave_id, label, "processed" if last else "empty", end, period.pay_date, 0, last)
    state = "partly" if open_run else "pending"
    is_late = next_period.payslips > 0 and next_period.pay_date < today
    if open_run is None and not is_late and calendar.schedule.start(next_period.offset) > today:
        state = "processed"
    return ScheduleStatus(
        wave_id,
        label,
        state,
        next_period.end,
        next_period.pay_date,
        next_period.payslips,
        open_run,
        is_late,
        late_text([item for item in unpaid if item.period.pay_date < today]) if is_late else "",
    )


def _contributions_due(today: date, months: Sequence[PayableMonth], unpaid: Sequence[date]) -> ContributionsDue | None:
    """Return the contributions that are due next. `unpaid` has the first days of periods that are not paid."""
    payable = month_due(months, today)
    if payable is None:
        return None
    complete = all(start > payable.month.last_day for start in unpaid)
    return ContributionsDue(payable, today > payable.due_date, complete)


def _levy_month(today: date, months: Sequence[PayableMonth]) -> PayableMonth | None:
    """Return last month if it has a levy, also after its due date: payments of the levy are not recorded."""
    last_month = Month.from_date(today) - 1
    return next((payable for payable in months if payable.month == last_month and payable.amounts.levy), None)


def _last_months(today: date) -> list[date]:
    """Return the first days of the last twelve months, ending with the current month."""
    current = today.year * 12 + today.month - 1
    return [date(number // 12, number % 12 + 1, 1) for number in range(current - MONTHS + 1, current + 1)]


def _chart_parts(costs: CostSummary) -> tuple[int, int, int]:
    return costs.nett_pay, costs.cpf, costs.levies_and_funds
