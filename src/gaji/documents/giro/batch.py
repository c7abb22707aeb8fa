"""The payments of a run, independent of the bank's format."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from gaji.core.bank_accounts import BankAccount


@dataclass(frozen=True, slots=True)
class GiroPayer:
    """The account that pays, and the company's names at its bank."""

    account_number: str
    account_name: str | None
    company_id: str | None
    bank_id: int = 0


@dataclass(frozen=True, slots=True)
class GiroPayee:
    """An employee and the nett pay of one payslip."""

    employee_id: int
    payslip_id: int
    name: str
    bank_account: BankAccount | None
    amount_cents: int
    pay_date: date
    paynow: str | None = None
    """A mobile number, NRIC, FIN or UEN. Files with PayNow pay to it, others to the bank account."""

    @property
    def account(self) -> BankAccount:
        """The bank account. Raises LookupError if there is none."""
        if self.bank_account is None:
            raise LookupError(f"employee {self.employee_id} has no bank account")
        return self.bank_account


@dataclass(frozen=True, slots=True)
class GiroBatch:
    """The GIRO payments of one payment run."""

    payment_run_id: int
    payer: GiroPayer
    payees: Sequence[GiroPayee]
    created: datetime

    @property
    def total_cents(self) -> int:
        """The sum of all payments."""
        return sum(payee.amount_cents for payee in self.payees)

    def sequence_number(self, max_number: int) -> int:
        """Return a number for the run from 1 to `max_number`, after which it starts again at 1."""
        return (self.payment_run_id - 1) % max_number + 1
