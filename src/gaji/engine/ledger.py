"""The ledger: which accounts each line of a payslip goes to, the catalogue's or those that a client names instead."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from gaji.engine.catalogue import LEDGER, NETT_PAY, Accounts, Catalogue, Line, Section
from gaji.engine.money import cents, decimal_text


@dataclass(frozen=True)
class OwnAccounts:
    """What a client names of an item's accounts; nothing where the catalogue's are good."""

    category: str | None = None
    debit: str | None = None
    credit: str | None = None


OwnByItem = Mapping[str, OwnAccounts]


def accounts_of(line: Line) -> Accounts:
    """The accounts of a line as the catalogue has them."""
    return line.accounts


@dataclass(frozen=True)
class Ledger:
    """The accounts of one client."""

    catalogue: Catalogue
    own: OwnByItem = field(default_factory=dict)

    @cached_property
    def nett_pay(self) -> Accounts:
        """The accounts of what is paid out."""
        return LEDGER[NETT_PAY].but(vars(self.own.get(NETT_PAY, OwnAccounts())))

    @cached_property
    def items(self) -> Mapping[str, Accounts]:
        """The accounts of every item, in the order of the catalogue, and last of what is paid out."""
        found = {
            name: self.usual(line.accounts).but(vars(self.own.get(name, OwnAccounts())))
            for name, line in self.catalogue.lines.items()
        }
        return found | {NETT_PAY: self.nett_pay}

    def usual(self, accounts: Accounts) -> Accounts:
        """Accounts of the catalogue, where what is paid out has the name that the client gave it."""
        paid_out = LEDGER[NETT_PAY]
        return accounts.but(
            {
                "debit": self.nett_pay.debit if accounts.debit == paid_out.debit else None,
                "credit": self.nett_pay.credit if accounts.credit == paid_out.credit else None,
            }
        )

    def posted(self, section: Section, item: str) -> Accounts:
        """The accounts of an item that stands in this section of a payslip.

        A custom item can have become something else since: what it was then goes to the accounts of its section.
        """
        line = self.catalogue.lines.get(item)
        return self.items[item] if line and line.section == section else self.usual(LEDGER[section])

    def components(self, items: Iterable[str]) -> dict[str, dict[str, str]]:
        """By item, the accounts that its amount goes to."""
        return {item: shown(self.items[item]) for item in items if item in self.items}

    def outputs(self, lines: Mapping[str, str]) -> dict[str, str]:
        """Amounts of items as amounts of ledger accounts: what is earned or spent, or for whom it was taken."""
        found: dict[str, int] = {}
        for item, amount in lines.items():
            if line := self.catalogue.lines.get(item):
                account = self.account(line)
                found[account] = found.get(account, 0) + cents(amount)
        return {account: decimal_text(amount) for account, amount in found.items()}

    def account(self, line: Line) -> str:
        """The one account that a line is known by: the other side is what the company owes or pays out."""
        accounts = self.items[line.name]
        return accounts.credit if line.section == Section.DEDUCTION else accounts.debit


def shown(accounts: Accounts) -> dict[str, str]:
    """Accounts as the API shows them."""
    return {
        "category": accounts.category,
        "debit_account": accounts.debit,
        "credit_account": accounts.credit,
    }
