"""The journal of a pay run, divided over its splits."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from gaji.core.errors import InProgress
from gaji.db.tenancy import Transaction
from gaji.engine.catalogue import NETT_PAY
from gaji.engine.journal import Journal, build_journal
from gaji.engine.ledger import Ledger
from gaji.payroll.accounting import queries, splits
from gaji.payroll.accounting.splits import JournalSplits, SharesByEmployee
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.payslips.run_lines import load_run_lines
from gaji.payroll.snapshots import queries as snapshots

THREAD_THRESHOLD = 200
"""Payslips above which a worker thread is worth its cost."""
NETT_PAY_CAPTION = "Nett pay"


@dataclass(frozen=True)
class RunJournal:
    """The journal of a pay run, its splits, and the versions of the rules that its payslips were calculated with."""

    lines: Journal
    splits: JournalSplits
    ledger: Ledger
    rules_versions: frozenset[str]

    @property
    def captions(self) -> Mapping[str, str]:
        """The captions of items. Custom items appear under their names."""
        lines = self.ledger.catalogue.lines
        return {item: line.caption for item, line in lines.items()} | {NETT_PAY: NETT_PAY_CAPTION}


async def load_run_journal(tx: Transaction, client_id: int, payment_run_id: int) -> RunJournal:
    """Return the journal of a pay run. That of a finalised run comes from its snapshot."""
    lines = await load_run_lines(tx, client_id, payment_run_id)
    if lines.dirty_count:
        noun = "payslip is" if lines.dirty_count == 1 else "payslips are"
        raise not_ready(f"{lines.dirty_count} {noun} still being calculated")
    snapshot = await snapshots.load_accounting(tx, client_id, payment_run_id)
    if snapshot:
        ledger, settings = snapshot.ledger, snapshot.splits
        shares: SharesByEmployee = await snapshots.load_shares(tx, client_id, payment_run_id)
    else:
        ledger = await queries.load_ledger(tx, client_id, await load_catalogue(tx, client_id))
        settings = await splits.load_split_settings(tx, client_id)
        shares = await splits.load_shares(tx, client_id, settings.mode, lines.employee_ids)
    journal_splits = splits.allocate_payslips(settings, shares, lines.employee_ids)
    arguments = ledger, lines.lines, journal_splits.allocation
    if len(lines.lines) > THREAD_THRESHOLD:
        journal = await asyncio.to_thread(build_journal, *arguments)
    else:
        journal = build_journal(*arguments)
    return RunJournal(journal, journal_splits, ledger, lines.rules_versions)


def not_ready(reason: str) -> InProgress:
    """Return the error for a journal that will be available soon."""
    return InProgress(f"{reason}; retry when it has finished")
