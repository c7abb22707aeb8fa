"""Certificates of a year and forms IR21 of leavers that are due or late, of many clients."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from gaji.core import clock
from gaji.core.law_loader import current_law
from gaji.db.tenancy import Transaction
from gaji.documents.tax_certificates import repository
from gaji.law.tax import clearance_filing_due, yearly_submission_due
from gaji.payroll.payment_runs.queries import find_clients_with_pay
from gaji.payroll.withheld_payments.queries import load_withheld_states
from gaji.people.employees.directory import list_ir21_leavers
from gaji.people.employees.display_name import EmployeeLabel

MAX_AGE = timedelta(days=365)
"""How long after the last day of service a form IR21 is listed."""


@dataclass(frozen=True)
class DueCertificates:
    """A year whose certificates are not released."""

    year: int
    due_date: date


@dataclass(frozen=True)
class PendingClearance:
    """A leaver whose tax is not cleared, as far as the payroll shows."""

    employee_id: int
    employee: EmployeeLabel
    due_date: date
    filed_on: date | None
    """The day on which form IR21 was sent, if it is recorded."""

    def is_due(self, last: date) -> bool:
        """Return whether the form is late, or due up to a day."""
        return self.filed_on is None and self.due_date <= last


async def load_late_certificates(tx: Transaction, client_ids: Sequence[int]) -> dict[int, DueCertificates]:
    """Return the last year whose certificates are past their due date, by client. Clients that are done are left out.

    Only clients with pay to be reported in finalised pay runs of the year count.
    """
    late = _last_due_year()
    return dict.fromkeys(await _find_clients_with_work(tx, client_ids, late), late)


async def load_certificates_due(tx: Transaction, client_id: int, last: date) -> list[DueCertificates]:
    """Return the years of a client whose certificates are late, or due up to a day, oldest first.

    Of the years that are past their due date, only the last one is checked.
    """
    late = _last_due_year()
    later = [_due_certificates(year) for year in range(late.year + 1, clock.today().year + 1)]
    years = [due for due in (late, *later) if due.due_date <= last]
    return [due for due in years if await _find_clients_with_work(tx, [client_id], due)]


async def load_clearances_due(
    tx: Transaction, client_ids: Sequence[int], last: date
) -> dict[int, list[PendingClearance]]:
    """Return the leavers whose form IR21 is late, or due up to a day, by client, first due first.

    A form is no longer due when the day on which it was sent is recorded, or the tax of the leaver is cleared.
    """
    due: dict[int, list[PendingClearance]] = {}
    for client_id, pending in (await load_pending_clearances(tx, client_ids)).items():
        if unsent := [item for item in pending if item.is_due(last)]:
            due[client_id] = unsent
    return due


async def load_pending_clearances(tx: Transaction, client_ids: Sequence[int]) -> dict[int, list[PendingClearance]]:
    """Return the leavers whose tax is not cleared, by client, those whose form IR21 is due first before others.

    Payments that are withheld are released when tax is cleared, so the clearance is pending while some are withheld, or
    while days of service are still to be paid.
    """
    today = clock.today()
    leavers = await list_ir21_leavers(tx, client_ids, today - MAX_AGE)
    if not leavers:
        return {}
    withheld = await load_withheld_states(tx, [leaver.employee_id for leaver in leavers])
    listed: dict[int, list[PendingClearance]] = {}
    for leaver in leavers:
        if withheld.get(leaver.employee_id, leaver.last_day >= today):
            due_date = clearance_due(leaver.notice_date, leaver.last_day)
            clearance = PendingClearance(leaver.employee_id, leaver.employee, due_date, leaver.filed_on)
            listed.setdefault(leaver.client_id, []).append(clearance)
    return {client_id: sorted(items, key=lambda item: item.due_date) for client_id, items in listed.items()}


async def _find_clients_with_work(tx: Transaction, client_ids: Sequence[int], due: DueCertificates) -> set[int]:
    """Return the clients with pay to be reported in a year, and without released certificates of it."""
    first, last = date(due.year, 1, 1), date(due.year, 12, 31)
    paying = await find_clients_with_pay(tx, client_ids, first, last, cleared_before=due.due_date)
    return paying - await repository.find_released_clients(tx, client_ids, due.year)


def _last_due_year() -> DueCertificates:
    """Return the last year whose certificates are past their due date."""
    today = clock.today()
    certificates = (_due_certificates(year) for year in (today.year - 1, today.year - 2))
    return next(due for due in certificates if due.due_date < today)


def _due_certificates(year: int) -> DueCertificates:
    return DueCertificates(year, yearly_submission_due(current_law().tax, year))


def clearance_due(notice_date: date | None, last_day: date) -> date:
    """Return the due date of form IR21, which is the last day of service if it is not known when notice was given."""
    if notice_date is None:
        return last_day
    return clearance_filing_due(current_law().tax, notice_date, last_day)
