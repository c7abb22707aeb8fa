"""Parts of a journal: each balances, none is too long, and together they are the journal."""

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaji.documents.journal_files.entries import JournalEntry
from gaji.documents.journal_files.parts import divide_entries

AMOUNTS = st.lists(st.integers(1, 10**9), min_size=1, max_size=40)


def entry(number: int, cents: int, split_id: str = "") -> JournalEntry:
    return JournalEntry(f"Account {number}", f"item_{number}", f"Item {number}", split_id, split_id, cents)


@st.composite
def journals(draw: st.DrawFn) -> list[JournalEntry]:
    """Draw entries whose debits equal their credits in every split."""
    entries: list[JournalEntry] = []
    for split in range(draw(st.integers(1, 4))):
        debits, credits = draw(AMOUNTS), draw(AMOUNTS)
        difference = sum(debits) - sum(credits)
        amounts = [*debits, *(-cents for cents in credits), *([-difference] if difference else [])]
        entries += [entry(len(entries) + i, cents, str(split)) for i, cents in enumerate(amounts)]
    return entries


@given(journals(), st.integers(2, 60))
def test_parts_balance_and_add_up_to_the_journal(entries: list[JournalEntry], max_rows: int) -> None:
    parts = divide_entries(entries, max_rows)
    totals: dict[JournalEntry, int] = defaultdict(int)
    for part in parts:
        assert 2 <= len(part) <= max_rows or not part
        assert sum(row.cents for row in part) == 0
        assert all(row.cents for row in part)
        for row in part:
            totals[row.with_cents(0)] += row.cents
    assert totals == {row.with_cents(0): row.cents for row in entries}


def test_a_short_journal_is_one_part_in_its_own_order() -> None:
    entries = [entry(1, 500), entry(2, 300), entry(3, -800)]
    assert divide_entries(entries, 3) == [entries]
    assert divide_entries([], 3) == []


@pytest.mark.parametrize(("count", "parts"), [(150, 1), (151, 2), (300, 2), (301, 3)])
def test_pairs_of_debits_and_credits_are_not_divided(count: int, parts: int) -> None:
    entries = [entry(number, 100) for number in range(count)] + [entry(number, -100) for number in range(count)]
    divided = divide_entries(entries, 300)
    assert len(divided) == parts
    assert sum(map(len, divided)) == 2 * count
