"""Months whose contributions changed after their CPF file was downloaded, of many clients."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from operator import attrgetter

from gaji.core import clock
from gaji.db.tenancy import Transaction
from gaji.documents.filings import repository
from gaji.documents.filings.payable import PayableMonth
from gaji.documents.filings.service import compare_month
from gaji.law.months import Month
from gaji.payroll.payment_runs.correction_runs import is_month_checked
from gaji.payroll.payment_runs.queries import MAX_DAYS_LATE, load_finalised_runs, load_last_finalised
from gaji.payroll.payslips.statutory_totals import load_contribution_times
from gaji.payroll.retro_proposals.queries import load_claim_times

MAX_COMPARED_MONTHS = 20
"""How many months of all clients are compared at a time."""


@dataclass(frozen=True)
class ChangedMonth:
    """A month whose contributions changed after its CPF file was downloaded."""

    month: Month
    has_new: bool
    """Whether there is anything to submit. If not, too much was submitted. Assumed if the month is not compared."""


async def load_changed_months(
    tx: Transaction, recent: Mapping[int, Sequence[PayableMonth]]
) -> dict[int, list[ChangedMonth]]:
    """Return the months of each client that a run finalised after their CPF file changed, oldest first.

    `recent` has the months that `load_recent_months` returns. The contributions of large months are not compared, and
    neither are those after the first `MAX_COMPARED_MONTHS`; they count as changed until a file is downloaded. Months of
    which too much was submitted are listed for `MAX_DAYS_LATE`, also after further downloads, because refunds are not
    recorded. Clients without such months are left out.
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
    finalised = await _load_finalised_times(tx, client_ids, first)
    first_downloads = await repository.load_first_downloads(tx, client_ids, first)
    keys = sorted(submitted.keys() & finalised.keys() & first_downloads.keys())
    outdated = [key for key in keys if finalised[key] > submitted[key]]
    downloaded_since = [key for key in keys if submitted[key] >= finalised[key] > first_downloads[key]]
    refundable = [key for key in downloaded_since if _is_recent(finalised[key])]
    changed: dict[int, list[ChangedMonth]] = {}
    for index, key in enumerate([*outdated, *refundable]):
        client_id, month = key[0], Month.from_date(key[1])
        changed_month = ChangedMonth(month, has_new=True) if index < len(outdated) else None
        if index < MAX_COMPARED_MONTHS and await is_month_checked(tx, client_id, month):
            changed_month = await _compare(tx, client_id, month)
        if changed_month and (changed_month.has_new or _is_recent(finalised[key])):
            changed.setdefault(client_id, []).append(changed_month)
    return {client_id: sorted(months, key=attrgetter("month")) for client_id, months in changed.items()}


def _is_recent(finalised_at: datetime) -> bool:
    """Return whether a refund because of a run may still have to be applied for."""
    return clock.date_of(finalised_at) >= clock.today() - MAX_DAYS_LATE


async def _load_finalised_times(
    tx: Transaction, client_ids: Sequence[int], first: date
) -> dict[tuple[int, date], datetime]:
    """Load when the last run with contributions for a month was finalised, by client and first day of the month.

    A run can have contributions for other months than that of its period's end: its period spans two months, or it pays
    what was missed. It also counts in the month of its period's end if it has none, because it may have had some before
    it was reopened.
    """
    times = await load_last_finalised(tx, client_ids, first)
    runs = await load_finalised_runs(tx, client_ids, first)
    for further in (await load_contribution_times(tx, runs), await load_claim_times(tx, client_ids, first)):
        for key, time in further.items():
            times[key] = max(time, times.get(key, time))
    return times


async def _compare(tx: Transaction, client_id: int, month: Month) -> ChangedMonth | None:
    comparison = await compare_month(tx, client_id, month)
    return ChangedMonth(month, comparison.has_new) if comparison.differences else None
