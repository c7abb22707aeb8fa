"""CPF files that are overdue, of many clients."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date

from gaji.core import clock
from gaji.db.tenancy import Transaction
from gaji.documents.filings import repository
from gaji.documents.filings.service import cpf_due_date
from gaji.law.months import Month

MAX_MONTHS = 12
"""How many months are checked."""


async def load_overdue_months(tx: Transaction, client_ids: Sequence[int]) -> dict[int, list[Month]]:
    """Return the months of each client that are past their due date without a CPF file, oldest first.

    Only months with CPF or SDL in finalised payslips count. Clients without such months are left out.
    """
    overdue = _overdue_months(clock.today())
    rows = await repository.load_months_without_submission(tx, client_ids, [month.first_day for month in overdue])
    months: dict[int, list[Month]] = defaultdict(list)
    for row in rows:
        months[row["client_id"]].append(Month.from_date(row["month"]))
    return dict(months)


def _overdue_months(today: date) -> list[Month]:
    current = Month.from_date(today)
    return [month for month in (current - age for age in range(1, MAX_MONTHS + 1)) if cpf_due_date(month) < today]
