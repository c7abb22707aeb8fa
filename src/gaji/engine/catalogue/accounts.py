"""Ledger accounts that payslip lines are posted to."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

NETT_PAY = "nett_pay"
"""The item for the amount paid out."""


@dataclass(frozen=True)
class LedgerAccounts:
    """The two accounts of a line. Its amount is posted to both, one on each side."""

    category: str
    """The heading of the line in a journal."""
    debit: str
    credit: str

    def override(self, values: Mapping[str, str | None]) -> "LedgerAccounts":
        """Return a copy with the given values. None keeps the value."""
        return replace(self, **{name: value for name, value in values.items() if value is not None})


def read_ledger(tables: Mapping[str, Mapping[str, str]]) -> dict[str, LedgerAccounts]:
    """Read the `ledger` table of `types.toml`."""
    return {name: LedgerAccounts(**table) for name, table in tables.items()}
