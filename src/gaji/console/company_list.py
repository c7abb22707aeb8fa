"""The companies of a user with what is due and late in each of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from gaji.company.clients.service import ClientMembership
from gaji.core import clock
from gaji.db.tenancy import Tenant
from gaji.documents.filings.overdue import load_overdue_months
from gaji.law.months import Month
from gaji.leave.team_calendar import count_pending
from gaji.payroll.payment_runs.queries import load_oldest_open_runs
from gaji.payroll.payslips.summaries import NextPeriod, load_next_pay_dates
from gaji.people.employees.directory import load_headcounts


@dataclass(frozen=True)
class CompanyStatus:
    """A company, and what is due and late in it."""

    company: ClientMembership
    headcount: int
    next_period: NextPeriod | None
    """The unpaid period with the earliest pay date."""
    open_run_id: int | None
    overdue_months: Sequence[Month]
    """Months without a CPF file whose due date has passed."""
    pending_requests: int

    @property
    def is_late(self) -> bool:
        """Whether the pay date of an unpaid period has passed."""
        return self.next_period is not None and self.next_period.pay_date < clock.today()

    @property
    def needs_attention(self) -> bool:
        """Whether anything is late, blocked or waiting for a decision."""
        blocked = self.next_period.attention if self.next_period else 0
        return bool(self.is_late or blocked or self.overdue_months or self.pending_requests)


SORT_KEYS: dict[str, Callable[[CompanyStatus], tuple[object, ...]]] = {
    "name": lambda status: (status.company.name.lower(),),
    "headcount": lambda status: (status.headcount,),
    "pay_date": lambda status: (status.next_period.pay_date if status.next_period else date.max,),
    "late_filings": lambda status: (len(status.overdue_months),),
    "approvals": lambda status: (status.pending_requests,),
}
"""What companies can be sorted by."""


async def load_statuses(tenant: Tenant, companies: Sequence[ClientMembership]) -> list[CompanyStatus]:
    """Load the status of companies, in the same order."""
    ids = [company.id for company in companies]
    async with tenant.read_only() as tx:
        headcounts = await load_headcounts(tx, ids)
        periods = await load_next_pay_dates(tx, ids)
        runs = await load_oldest_open_runs(tx, ids)
        months = await load_overdue_months(tx, ids)
        requests = await count_pending(tx, ids)
    return [
        CompanyStatus(
            company,
            headcounts.get(company.id, 0),
            periods.get(company.id),
            runs.get(company.id),
            months.get(company.id, []),
            requests.get(company.id, 0),
        )
        for company in companies
    ]
