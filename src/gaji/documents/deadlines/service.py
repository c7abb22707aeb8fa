"""List what is due, from pay runs, drafts, leave requests, CPF files, withheld tax, certificates and leavers.

Levies and withheld tax are listed until they are due, because Gaji does not know whether they were paid.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from gaji.company.clients.service import require_client
from gaji.core import clock
from gaji.db.tenancy import Tenant, Transaction
from gaji.documents.deadlines.schemas import DeadlineType
from gaji.documents.file_result import json_amount
from gaji.documents.filings.changed_months import load_changed_months
from gaji.documents.filings.overdue import load_months_due, load_recent_months
from gaji.documents.filings.payable import PayableMonth, load_payable_months
from gaji.documents.filings.service import cpf_due_date
from gaji.documents.tax_certificates.overdue import load_certificates_due, load_clearances_due
from gaji.documents.withholding_tax.service import WithheldTax, list_withheld_taxes
from gaji.law.months import Month
from gaji.leave import team_calendar
from gaji.leave.team_calendar import UndecidedRequest
from gaji.payroll.payment_runs import overview as runs
from gaji.payroll.payment_runs.overview import RunSummary
from gaji.payroll.payment_runs.queries import FinalisedRunKey
from gaji.payroll.payslips import summaries
from gaji.payroll.payslips.statutory_totals import load_levy_runs
from gaji.payroll.payslips.summaries import NextPeriod

DEFAULT_DAYS = 31
"""How many days ahead deadlines are listed by default."""


@dataclass(frozen=True)
class Deadline:
    """Something that is due on a day. What does not belong to its type is None."""

    type: DeadlineType
    due_date: date
    amount_cents: int | None = None
    month: Month | None = None
    year: int | None = None
    wave_id: int | None = None
    period_end_date: date | None = None
    payment_run_id: int | None = None
    payslips: int | None = None
    attention: int | None = None
    leave_request_id: int | None = None
    employee_id: int | None = None
    payslip_id: int | None = None
    rules_versions: Collection[str] = ()
    """Those that the amount was calculated with. They are not part of the JSON."""

    def to_json(self, today: date) -> dict[str, Any]:
        """Return the deadline as the API returns it."""
        values = {name: value for name, value in vars(self).items() if name not in ("amount_cents", "rules_versions")}
        return {
            **values,
            "overdue": self.due_date < today,
            "amount": None if self.amount_cents is None else json_amount(self.amount_cents),
            "month": self.month and str(self.month),
        }


async def list_deadlines(
    tenant: Tenant, client_id: int, until: date | None = None
) -> tuple[list[dict[str, Any]], set[str]]:
    """List what is due up to a day, by due date, and the rules versions of the amounts. What is overdue is included."""
    today = clock.today()
    last = until or today + timedelta(days=DEFAULT_DAYS)
    async with tenant.read_only() as tx:
        await require_client(tx, client_id)
        deadlines = await _load_deadlines(tx, client_id, today)
        deadlines += await _load_tax_deadlines(tx, client_id, last)
    taxes = await list_withheld_taxes(tenant, client_id)
    deadlines += [_tax_deadline(tax) for tax in taxes if tax.due_date >= today]
    listed = sorted((item for item in deadlines if item.due_date <= last), key=lambda item: (item.due_date, item.type))
    versions = {version for deadline in listed for version in deadline.rules_versions}
    return [deadline.to_json(today) for deadline in listed], versions


async def _load_deadlines(tx: Transaction, client_id: int, today: date) -> list[Deadline]:
    this_month = Month.from_date(today)
    listed = await runs.list_runs(tx, client_id)
    months = await load_months_due(tx, [client_id], cpf_due_date(this_month) + timedelta(days=1))
    changed = await load_changed_months(tx, await load_recent_months(tx, [client_id]))
    changed_months = [item.month for item in changed.get(client_id, []) if item.has_new]
    first = this_month - 1
    payable = (await load_payable_months(tx, [client_id], first)).get(client_id, [])
    versions = await _load_levy_versions(tx, client_id, listed, first)
    cpf_months = [*months.get(client_id, []), *changed_months]
    return [
        *pay_run_deadlines(listed, (await summaries.load_next_periods(tx, client_id)).values()),
        *(_leave_deadline(request) for request in await team_calendar.list_undecided(tx, client_id)),
        *(Deadline(DeadlineType.CPF, cpf_due_date(month), month=month) for month in cpf_months),
        *(deadline for deadline in _levy_deadlines(payable, versions) if deadline.due_date >= today),
    ]


async def _load_levy_versions(
    tx: Transaction, client_id: int, listed: Iterable[RunSummary], first: Month
) -> dict[Month, set[str]]:
    """Load the rules versions of the runs with foreign worker levy, by the month that the levy is for."""
    runs = {run.id: run for run in listed if run.finalised and run.period_end_date >= first.first_day}
    keys = [FinalisedRunKey(client_id, run.id, run.finalised_at) for run in runs.values() if run.finalised_at]
    return {
        Month.from_date(day): {version for run_id in run_ids for version in runs[run_id].rules_versions or ()}
        for (_, day), run_ids in (await load_levy_runs(tx, keys)).items()
    }


async def _load_tax_deadlines(tx: Transaction, client_id: int, last: date) -> list[Deadline]:
    certificates = await load_certificates_due(tx, client_id, last)
    clearances = (await load_clearances_due(tx, [client_id], last)).get(client_id, [])
    return [
        *(Deadline(DeadlineType.IR8A, due.due_date, year=due.year) for due in certificates),
        *(Deadline(DeadlineType.IR21, due.due_date, employee_id=due.employee_id) for due in clearances),
    ]


def pay_run_deadlines(listed: Iterable[RunSummary], periods: Iterable[NextPeriod]) -> Iterator[Deadline]:
    """Yield the first unpaid period of each wave, and all other open runs."""
    unfinished = {run.id: run for run in listed if not run.finalised}
    regular = {(run.wave_id, run.period_offset): run for run in unfinished.values() if not run.special}
    for period in periods:
        run = regular.get((period.wave_id, period.offset))
        yield Deadline(
            DeadlineType.PAY_RUN,
            run.payment_date if run else period.pay_date,
            wave_id=period.wave_id,
            period_end_date=period.end,
            payment_run_id=unfinished.pop(run.id).id if run else None,
            payslips=period.payslips,
            attention=period.attention,
        )
    for run in unfinished.values():
        yield Deadline(
            DeadlineType.PAY_RUN,
            run.payment_date,
            wave_id=run.wave_id,
            period_end_date=run.period_end_date,
            payment_run_id=run.id,
        )


def _leave_deadline(request: UndecidedRequest) -> Deadline:
    return Deadline(
        DeadlineType.LEAVE_REQUEST,
        request.first_date,
        leave_request_id=request.id,
        employee_id=request.employee_id,
    )


def _levy_deadlines(
    months: Iterable[PayableMonth], rules_versions: Mapping[Month, Collection[str]]
) -> Iterator[Deadline]:
    for payable in months:
        if levy := payable.amounts.levy:
            yield Deadline(
                DeadlineType.FOREIGN_WORKER_LEVY,
                payable.levy_due_date,
                levy,
                payable.month,
                rules_versions=rules_versions.get(payable.month, ()),
            )


def _tax_deadline(tax: WithheldTax) -> Deadline:
    return Deadline(
        DeadlineType.WITHHOLDING_TAX,
        tax.due_date,
        tax.tax_cents,
        employee_id=tax.employee_id,
        payslip_id=tax.payslip_id,
        rules_versions=[tax.rules_version] if tax.rules_version else [],
    )
