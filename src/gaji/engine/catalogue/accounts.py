"""Accounts of the ledger: where a line is posted to."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

NETT_PAY = "nett_pay"
"""The item that stands for what is paid out."""


@dataclass(frozen=True)
class LedgerAccounts:
    """The accounts of a line: both get its amount, one on each side."""

    category: str
    """The heading under which a journal shows it."""
    debit: str
    credit: str

    def override(self, other: Mapping[str, str | None]) -> "LedgerAccounts":
        """The same, but for what is named otherwise."""
        return replace(self, **{name: value for name, value in other.items() if value is not None})


def read_ledger(tables: Mapping[str, Mapping[str, str]]) -> dict[str, LedgerAccounts]:
    """The accounts as the file of types says them."""
    return {name: LedgerAccounts(**table) for name, table in tables.items()}
