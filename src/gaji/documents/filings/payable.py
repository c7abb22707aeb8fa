"""What the filings of recent months have, without their employees."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from gaji.db.tenancy import Transaction
from gaji.documents.filings import repository
from gaji.documents.filings.service import cpf_due_date, levy_due_date
from gaji.law.columns import cents
from gaji.law.months import Month
from gaji.law.sdl import remittance_cents
from gaji.payroll.payment_runs.queries import load_finalised_runs
from gaji.payroll.payslips.statutory_totals import Contributions, load_contributions
from gaji.payroll.retro_proposals.queries import load_claims_since

FUNDS = ("mbmf", "sinda", "cdac", "ecf")


@dataclass(frozen=True)
class PayableMonth:
    """The contributions for a month, from finalised payslips."""

    month: Month
    amounts: Contributions
    submitted_at: datetime | None
    """When the last CPF file of the month was downloaded."""

    @property
    def due_date(self) -> date:
        """The day on which the payments to the CPF Board are due."""
        return cpf_due_date(self.month)

    @property
    def levy_due_date(self) -> date:
        """The day on which the foreign worker levy is due."""
        return levy_due_date(self.month)

    @property
    def has_cpf_file(self) -> bool:
        """Whether anything is payable to the CPF Board."""
        return bool(self.amounts.cpf or self.amounts.sdl or self.amounts.funds)

    def is_due(self, today: date) -> bool:
        """Return whether a due date has not passed, or the CPF file was not downloaded."""
        if self.amounts.levy and today <= self.levy_due_date:
            return True
        return self.has_cpf_file and (not self.submitted_at or today <= self.due_date)


def month_due(months: Sequence[PayableMonth], today: date) -> PayableMonth | None:
    """Return the first of last month and this month that is still due, or else the latest month with contributions."""
    this_month = Month.from_date(today)
    known = [payable for payable in months if payable.month <= this_month]
    due = [payable for payable in known if payable.month >= this_month - 1 and payable.is_due(today)]
    return next(iter(due or known[-1:]), None)


async def load_payable_months(
    tx: Transaction, client_ids: Sequence[int], first: Month
) -> dict[int, list[PayableMonth]]:
    """Load the months of each client from the first one on that have contributions, in order.

    Contributions count in the month that they are for, as in the filings. Clients without any are left out.
    """
    day = first.first_day
    totals = await load_contributions(tx, await load_finalised_runs(tx, client_ids, day))
    claims = await load_claims_since(tx, client_ids, first)
    submitted = await repository.load_submission_times(tx, client_ids, day)
    payable: dict[int, list[PayableMonth]] = {}
    for client_id, by_month in totals.items():
        for month in sorted(month for month in by_month if month >= day):
            key = (client_id, month)
            amounts = _payable(by_month[month], claims.get(key, {}))
            if amounts != Contributions():
                payable_month = PayableMonth(Month.from_date(month), amounts, submitted.get(key))
                payable.setdefault(client_id, []).append(payable_month)
    return payable


def _payable(total: Contributions, claims: Mapping[str, int]) -> Contributions:
    """Return the amounts less what corrections found to be too much, with the SDL that is remitted."""

    def claimed(*names: str) -> int:
        return sum(claims.get(name, 0) for name in names)

    return Contributions(
        cpf_employee=total.cpf_employee - claimed("cpf_employee"),
        cpf_employer=total.cpf_employer - claimed("cpf_employer"),
        sdl=remittance_cents(cents([total.sdl - claimed("sdl")])),
        funds=total.funds - claimed(*FUNDS),
        levy=total.levy - claimed("levy"),
    )
