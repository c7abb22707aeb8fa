"""The ledger: the accounts of each payslip line, from the catalogue's defaults and a client's overrides."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from gaji.engine.catalogue import DEFAULT_ACCOUNTS, NETT_PAY, Catalogue, LedgerAccounts, PayslipLine, PayslipSection
from gaji.engine.money import decimal_text, to_cents


@dataclass(frozen=True)
class AccountOverrides:
    """A client's accounts for an item. None keeps the default of the catalogue."""

    category: str | None = None
    debit: str | None = None
    credit: str | None = None


OverridesByItem = Mapping[str, AccountOverrides]


@dataclass(frozen=True)
class Ledger:
    """The accounts of one client."""

    catalogue: Catalogue
    overrides: OverridesByItem = field(default_factory=dict)

    @cached_property
    def nett_pay(self) -> LedgerAccounts:
        """The accounts of nett pay."""
        return self._overridden(NETT_PAY, DEFAULT_ACCOUNTS[NETT_PAY])

    @cached_property
    def items(self) -> Mapping[str, LedgerAccounts]:
        """The accounts of every item in the order of the catalogue, with nett pay last."""
        accounts_by_item = {
            name: self._overridden(name, self.with_client_nett_pay(line.accounts))
            for name, line in self.catalogue.lines.items()
        }
        return accounts_by_item | {NETT_PAY: self.nett_pay}

    def with_client_nett_pay(self, accounts: LedgerAccounts) -> LedgerAccounts:
        """Replace the default account of nett pay with the client's."""
        default = DEFAULT_ACCOUNTS[NETT_PAY]
        return accounts.override(
            {
                "debit": self.nett_pay.debit if accounts.debit == default.debit else None,
                "credit": self.nett_pay.credit if accounts.credit == default.credit else None,
            }
        )

    def accounts_for_line(self, section: PayslipSection, item: str) -> LedgerAccounts:
        """The accounts of an item in a section of a payslip.

        If the kind of a custom item has changed since, its line is posted to the default accounts of the section.
        """
        line = self.catalogue.lines.get(item)
        if line and line.section == section:
            return self.items[item]
        return self.with_client_nett_pay(DEFAULT_ACCOUNTS[section])

    def accounts_by_item(self, items: Iterable[str]) -> dict[str, dict[str, str]]:
        """The accounts of items as JSON, by item. Unknown items are omitted."""
        return {item: accounts_json(self.items[item]) for item in items if item in self.items}

    def amounts_by_account(self, lines: Mapping[str, str]) -> dict[str, str]:
        """Amounts of items, added up by main account."""
        totals: dict[str, int] = {}
        for item, amount in lines.items():
            if line := self.catalogue.lines.get(item):
                account = self.main_account(line)
                totals[account] = totals.get(account, 0) + to_cents(amount)
        return {account: decimal_text(amount) for account, amount in totals.items()}

    def main_account(self, line: PayslipLine) -> str:
        """The account that identifies a line. The other side is what the company owes or pays out."""
        accounts = self.items[line.name]
        return accounts.credit if line.section == PayslipSection.DEDUCTION else accounts.debit

    def _overridden(self, item: str, accounts: LedgerAccounts) -> LedgerAccounts:
        return accounts.override(vars(self.overrides.get(item, AccountOverrides())))


def accounts_json(accounts: LedgerAccounts) -> dict[str, str]:
    """The accounts as the API returns them."""
    return {
        "category": accounts.category,
        "debit_account": accounts.debit,
        "credit_account": accounts.credit,
    }
