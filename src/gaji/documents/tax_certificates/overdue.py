"""Certificates of a year and forms IR21 of leavers that are late, of many clients."""

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
from gaji.people.employees.directory import Ir21Leaver, list_ir21_leavers
from gaji.people.employees.display_name import EmployeeLabel

MAX_AGE = timedelta(days=365)
"""How long after the last day of service a form IR21 is listed."""


@dataclass(frozen=True)
class LateCertificates:
    """A year whose certificates were not released in time."""

    year: int
    due_date: date


@dataclass(frozen=True)
class LateClearance:
    """A leaver whose form IR21 is late, as far as the payroll shows."""

    employee_id: int
    employee: EmployeeLabel
    due_date: date


async def load_late_certificates(tx: Transaction, client_ids: Sequence[int]) -> dict[int, LateCertificates]:
    """Return the last year whose certificates are past their due date, by client. Clients that are done are left out.

    Only clients with pay to be reported in finalised pay runs of the year count.
    """
    late = _last_due_year()
    first, last = date(late.year, 1, 1), date(late.year, 12, 31)
    paying = await find_clients_with_pay(tx, client_ids, first, last, cleared_before=late.due_date)
    return dict.fromkeys(paying - await repository.find_released_clients(tx, client_ids, late.year), late)


async def load_late_clearances(tx: Transaction, client_ids: Sequence[int]) -> dict[int, list[LateClearance]]:
    """Return the leavers whose form IR21 is past its due date, by client, first due first.

    Gaji does not know whether the form was filed. Payments that are withheld for it are released when tax is cleared,
    so a form is listed while some are withheld, or while the leaver is in service and none was finalised.
    """
    today = clock.today()
    leavers = await list_ir21_leavers(tx, client_ids, today - MAX_AGE)
    withheld = await load_withheld_states(tx, [leaver.employee_id for leaver in leavers])
    late: dict[int, list[LateClearance]] = {}
    for leaver in leavers:
        due_date = _clearance_due(leaver)
        if due_date < today and withheld.get(leaver.employee_id, leaver.last_day >= today):
            clearance = LateClearance(leaver.employee_id, leaver.employee, due_date)
            late.setdefault(leaver.client_id, []).append(clearance)
    return {client_id: sorted(items, key=lambda item: item.due_date) for client_id, items in late.items()}


def _last_due_year() -> LateCertificates:
    """Return the last year whose certificates are past their due date."""
    today = clock.today()
    years = (today.year - 1, today.year - 2)
    due_dates = {year: yearly_submission_due(current_law().tax, year) for year in years}
    return next(LateCertificates(year, due) for year, due in due_dates.items() if due < today)


def _clearance_due(leaver: Ir21Leaver) -> date:
    """Return the due date of the form, which is the last day of service if it is not known when notice was given."""
    if leaver.notice_date is None:
        return leaver.last_day
    return clearance_filing_due(current_law().tax, leaver.notice_date, leaver.last_day)
