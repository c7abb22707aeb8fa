"""CPF files that are due or overdue, of many clients."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date

from gaji.core import clock
from gaji.db.tenancy import Transaction
from gaji.documents.filings import repository
from gaji.documents.filings.service import cpf_due_date
from gaji.law.months import Month

MAX_MONTHS = 12
"""How many months before this one are checked."""


async def load_overdue_months(tx: Transaction, client_ids: Sequence[int]) -> dict[int, list[Month]]:
    """Return the months of each client that are past their due date without a CPF file, oldest first."""
    return await load_months_due(tx, client_ids, clock.today())


async def load_months_due(tx: Transaction, client_ids: Sequence[int], before: date) -> dict[int, list[Month]]:
    """Return the months of each client without a CPF file whose due date is before a day, oldest first.

    Only months with CPF or SDL in finalised payslips count. Clients without such months are left out.
    """
    current = Month.from_date(clock.today())
    recent = [current - age for age in range(MAX_MONTHS + 1)]
    due = [month.first_day for month in recent if cpf_due_date(month) < before]
    months: dict[int, list[Month]] = defaultdict(list)
    for row in await repository.load_months_without_submission(tx, client_ids, due):
        months[row["client_id"]].append(Month.from_date(row["month"]))
    return dict(months)
