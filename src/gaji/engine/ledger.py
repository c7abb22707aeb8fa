"""The ledger: which accounts each line of a payslip goes to, the catalogue's or those that a client names instead."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from gaji.engine.catalogue import DEFAULT_ACCOUNTS, NETT_PAY, LedgerAccounts, Catalogue, PayslipLine, PayslipSection
from gaji.engine.money import to_cents, decimal_text


@dataclass(frozen=True)
class AccountOverrides:
    """What a client names of an item's accounts; nothing where the catalogue's are good."""

    category: str | None = None
    debit: str | None = None
    credit: str | None = None


OverridesByItem = Mapping[str, AccountOverrides]


def accounts_of(line: PayslipLine) -> LedgerAccounts:
    """The accounts of a line as the catalogue has them."""
    return line.accounts


@dataclass(frozen=True)
class Ledger:
    """The accounts of one client."""

    catalogue: Catalogue
    overrides: OverridesByItem = field(default_factory=dict)

    @cached_property
    def nett_pay(self) -> LedgerAccounts:
        """The accounts of what is paid out."""
        return DEFAULT_ACCOUNTS[NETT_PAY].override(vars(self.overrides.get(NETT_PAY, AccountOverrides())))

    @cached_property
    def items(self) -> Mapping[str, LedgerAccounts]:
        """The accounts of every item, in the order of the catalogue, and last of what is paid out."""
        found = {
            name: self.with_client_nett_pay(line.accounts).override(vars(self.overrides.get(name, AccountOverrides())))
            for name, line in self.catalogue.lines.items()
        }
        return found | {NETT_PAY: self.nett_pay}

    def with_client_nett_pay(self, accounts: LedgerAccounts) -> LedgerAccounts:
        """Accounts of the catalogue, where what is paid out has the name that the client gave it."""
        paid_out = DEFAULT_ACCOUNTS[NETT_PAY]
        return accounts.override(
            {
                "debit": self.nett_pay.debit if accounts.debit == paid_out.debit else None,
                "credit": self.nett_pay.credit if accounts.credit == paid_out.credit else None,
            }
        )

    def accounts_for_line(self, section: PayslipSection, item: str) -> LedgerAccounts:
        """The accounts of an item that stands in this section of a payslip.

        A custom item can have become something else since: what it was then goes to the accounts of its section.
        """
        line = self.catalogue.lines.get(item)
        return self.items[item] if line and line.section == section else self.with_client_nett_pay(DEFAULT_ACCOUNTS[section])

    def accounts_by_item(self, items: Iterable[str]) -> dict[str, dict[str, str]]:
        """By item, the accounts that its amount goes to."""
        return {item: accounts_json(self.items[item]) for item in items if item in self.items}

    def amounts_by_account(self, lines: Mapping[str, str]) -> dict[str, str]:
        """Amounts of items as amounts of ledger accounts: what is earned or spent, or for whom it was taken."""
        found: dict[str, int] = {}
        for item, amount in lines.items():
            if line := self.catalogue.lines.get(item):
                account = self.main_account(line)
                found[account] = found.get(account, 0) + to_cents(amount)
        return {account: decimal_text(amount) for account, amount in found.items()}

    def main_account(self, line: PayslipLine) -> str:
        """The one account that a line is known by: the other side is what the company owes or pays out."""
        accounts = self.items[line.name]
        return accounts.credit if line.section == PayslipSection.DEDUCTION else accounts.debit


def accounts_json(accounts: LedgerAccounts) -> dict[str, str]:
    """Accounts as the API shows them."""
    return {
        "category": accounts.category,
        "debit_account": accounts.debit,
        "credit_account": accounts.credit,
    }
