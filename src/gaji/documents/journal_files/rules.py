"""The check before a journal file is generated: every entry has an account of the accounting program."""

from collections import defaultdict
from collections.abc import Sequence

from gaji.core.errors import ErrorCode, Errors
from gaji.documents.journal_files.entries import JournalEntry
from gaji.documents.journal_files.formats import JournalFormat

UNMAPPED_ACCOUNT = ErrorCode("unmapped_account", "{description}, {side} {account}{splits}, has no account {column}")


def find_unmapped(journal_format: JournalFormat, entries: Sequence[JournalEntry]) -> Errors:
    """Return an error for each item and side without the code or name that the format needs."""
    errors = Errors()
    if journal_format.required is None:
        return errors
    unmapped: dict[tuple[str, str], list[JournalEntry]] = defaultdict(list)
    for entry in entries:
        if not getattr(entry, journal_format.required):
            unmapped[entry.item, _side(entry)].append(entry)
    for (item, side), missing in unmapped.items():
        errors.add(
            f"items.{item}.{side}",
            UNMAPPED_ACCOUNT,
            description=missing[0].description,
            side=f"{side}ed to",
            account=" and ".join(dict.fromkeys(entry.account for entry in missing)),
            splits=_splits_text(missing),
            column=journal_format.required,
        )
    return errors


def _side(entry: JournalEntry) -> str:
    return "debit" if entry.cents > 0 else "credit"


def _splits_text(entries: Sequence[JournalEntry]) -> str:
    names = dict.fromkeys(entry.split_name or "no split" for entry in entries if entry.split_id)
    return f" in {', '.join(names)}" if names else ""
