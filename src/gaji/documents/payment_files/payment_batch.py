"""The payments of a finalised payment run."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from gaji.company.clients.queries import PayerAccount
from gaji.core.clock import SINGAPORE
from gaji.db.tenancy import Transaction
from gaji.documents.payment_files.payers import load_payer
from gaji.payroll.payment_runs.models import PaymentRun
from gaji.payroll.payslips.statutory_totals import NettPay, load_nett_pays
from gaji.payroll.snapshots.queries import Payee, load_payees
from gaji.payroll.withheld_payments.queries import EMPLOYEE, PaymentRelease, load_releases

GIRO = "eft_manual"
NO_PAYMENT_TIME = datetime.min.replace(year=1970, tzinfo=UTC)
"""The creation time for a run without payments, which has no file."""


@dataclass(frozen=True)
class ReleasedPayment:
    """A withheld payment, and the part of it that was released to the employee."""

    pay: NettPay
    release: PaymentRelease


@dataclass(frozen=True)
class PaymentBatch:
    """The nett pays of a run that are due, withheld or released, and how they are paid."""

    run: PaymentRun
    payer: PayerAccount | None
    payees: Mapping[int, Payee]
    """By employee."""
    due: Sequence[NettPay]
    withheld: Sequence[NettPay]
    """The parts of payments that are withheld for the tax clearance of leavers, until they are released."""
    released: Sequence["ReleasedPayment"]
    """Released to employees. Each has its own file: sending another file again would pay someone twice."""
    created: datetime
    """When the run was finalised. Files carry this time, so that the same run always gives the same bytes."""

    def released_batches(self) -> Iterator["PaymentBatch"]:
        """Yield each released payment as a batch of its own, due on the day of its release at the earliest."""
        for payment in self.released:
            created = payment.release.created_at
            pay_date = max(payment.pay.pay_date, created.date())
            due = [replace(payment.pay, cents=payment.release.amount, pay_date=pay_date)]
            yield replace(self, due=due, withheld=[], released=[], created=created)

    def due_by(self, *methods: str) -> list[NettPay]:
        """Return the payments that are due by any of these payment methods."""
        return [pay for pay in self.due if self._method(pay) in methods]

    def withheld_by(self, *methods: str) -> list[NettPay]:
        """Return the withheld payments with any of these payment methods."""
        return [pay for pay in self.withheld if self._method(pay) in methods]

    def employee_names(self) -> dict[int, str]:
        """Return the display names by employee."""
        return {employee_id: str(payee.employee) for employee_id, payee in self.payees.items()}

    def _method(self, pay: NettPay) -> str:
        return self.payees[pay.employee_id].payment_method


async def load_payment_batch(tx: Transaction, run: PaymentRun) -> PaymentBatch:
    """Load the payments of a finalised run. Payslips with a nett pay of zero are left out."""
    pays = [pay for pay in await load_nett_pays(tx, run.client_id, run.id) if pay.cents]
    payees = await load_payees(tx, run.client_id, run.id)
    uncleared = [pay for pay in pays if pay.cents > 0 and payees[pay.employee_id].withheld]
    releases = await load_releases(tx, run.client_id, [pay.payslip_id for pay in uncleared])
    subject = [(pay, releases.get(pay.payslip_id, ())) for pay in uncleared]
    remaining = [replace(pay, cents=pay.cents - sum(part.amount for part in parts)) for pay, parts in subject]
    to_employees = [
        ReleasedPayment(pay, part) for pay, parts in subject for part in parts if part.recipient == EMPLOYEE
    ]
    return PaymentBatch(
        run=run,
        payer=await load_payer(tx, run.client_id, run.id),
        payees=payees,
        due=[pay for pay in pays if pay not in uncleared],
        withheld=[pay for pay in remaining if pay.cents],
        released=sorted(to_employees, key=lambda payment: payment.release.id),
        created=max((pay.finalised_at for pay in pays), default=NO_PAYMENT_TIME).astimezone(SINGAPORE),
    )
