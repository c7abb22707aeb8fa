"""The payments of a finalised payment run."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from gaji.company.clients.queries import PayerAccount, load_filing_details
from gaji.core.clock import SINGAPORE
from gaji.core.law_loader import current_law
from gaji.core.validation import Record
from gaji.db.tenancy import Transaction
from gaji.documents.payment_files.payers import load_payer
from gaji.documents.payment_files.value_dates import bank_payment_date
from gaji.law.due_dates import next_working_day
from gaji.payroll.payment_reissues.queries import PaymentReissue, load_reissues
from gaji.payroll.payment_runs.models import PaymentRun
from gaji.payroll.payslips.statutory_totals import NettPay, load_draft_nett_pays, load_nett_pays
from gaji.payroll.snapshots.queries import Payee, load_payees
from gaji.payroll.withheld_payments.queries import EMPLOYEE, PaymentRelease, load_releases
from gaji.people.employees.queries import PaymentDetails, load_employee_records, load_payment_details

GIRO = "eft_manual"
NO_PAYMENT_TIME = datetime.min.replace(year=1970, tzinfo=UTC)
"""The creation time for a run without payments, which has no file."""


@dataclass(frozen=True)
class ReleasedPayment:
    """A withheld payment, and the part of it that was released to the employee."""

    pay: NettPay
    release: PaymentRelease


@dataclass(frozen=True)
class ReissuedPayments:
    """A reissue, and how its employees are paid now."""

    reissue: PaymentReissue
    payees: Mapping[int, Payee]


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
    reissued: Sequence["ReissuedPayments"] = ()
    """Payments that are made again. Each reissue has its own file."""
    value_date: date | None = None
    """The day on which the bank is asked to pay, instead of the pay dates."""
    has_salary_deadline: bool = True
    """False for releases: the law required that the salary was withheld."""

    def released_batches(self) -> Iterator["PaymentBatch"]:
        """Yield each released payment as a batch of its own, due on the day of its release at the earliest."""
        for payment in self.released:
            created = payment.release.created_at
            pay_date = self.value_date or _not_before(payment.pay.pay_date, created)
            due = [replace(payment.pay, cents=payment.release.amount, pay_date=pay_date)]
            yield replace(self, due=due, withheld=[], released=[], created=created, has_salary_deadline=False)

    def reissued_batches(self) -> Iterator["PaymentBatch"]:
        """Yield each reissue as a batch of its own, due on the day of the reissue at the earliest."""
        due = {pay.payslip_id: pay for pay in self.due}
        for reissued in self.reissued:
            created = reissued.reissue.created_at
            pays = [due[payslip_id] for payslip_id in reissued.reissue.payslip_ids if payslip_id in due]
            dated = [
                replace(pay, pay_date=self.value_date or _not_before(pay.pay_date, created), finalised_at=created)
                for pay in pays
            ]
            yield replace(self, due=dated, payees=reissued.payees, withheld=[], released=[], created=created)

    def due_by(self, *methods: str) -> list[NettPay]:
        """Return the payments that are due by any of these payment methods."""
        return [pay for pay in self.due if self._method(pay) in methods]

    def withheld_by(self, *methods: str) -> list[NettPay]:
        """Return the withheld payments with any of these payment methods."""
        return [pay for pay in self.withheld if self._method(pay) in methods]

    def paid_to(self, *, paynow: bool) -> "PaymentBatch":
        """Return the payments to employees who have a PayNow number, or to those who have none."""
        due, withheld = (
            [pay for pay in pays if bool(self.payees[pay.employee_id].paynow) == paynow]
            for pays in (self.due, self.withheld)
        )
        return replace(self, due=due, withheld=withheld)

    def employee_names(self) -> dict[int, str]:
        """Return the display names by employee."""
        return {employee_id: str(payee.employee) for employee_id, payee in self.payees.items()}

    def _method(self, pay: NettPay) -> str:
        return self.payees[pay.employee_id].payment_method


async def load_payment_batch(tx: Transaction, run: PaymentRun, value_date: date | None = None) -> PaymentBatch:
    """Load the payments of a finalised run, paid on the value date, the payment date of the run or their pay date.

    Payslips with a nett pay of zero are left out.
    """
    payees = await load_payees(tx, run.client_id, run.id)
    pays = [
        pay.paid_on(value_date or _payment_day(run.payment_date or pay.pay_date, payees[pay.employee_id]))
        for pay in await load_nett_pays(tx, run.client_id, run.id)
        if pay.cents
    ]
    uncleared = [pay for pay in pays if pay.cents > 0 and payees[pay.employee_id].withheld]
    releases = await load_releases(tx, run.client_id, [pay.payslip_id for pay in uncleared])
    uncleared_ids = {pay.payslip_id for pay in uncleared}
    subject = [(pay, releases.get(pay.payslip_id, ())) for pay in uncleared]
    remaining = [replace(pay, cents=pay.cents - sum(part.amount for part in parts)) for pay, parts in subject]
    to_employees = [
        ReleasedPayment(pay, part) for pay, parts in subject for part in parts if part.recipient == EMPLOYEE
    ]
    return PaymentBatch(
        run=run,
        payer=await load_payer(tx, run.client_id, run.id),
        payees=payees,
        due=[pay for pay in pays if pay.payslip_id not in uncleared_ids],
        withheld=[pay for pay in remaining if pay.cents],
        released=sorted(to_employees, key=lambda payment: payment.release.id),
        created=max((pay.finalised_at for pay in pays), default=NO_PAYMENT_TIME).astimezone(SINGAPORE),
        reissued=await _load_reissued(tx, run, payees, {pay.payslip_id: pay.employee_id for pay in pays}),
        value_date=value_date,
    )


async def load_draft_batch(tx: Transaction, run: PaymentRun) -> PaymentBatch:
    """Load what a run would pay if it were finalised now, to the accounts that are recorded now."""
    pays = await load_draft_nett_pays(tx, run.client_id, run.id)
    details = await load_payment_details(tx, run.client_id, sorted({pay.employee_id for pay in pays}))
    payees = {employee_id: _draft_payee(detail) for employee_id, detail in details.items()}
    return PaymentBatch(
        run=run,
        payer=(await load_filing_details(tx, run.client_id)).account,
        payees=payees,
        due=[pay.paid_on(_payment_day(run.payment_date or pay.pay_date, payees[pay.employee_id])) for pay in pays],
        withheld=[],
        released=[],
        created=datetime.now(SINGAPORE),
    )


def _draft_payee(details: PaymentDetails) -> Payee:
    return Payee(
        details.employee,
        details.payment_method,
        details.bank_id,
        details.branch_code,
        details.account_number,
        details.paynow,
        withheld=False,
    )


def _payment_day(pay_date: date, payee: Payee) -> date:
    """The date of a payment: the pay date, or the last working day before it, because banks pay on working days."""
    return bank_payment_date(pay_date) if payee.payment_method == GIRO else pay_date


def _not_before(pay_date: date, created: datetime) -> date:
    """The day of a payment that was released or reissued at a time: a working day from then on."""
    return pay_date if pay_date >= created.date() else next_working_day(created.date(), current_law().holidays)


async def _load_reissued(
    tx: Transaction, run: PaymentRun, payees: Mapping[int, Payee], employee_ids: Mapping[int, int]
) -> list[ReissuedPayments]:
    """Load the reissues of a run. They are paid to the current accounts, because the earlier ones did not work."""
    reissues = await load_reissues(tx, run.client_id, run.id)
    payslip_ids = {payslip_id for reissue in reissues for payslip_id in reissue.payslip_ids}
    reissued_ids = {employee_id for payslip_id, employee_id in employee_ids.items() if payslip_id in payslip_ids}
    records = await load_employee_records(tx, run.client_id, sorted(reissued_ids)) if reissued_ids else {}
    current = {employee_id: _current_payee(payees[employee_id], record) for employee_id, record in records.items()}
    return [ReissuedPayments(reissue, {**payees, **current}) for reissue in reissues]


def _current_payee(payee: Payee, record: Record) -> Payee:
    """Return how an employee is paid now, under the name of the finalised payslip."""
    account = record["bank_account"] or {}
    return replace(
        payee,
        payment_method=record["payment_method"],
        bank_id=account.get("bank_id"),
        branch_code=account.get("branch_code"),
        account_number=account.get("account_number"),
        paynow=record["paynow"],
    )
