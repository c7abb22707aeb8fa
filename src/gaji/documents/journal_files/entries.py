"""The journal of a run as entries: one amount, on one side of one account, in one split."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from gaji.engine.journal import JournalLine
from gaji.payroll.account_mappings.schemas import AccountMapping
from gaji.payroll.accounting.rules import REST_ID
from gaji.payroll.accounting.run_journal import RunJournal

MappingsByKey = Mapping[tuple[str, str | None, str | None], AccountMapping]


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One row of a file. A debit is positive and a credit negative."""

    account: str
    """The ledger account."""
    item: str
    description: str
    split_id: str
    split_name: str
    """Empty if the journal is not divided, and for employees in no split."""
    cents: int
    code: str | None = None
    name: str | None = None
    """The account of the accounting program."""

    @property
    def debit_cents(self) -> int:
        """The amount of a debit; 0 for a credit."""
        return max(self.cents, 0)

    def with_cents(self, cents: int) -> "JournalEntry":
        """Return a part of the entry."""
        return replace(self, cents=cents)


@dataclass(frozen=True)
class JournalHeader:
    """What all rows of a journal have in common."""

    run_id: int
    day: date
    narration: str
    rules_versions: Sequence[str] = ()


def list_entries(journal: RunJournal, mappings: Sequence[AccountMapping]) -> list[JournalEntry]:
    """Return the entries of a journal by split, debits first. Amounts of zero are left out."""
    accounts = {mapping.key: mapping for mapping in mappings}
    captions = journal.captions
    entries = []
    for index, split_id in enumerate(journal.splits.keys):
        name = "" if split_id == REST_ID else journal.splits.names.get(split_id, "")
        for sign, lines in ((1, journal.lines.debit), (-1, journal.lines.credit)):
            for line in lines:
                if cents := sign * int(line.amounts_cents[index]):
                    caption = captions.get(line.line_item, line.line_item)
                    chain = _mapping_chain(accounts, line, split_id)
                    code = next((mapping.code for mapping in chain if mapping.code), None)
                    account_name = next((mapping.name for mapping in chain if mapping.name), None)
                    entries.append(
                        JournalEntry(line.account, line.line_item, caption, split_id, name, cents, code, account_name)
                    )
    return entries


def _mapping_chain(mappings: MappingsByKey, line: JournalLine, split_id: str) -> list[AccountMapping]:
    """Return the mappings of a line, closest first: those of its item, then those of its account."""
    item = line.line_item
    keys = ((item, split_id), (item, None), (None, split_id), (None, None))
    return [mappings[line.account, *key] for key in keys if (line.account, *key) in mappings]
