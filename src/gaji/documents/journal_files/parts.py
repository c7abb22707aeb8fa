"""Divide a journal into parts of a limited number of rows, each of which balances."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby

from gaji.documents.journal_files.entries import JournalEntry

Match = tuple[int, int, int]
"""The indexes of a debit and of a credit, and the amount that both have in common, in cents."""


def divide_entries(entries: Sequence[JournalEntry], max_rows: int) -> list[list[JournalEntry]]:
    """Return the entries in parts of at most `max_rows` rows. In every part, debits equal credits.

    Debits are matched with credits, split by split, and a part is closed before it becomes too long. An entry on the
    border of two parts is divided between them, so the parts of an entry add up to it.
    """
    if len(entries) <= max_rows:
        return [list(entries)] if entries else []
    parts: list[dict[int, int]] = [defaultdict(int)]
    for debit, credit, cents in _match_entries(entries):
        if len({*parts[-1], debit, credit}) > max_rows:
            parts.append(defaultdict(int))
        parts[-1][debit] += cents
        parts[-1][credit] -= cents
    return [[entries[index].with_cents(part[index]) for index in sorted(part)] for part in parts]


def _match_entries(entries: Sequence[JournalEntry]) -> Iterator[Match]:
    """Match the debits of each split with its credits, in order. Both have the same total."""
    for _, group in groupby(range(len(entries)), key=lambda index: entries[index].split_id):
        indexes = list(group)
        debits = iter([index for index in indexes if entries[index].cents > 0])
        credits = iter([index for index in indexes if entries[index].cents < 0])
        debit, credit, debit_left, credit_left = 0, 0, 0, 0
        while True:
            if not debit_left:
                debit = next(debits, -1)
                if debit < 0:
                    break
                debit_left = entries[debit].cents
            if not credit_left:
                credit = next(credits)
                credit_left = -entries[credit].cents
            cents = min(debit_left, credit_left)
            debit_left, credit_left = debit_left - cents, credit_left - cents
            yield debit, credit, cents
