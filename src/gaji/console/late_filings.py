"""Filings of companies that are late: CPF files, certificates of a year (IR8A) and forms IR21 of leavers."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from gaji.console.company_numbers import SUBMISSION_NUMBER
from gaji.console.formats import format_month
from gaji.console.late_periods import MAX_LATER_PERIODS, late_periods_text, load_later_late_periods
from gaji.console.leaver_clearances import LeaverClearances
from gaji.core import clock
from gaji.db.tenancy import Transaction
from gaji.documents.filings.overdue import load_submitted_months, overdue_months
from gaji.documents.filings.payable import PayableMonth
from gaji.documents.filings.service import cpf_due_date
from gaji.documents.tax_certificates.overdue import load_late_certificates
from gaji.law.months import Month
from gaji.payroll.payment_runs.queries import load_open_runs_of_clients
from gaji.payroll.payslips.summaries import NextPeriod, load_unpaid_periods

NUMBER_MISSING = "The CPF submission number is missing"


@dataclass(frozen=True)
class LateFiling:
    """A filing that is late, and the page to do it on."""

    name: str
    """Short, for lists of companies."""
    title: str
    reason: str
    """What shows that it is not done. The due date follows."""
    due_date: date
    path: str
    month: Month | None = None
    """The month of a CPF file."""
    problem: str = ""
    """Why it cannot be done yet."""


@dataclass(frozen=True)
class UnpaidPeriod:
    """An unpaid period, and its run if one is open."""

    period: NextPeriod
    run_id: int | None
    later_late_ends: Sequence[date] = ()
    """The last days of later periods whose pay date has passed too."""

    @property
    def ends(self) -> list[date]:
        """The last days of the period and of the later ones."""
        return [self.period.end, *self.later_late_ends]

    @property
    def is_limited(self) -> bool:
        """Whether there may be more late periods than are counted."""
        return len(self.later_late_ends) == MAX_LATER_PERIODS


async def load_unpaid(tx: Transaction, client_ids: Sequence[int]) -> dict[int, list[UnpaidPeriod]]:
    """Load the unpaid periods of each company by pay date. Companies without any are left out."""
    periods = await load_unpaid_periods(tx, client_ids)
    runs = await load_open_runs_of_clients(tx, client_ids)
    later = await load_later_late_periods(tx, periods)
    unpaid: dict[int, list[UnpaidPeriod]] = {}
    for client_id, items in periods.items():
        keys = [(item.wave_id, item.offset) for item in items]
        unpaid[client_id] = [
            UnpaidPeriod(item, runs.get(key), later.get(key, ())) for item, key in zip(items, keys, strict=True)
        ]
    return unpaid


def late_text(unpaid: Sequence[UnpaidPeriod]) -> str:
    """Return how many pay dates have passed, and their months, if there are several. `unpaid` has late periods."""
    ends = {(item.period.wave_id, end) for item in unpaid for end in item.ends}
    return late_periods_text(sorted(end for _, end in ends), is_limited=any(item.is_limited for item in unpaid))


def run_path(client_id: int, item: UnpaidPeriod) -> str:
    """Return the page of the pay run of a period, or the page that opens it."""
    return f"/payment_runs/{item.run_id}" if item.run_id else f"/companies/{client_id}/payment_runs"


async def load_late_filings(
    tx: Transaction,
    client_ids: Sequence[int],
    recent: Mapping[int, Sequence[PayableMonth]],
    unpaid: Mapping[int, Sequence[UnpaidPeriod]],
    clearances: Mapping[int, LeaverClearances],
    missing: Mapping[int, Collection[str]],
) -> dict[int, list[LateFiling]]:
    """Load the late filings of each company, the many months of CPF files last. Companies without any are left out.

    `recent` has the months that `load_recent_months` returns. CPF files are also late if a pay run of the month is not
    finalised and no file of the month was downloaded. `missing` has the details that companies lack for files.
    """
    late: dict[int, list[LateFiling]] = {}
    for client_id, certificates in (await load_late_certificates(tx, client_ids)).items():
        name, path = f"IR8A {certificates.year}", f"/companies/{client_id}/tax_certificates/check"
        late.setdefault(client_id, []).append(
            LateFiling(
                name,
                f"IR8A for {certificates.year}",
                "certificates were not released by",
                certificates.due_date,
                f"{path}?year={certificates.year}",
            )
        )
    for client_id, leavers in clearances.items():
        for clearance in leavers.late:
            title = f"IR21 of {clearance.employee.name}"
            path = f"/employees/{clearance.employee_id}#clearance"
            filing = LateFiling(title, title, "the form is not recorded as sent; due by", clearance.due_date, path)
            late.setdefault(client_id, []).append(filing)
    for client_id, months in overdue_months(recent).items():
        path = f"/companies/{client_id}/filings"
        problem = NUMBER_MISSING if SUBMISSION_NUMBER in missing.get(client_id, ()) else ""
        for month in months:
            name, due_date = f"CPF {format_month(str(month))}", cpf_due_date(month)
            title, reason = f"CPF file of {format_month(str(month))}", "no file was downloaded by"
            late.setdefault(client_id, []).append(
                LateFiling(name, title, reason, due_date, f"{path}?month={month}", month, problem),
            )
    listed = {client_id: {filing.month for filing in filings if filing.month} for client_id, filings in late.items()}
    for client_id, blocked in (await load_blocked_filings(tx, unpaid, listed, _is_overdue)).items():
        late.setdefault(client_id, []).extend(blocked)
    return late


async def load_blocked_filings(
    tx: Transaction,
    unpaid: Mapping[int, Sequence[UnpaidPeriod]],
    listed: Mapping[int, Collection[Month]],
    includes: Callable[[Month], bool],
) -> dict[int, list[LateFiling]]:
    """Load the CPF files of each company that wait for a pay run of the month, oldest first.

    Months that are listed already or of which a file was downloaded are left out. `includes` limits the months.
    """
    blocked = _blocked_months(unpaid, includes)
    first = min((month for months in blocked.values() for month in months), default=None)
    submitted = await load_submitted_months(tx, list(blocked), first) if first else set()
    filings: dict[int, list[LateFiling]] = {}
    for client_id, months_blocked in blocked.items():
        waiting = {
            month: item
            for month, item in months_blocked.items()
            if month not in listed.get(client_id, ()) and (client_id, month) not in submitted
        }
        if waiting:
            filings[client_id] = _blocked_filings(client_id, waiting)
    return filings


def _is_overdue(month: Month) -> bool:
    return cpf_due_date(month) < clock.today()


def _blocked_months(
    unpaid: Mapping[int, Sequence[UnpaidPeriod]], includes: Callable[[Month], bool]
) -> dict[int, dict[Month, UnpaidPeriod]]:
    """Return the months of each company in which unpaid periods end, with the first of these periods."""
    months = {
        client_id: {Month.from_date(end): item for item in reversed(items) for end in item.ends}
        for client_id, items in unpaid.items()
    }
    due = {
        client_id: {month: item for month, item in by_month.items() if includes(month)}
        for client_id, by_month in months.items()
    }
    return {client_id: by_month for client_id, by_month in due.items() if by_month}


def _blocked_filings(client_id: int, months: Mapping[Month, UnpaidPeriod]) -> list[LateFiling]:
    """Return the CPF files of months with a pay run that is not finalised."""
    return [
        LateFiling(
            f"CPF {format_month(str(month))}",
            f"CPF file of {format_month(str(month))}",
            "the pay run is not finalised; due by",
            cpf_due_date(month),
            run_path(client_id, item),
            month,
        )
        for month, item in sorted(months.items(), key=lambda pair: pair[0].number)
    ]
