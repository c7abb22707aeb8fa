"""The dashboard of a company: what was paid, what is to be paid, and what needs attention."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from gaji.company.waves.queries import WaveFacts, waves
from gaji.console.chart import chart
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.core import clock
from gaji.leave import team_calendar
from gaji.payroll.payment_runs import overview as runs
from gaji.payroll.payment_runs.overview import Listed
from gaji.payroll.payslips import summaries as payslips
from gaji.payroll.payslips.summaries import NextPeriod, Sums
from gaji.people.employees import directory
from gaji.web.responses import HttpResponse

router = PageRouter()

MONTHS = 12
DUE_DAY = 14
"""Contributions for a month are due by the 14th of the next (Central Provident Fund Regulations)."""


@dataclass(frozen=True)
class Frequency:
    """A wave, and where its payment stands."""

    wave_id: int
    label: str
    state: str
    """processed, partly or pending."""
    end: date
    pay_date: date
    people: int
    run: Listed | None
    """The open run of the period, or when all is paid the last one."""


@dataclass(frozen=True)
class Due:
    """What is to be paid to the CPF Board for a month."""

    month: date
    by: date
    sums: Sums
    overdue: bool
    complete: bool
    """Whether no period of the month is still to be paid."""


@router.get("/companies/{client_id}")
async def dashboard(request: PageRequest) -> HttpResponse:
    """The dashboard."""
    company = await request.company(request.ids["client_id"])
    today = clock.today()
    months = _months_before(today)
    async with request.tenant.reading() as tx:
        known = await waves(tx, company.id)
        listed = await runs.list_runs(tx, company.id)
        following = await payslips.next_periods(tx, company.id)
        sums = await runs.sums_by_month(tx, company.id, listed, months[0])
        heads = await directory.heads(tx, company.id)
        passes = await directory.passes_ending(tx, company.id)
        asked = await team_calendar.count_pending(tx, company.id)
    frequencies = [_frequency(wave_id, wave, listed, following.get(wave_id)) for wave_id, wave in known.items()]
    amounts = {month: _parts(sums.get(month, Sums())) for month in months}
    return request.render(
        "dashboard.html",
        company=company,
        here="Dashboard",
        frequencies=frequencies,
        heads=heads,
        passes=passes,
        asked=asked,
        following=[one for one in following.values() if one.attention],
        waves={wave_id: wave.schedule.label for wave_id, wave in known.items()},
        late=[one for one in frequencies if one.people and one.pay_date < today],
        unreleased=[run for run in listed if run.finalised and not run.released][:3],
        due=_due(today, sums, following),
        chart=chart(amounts),
    )


def _frequency(wave_id: int, wave: WaveFacts, listed: Sequence[Listed], following: NextPeriod | None) -> Frequency:
    """A wave is processed when nothing up to today is to be paid, partly when a run is open, pending otherwise."""
    label = wave.schedule.label
    regular = [run for run in listed if run.wave_id == wave_id and not run.special]
    open_run = next((run for run in reversed(regular) if not run.finalised), None)
    last = next((run for run in regular if run.finalised), None)
    if following is None:
        end = last.period_end_date if last else wave.schedule.end(wave.first_offset)
        period = wave.period(wave.schedule.offset(end))
        return Frequency(wave_id, label, "processed" if last else "empty", end, period.pay_date, 0, last)
    state = "partly" if open_run else "pending"
    if open_run is None and wave.schedule.start(following.offset) > clock.today():
        state = "processed"
    return Frequency(wave_id, label, state, following.end, following.pay_date, following.payslips, open_run)


def _due(today: date, sums: Mapping[date, Sums], following: Mapping[int, NextPeriod]) -> Due | None:
    """What is due next: for last month up to the 14th, and for this month after that."""
    month = _month_before(today) if today.day <= DUE_DAY else today.replace(day=1)
    if month not in sums and _month_before(month) in sums:
        month = _month_before(month)
    if month not in sums:
        return None
    by = _month_after(month).replace(day=DUE_DAY)
    complete = all((one.end.year, one.end.month) > (month.year, month.month) for one in following.values())
    return Due(month, by, sums[month], today > by, complete)


def _months_before(today: date) -> list[date]:
    """The first days of the last twelve months, this one the last of them."""
    count = today.year * 12 + today.month - 1
    return [date(number // 12, number % 12 + 1, 1) for number in range(count - MONTHS + 1, count + 1)]


def _month_before(day: date) -> date:
    return date(day.year - 1, 12, 1) if day.month == 1 else date(day.year, day.month - 1, 1)


def _month_after(day: date) -> date:
    return date(day.year + 1, 1, 1) if day.month == 12 else date(day.year, day.month + 1, 1)


def _parts(sums: Sums) -> tuple[int, int, int]:
    return sums.nett_pay, sums.cpf, sums.levies_and_funds
