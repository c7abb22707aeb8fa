"""The payments of a finalised payment run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from gaji.company.clients.queries import PayerAccount, load_filing_details
from gaji.core.clock import SINGAPORE
from gaji.db.tenancy import Transaction
from gaji.payroll.payment_runs.models import PaymentRun
from gaji.payroll.payslips.statutory_totals import NettPay, load_nett_pays
from gaji.people.employees.queries import PaymentDetails, load_payment_details
from gaji.people.service_periods.queries import list_awaiting_tax_clearance

GIRO = "eft_manual"
NO_PAYMENT_TIME = datetime.min.replace(year=1970, tzinfo=UTC)
"""The creation time for a run without payments, which has no file."""


@dataclass(frozen=True)
class PaymentBatch:
    """The nett pays of a run that are due, withheld or released, and the details needed to pay them."""

    run: PaymentRun
    payer: PayerAccount | None
    details: Mapping[int, PaymentDetails]
    """By employee."""
    due: Sequence[NettPay]
    withheld: Sequence[NettPay]
    """Withheld for the tax clearance of leavers, until the payment is released."""
    released: Sequence[NettPay]
    """Released after tax clearance. They have their own file: sending the run's file again would pay the rest twice."""
    created: datetime
    """When the run was finalised. Files carry this time, so that the same run always gives the same bytes."""

    def released_batch(self) -> "PaymentBatch":
        """Return the released payments as due, on the day of the last release at the earliest."""
        last = max(pay.released_at for pay in self.released if pay.released_at).astimezone(SINGAPORE)
        due = [replace(pay, pay_date=max(pay.pay_date, last.date())) for pay in self.released]
        return replace(self, due=due, withheld=[], released=[], created=last)

    def due_by(self, *methods: str) -> list[NettPay]:
        """Return the payments that are due by any of these payment methods."""
        return [pay for pay in self.due if self._method(pay) in methods]

    def withheld_by(self, *methods: str) -> list[NettPay]:
        """Return the withheld payments with any of these payment methods."""
        return [pay for pay in self.withheld if self._method(pay) in methods]

    def employee_names(self) -> dict[int, str]:
        """Return the display names by employee."""
        return {employee_id: str(details.employee) for employee_id, details in self.details.items()}

    def _method(self, pay: NettPay) -> str:
        return self.details[pay.employee_id].payment_method


async def load_payment_batch(tx: Transaction, run: PaymentRun) -> PaymentBatch:
    """Load the payments of a finalised run. Payslips with a nett pay of zero are left out."""
    pays = [pay for pay in await load_nett_pays(tx, run.client_id, run.id) if pay.cents]
    employee_ids = sorted({pay.employee_id for pay in pays})
    uncleared = await list_awaiting_tax_clearance(tx, run.client_id, employee_ids, run.period_end_date)
    return PaymentBatch(
        run=run,
        payer=(await load_filing_details(tx, run.client_id)).account,
        details=await load_payment_details(tx, run.client_id, employee_ids),
        due=[pay for pay in pays if pay.employee_id not in uncleared],
        withheld=[pay for pay in pays if pay.employee_id in uncleared and pay.released_at is None],
        released=[pay for pay in pays if pay.employee_id in uncleared and pay.released_at is not None],
        created=max((pay.finalised_at for pay in pays), default=NO_PAYMENT_TIME).astimezone(SINGAPORE),
    )
