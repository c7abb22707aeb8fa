"""What a payment file is made of, whatever the bank."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from gaji.documents.giro.accounts import BankAccount


@dataclass(frozen=True, slots=True)
class GiroPayer:
    """The account that pays, and what its bank knows the company by."""

    account_number: str
    account_name: str | None
    company_id: str | None


@dataclass(frozen=True, slots=True)
class GiroPayee:
    """An employee and the nett pay of one payslip."""

    employee_id: int
    payslip_id: int
    name: str
    bank_account: BankAccount | None
    cents: int
    pay_date: date

    @property
    def account(self) -> BankAccount:
        """Where they are paid; to be asked only of someone who has an account."""
        if self.bank_account is None:
            raise LookupError(f"employee {self.employee_id} has no bank account")
        return self.bank_account


@dataclass(frozen=True, slots=True)
class GiroBatch:
    """The payments of one run."""

    payment_run_id: int
    payer: GiroPayer
    payees: Sequence[GiroPayee]
    created: datetime

    @property
    def total_cents(self) -> int:
        """What is paid in all."""
        return sum(one.cents for one in self.payees)

    def number(self, most: int) -> int:
        """A number of the run from 1 to the most that a form has room for, beginning again after that."""
        return (self.payment_run_id - 1) % most + 1
