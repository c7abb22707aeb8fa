"""Months whose contributions changed after their CPF file was downloaded, of many clients."""

from collections.abc import Mapping, Sequence

from gaji.db.tenancy import Transaction
from gaji.documents.filings.payable import PayableMonth
from gaji.documents.filings.service import is_complete
from gaji.law.months import Month
from gaji.payroll.payment_runs.correction_runs import is_month_checked
from gaji.payroll.payment_runs.queries import load_last_finalised

MAX_COMPARED_MONTHS = 20
"""How many months of all clients are compared at a time."""


async def load_changed_months(tx: Transaction, recent: Mapping[int, Sequence[PayableMonth]]) -> dict[int, list[Month]]:
    """Return the months of each client that a run finalised after their CPF file changed, oldest first.

    `recent` has the months that `load_recent_months` returns. The contributions of large months are not compared, and
    neither are those after the first `MAX_COMPARED_MONTHS`; they count as changed. Clients without such months are left
    out.
    """
    submitted = {
        (client_id, item.month.first_day): item.submitted_at
        for client_id, months in recent.items()
        for item in months
        if item.submitted_at
    }
    if not submitted:
        return {}
    client_ids, first = sorted({client_id for client_id, _ in submitted}), min(day for _, day in submitted)
    finalised = await load_last_finalised(tx, client_ids, first)
    changed: dict[int, list[Month]] = {}
    keys = sorted(key for key, time in submitted.items() if key in finalised and finalised[key] > time)
    for index, (client_id, first_day) in enumerate(keys):
        month = Month.from_date(first_day)
        if index >= MAX_COMPARED_MONTHS or await _is_changed(tx, client_id, month):
            changed.setdefault(client_id, []).append(month)
    return changed


async def _is_changed(tx: Transaction, client_id: int, month: Month) -> bool:
    is_compared = await is_month_checked(tx, client_id, month)
    return not (is_compared and await is_complete(tx, client_id, month))
