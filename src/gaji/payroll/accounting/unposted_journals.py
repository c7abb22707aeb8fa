"""Journals that are not posted. A journal without lines has nothing to post."""

from collections.abc import Sequence
from datetime import date, datetime

from gaji.db.tenancy import Transaction
from gaji.payroll.accounting.run_journal import load_run_journal
from gaji.payroll.payment_runs.queries import UnpostedRun, load_unposted_runs

MAX_CACHED = 10_000
_has_lines_cache: dict[tuple[int, int, datetime], bool] = {}
"""By client, run and time of finalisation. The caller has already found the run in its own tenancy."""


async def load_unposted_journals(
    tx: Transaction, client_ids: Sequence[int], today: date
) -> dict[int, list[UnpostedRun]]:
    """Return each recent finalised run whose journal has lines and is not posted, by client, oldest first.

    Only of clients that post journals.
    """
    journals: dict[int, list[UnpostedRun]] = {}
    for client_id, runs in (await load_unposted_runs(tx, client_ids, today)).items():
        for run in runs:
            if await has_journal_lines(tx, client_id, run.id, run.finalised_at, run.total):
                journals.setdefault(client_id, []).append(run)
    return journals


async def has_journal_lines(
    tx: Transaction, client_id: int, run_id: int, finalised_at: datetime, total_cents: int
) -> bool:
    """Return whether the journal of a finalised run has lines.

    A run with nett pay has. The journal of another is built once and cached, because it may have contributions only.
    """
    if total_cents:
        return True
    key = (client_id, run_id, finalised_at)
    if key not in _has_lines_cache:
        if len(_has_lines_cache) >= MAX_CACHED:
            _has_lines_cache.clear()
        lines = (await load_run_journal(tx, client_id, run_id)).lines
        _has_lines_cache[key] = bool(lines.debit or lines.credit)
    return _has_lines_cache[key]
