"""What the filings of recent months have, without their employees."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from gaji.db.tenancy import Transaction
from gaji.documents.filings import repository
from gaji.documents.filings.service import cpf_due_date, levy_due_date
from gaji.law.columns import cents
from gaji.law.months import Month
from gaji.law.sdl import remittance_cents
from gaji.payroll.payment_runs.overview import RunSummary
from gaji.payroll.payslips.statutory_totals import Contributions, load_contributions
from gaji.payroll.retro_proposals.queries import load_claims

FUNDS = ("mbmf", "sinda", "cdac", "ecf")


@dataclass(frozen=True)
class PayableMonth:
    """The contributions for a month, from finalised payslips."""

    month: Month
    amounts: Contributions
    submitted: bool
    """Whether a CPF file of the month was downloaded."""

    @property
    def due_date(self) -> date:
        """The day on which the payments to the CPF Board are due."""
        return cpf_due_date(self.month)

    @property
    def levy_due_date(self) -> date:
        """The day on which the foreign worker levy is due."""
        return levy_due_date(self.month)

    def is_due(self, today: date) -> bool:
        """Return whether a due date has not passed, or the CPF file was not downloaded."""
        if self.amounts.levy and today <= self.levy_due_date:
            return True
        to_cpf_board = self.amounts.cpf or self.amounts.sdl or self.amounts.funds
        return bool(to_cpf_board) and (not self.submitted or today <= self.due_date)


async def load_payable_months(
    tx: Transaction, client_id: int, runs: Sequence[RunSummary], first: Month
) -> list[PayableMonth]:
    """Load the months from the first one on that have contributions, in order. `runs` are those of the client."""
    day = first.first_day
    finalised = {run.id: run.finalised_at for run in runs if run.finalised_at and run.period_end_date >= day}
    totals = await load_contributions(tx, client_id, finalised)
    submitted = await repository.load_submitted_months(tx, client_id, day)
    months = []
    for month in sorted(month for month in totals if month >= day):
        claims = await load_claims(tx, client_id, Month.from_date(month))
        amounts = _payable(totals[month], claims)
        if amounts != Contributions():
            months.append(PayableMonth(Month.from_date(month), amounts, month in submitted))
    return months


def _payable(total: Contributions, claims: Mapping[int, Mapping[str, int]]) -> Contributions:
    """Return the amounts less what corrections found to be too much, with the SDL that is remitted."""

    def claimed(*names: str) -> int:
        return sum(claim.get(name, 0) for claim in claims.values() for name in names)

    return Contributions(
        cpf_employee=total.cpf_employee - claimed("cpf_employee"),
        cpf_employer=total.cpf_employer - claimed("cpf_employer"),
        sdl=remittance_cents(cents([total.sdl - claimed("sdl")])),
        funds=total.funds - claimed(*FUNDS),
        levy=total.levy - claimed("levy"),
    )
