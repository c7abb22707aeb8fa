"""CPF files that are due or overdue, of many clients."""

from collections.abc import Mapping, Sequence
from datetime import date

from gaji.core import clock
from gaji.db.tenancy import Transaction
from gaji.documents.filings import repository
from gaji.documents.filings.payable import PayableMonth, load_payable_months
from gaji.law.months import Month

MAX_MONTHS = 12
"""How many months before this one are checked."""


async def load_recent_months(tx: Transaction, client_ids: Sequence[int]) -> dict[int, list[PayableMonth]]:
    """Load the months of each client with contributions that are checked, oldest first."""
    return await load_payable_months(tx, client_ids, Month.from_date(clock.today()) - MAX_MONTHS)


async def load_submitted_months(tx: Transaction, client_ids: Sequence[int], first: Month) -> set[tuple[int, Month]]:
    """Return the clients and months, from the first one on, of which a CPF file was downloaded."""
    times = await repository.load_submission_times(tx, client_ids, first.first_day)
    return {(client_id, Month.from_date(day)) for client_id, day in times}


def overdue_months(recent: Mapping[int, Sequence[PayableMonth]]) -> dict[int, list[Month]]:
    """Return the recent months of each client that are past their due date without a CPF file, oldest first."""
    today = clock.today()
    return _months_due(unsubmitted_months(recent, Month.from_date(today)), today)


async def load_months_due(tx: Transaction, client_ids: Sequence[int], before: date) -> dict[int, list[Month]]:
    """Return the months of each client without a CPF file whose due date is before a day, oldest first.

    Only months with payments to the CPF Board in finalised payslips count. Clients without such months are left out.
    """
    return _months_due(
        unsubmitted_months(await load_recent_months(tx, client_ids), Month.from_date(clock.today())), before
    )


def _months_due(unsubmitted: Mapping[int, Sequence[PayableMonth]], before: date) -> dict[int, list[Month]]:
    due = {
        client_id: [item.month for item in months if item.due_date < before]
        for client_id, months in unsubmitted.items()
    }
    return {client_id: months for client_id, months in due.items() if months}


def unsubmitted_months(recent: Mapping[int, Sequence[PayableMonth]], last: Month) -> dict[int, list[PayableMonth]]:
    """Return the recent months of each client up to a month without a CPF file, oldest first."""
    return {
        client_id: [item for item in months if item.has_cpf_file and not item.submitted_at and item.month <= last]
        for client_id, months in recent.items()
    }
