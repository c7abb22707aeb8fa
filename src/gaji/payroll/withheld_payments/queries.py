"""Withheld payments and releases, for other resources."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from gaji.core import clock
from gaji.core.clock import SINGAPORE
from gaji.db.tenancy import Transaction
from gaji.payroll.payment_runs.queries import MAX_DAYS_LATE
from gaji.payroll.withheld_payments import repository
from gaji.people.service_periods.queries import find_term, is_subject_to_clearance, load_clearance_terms

EMPLOYEE, IRAS = "employee", "iras"


@dataclass(frozen=True, slots=True)
class PaymentRelease:
    """A part of a withheld payment that was released, in cents."""

    id: int
    payslip_id: int
    amount: int
    recipient: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class WithheldPay:
    """The nett pay of a payslip that is, or was, withheld for tax clearance, in cents."""

    nett_cents: int
    releases: Sequence[PaymentRelease] = ()

    @property
    def withheld_cents(self) -> int:
        """The part that has not been released."""
        return self.nett_cents - sum(release.amount for release in self.releases)

    def released_cents(self, recipient: str) -> int:
        """The part that was released to a recipient."""
        return sum(release.amount for release in self.releases if release.recipient == recipient)


@dataclass(frozen=True, slots=True)
class EmployeeRelease:
    """A part of a withheld payment that was released to the employee."""

    client_id: int
    payment_run_id: int
    payslip_id: int
    cents: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class UnwithheldPay:
    """Pay of a leaver with tax clearance and a notice date that a run does not withhold."""

    payslip_id: int
    employee_id: int
    cents: int
    notice_date: date
    is_due_before_notice: bool
    """Whether it would not be withheld if the run were finalised now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClearancePayment(WithheldPay):
    """The payment of a finalised payslip that is subject to tax clearance, in cents."""

    payslip_id: int
    payment_run_id: int
    employee_id: int
    start_date: date
    end_date: date
    """The last day of the pay period."""
    pay_date: date
    payment_date: date
    """The payment date of its run: the pay date, unless another day is set."""
    rules_version: str | None
    is_marked_paid: bool
    """Whether its run is marked as paid. The payment date can be in the future."""


async def find_payment(tx: Transaction, client_id: int, payslip_id: int) -> tuple[ClearancePayment, bool] | None:
    """Return the payment of a finalised payslip without its releases, and whether it is, or was, withheld."""
    row = await repository.find_payment(tx, client_id, payslip_id)
    if row is None:
        return None
    columns = dict(row)
    is_withheld = columns.pop("withheld")
    return ClearancePayment(**columns), is_withheld


async def load_releases(
    tx: Transaction, client_id: int, payslip_ids: Sequence[int]
) -> Mapping[int, Sequence[PaymentRelease]]:
    """Load the releases of payslips, by payslip, in the order in which they were made."""
    releases: dict[int, list[PaymentRelease]] = defaultdict(list)
    for row in await repository.load_releases(tx, client_id, payslip_ids):
        release = PaymentRelease(**row)
        releases[release.payslip_id].append(replace(release, created_at=release.created_at.astimezone(SINGAPORE)))
    return releases


async def load_releases_to_employees(
    tx: Transaction, client_ids: Sequence[int], payment_method: str, since: datetime
) -> list[EmployeeRelease]:
    """Load what clients have released since a time to employees who are paid by a method, in order."""
    rows = await repository.load_releases_by_method(tx, client_ids, EMPLOYEE, payment_method, since)
    return [EmployeeRelease(**row) for row in rows]


async def load_clearance_payments(tx: Transaction, client_id: int, employee_id: int) -> list[ClearancePayment]:
    """Load the payments of an employee's finalised payslips that are subject to tax clearance, in order."""
    rows = await repository.load_withheld_payments(tx, client_id, employee_id)
    if not rows:
        return []
    releases = await load_releases(tx, client_id, [row["payslip_id"] for row in rows])
    return [ClearancePayment(**row, releases=releases.get(row["payslip_id"], ())) for row in rows]


async def load_unpaid_payments(
    tx: Transaction, client_id: int, employee_id: int, first: date
) -> list[ClearancePayment]:
    """Load recent payments of periods that end on a day or later and are neither withheld nor paid.

    A run that is marked as paid on a future day is not paid yet.
    """
    today = clock.today()
    since = today - MAX_DAYS_LATE
    rows = await repository.load_unpaid_payments(tx, client_id, employee_id, first, since, today)
    return [ClearancePayment(**row) for row in rows]


async def load_unwithheld_pay(tx: Transaction, client_id: int, payment_run_id: int) -> list[UnwithheldPay]:
    """Load what a run would pay, or pays, to leavers whose pay must be withheld from a notice date on.

    Empty if the run is paid, or if it was to be paid long ago. A run that is marked as paid on a future day is not paid
    yet.
    """
    today = clock.today()
    terms = {
        employee_id: services
        for employee_id, services in (await load_clearance_terms(tx, client_id, None)).items()
        if any(service.ir21 and service.notice_date for service in services)
    }
    if not terms:
        return []
    since = today - MAX_DAYS_LATE
    rows = await repository.load_leaver_payments(tx, client_id, payment_run_id, list(terms), since, today)
    unwithheld = []
    for row in rows:
        service = find_term(terms[row["employee_id"]], row["end_date"])
        if service and service.ir21 and service.notice_date:
            is_due_before = not service.withholds(row["end_date"], row["pay_date"], row["payment_date"])
            pay = UnwithheldPay(
                row["payslip_id"], row["employee_id"], row["nett_cents"], service.notice_date, is_due_before
            )
            unwithheld.append(pay)
    return unwithheld


async def load_pay_to_withhold(tx: Transaction, client_id: int, payment_run_id: int) -> dict[int, int]:
    """Load the pay that is withheld once an open run is finalised, in cents, by employee."""
    terms = await load_clearance_terms(tx, client_id, None)
    if not terms:
        return {}
    rows = await repository.load_leaver_payments(tx, client_id, payment_run_id, list(terms), date.min, clock.today())
    withheld: dict[int, int] = defaultdict(int)
    for row in rows:
        if is_subject_to_clearance(terms[row["employee_id"]], row["end_date"], row["pay_date"], row["payment_date"]):
            withheld[row["employee_id"]] += row["nett_cents"]
    return dict(withheld)


async def load_withheld_pay(tx: Transaction, client_id: int, payslip_ids: Sequence[int]) -> dict[int, WithheldPay]:
    """Load the pay of finalised payslips that is, or was, withheld, by payslip. Others are left out."""
    nett_cents = await repository.load_withheld_nett_pay(tx, client_id, payslip_ids)
    releases = await load_releases(tx, client_id, list(nett_cents)) if nett_cents else {}
    return {payslip_id: WithheldPay(cents, releases.get(payslip_id, ())) for payslip_id, cents in nett_cents.items()}


async def load_withheld_cents_of_run(tx: Transaction, client_id: int, payment_run_id: int) -> dict[int, int]:
    """Load what is withheld of a run and not released, in cents, by payslip. Others are left out."""
    return await repository.load_withheld_cents_of_run(tx, client_id, payment_run_id)


async def load_withheld_cents_of_employees(tx: Transaction, employee_ids: Sequence[int]) -> dict[int, int]:
    """Load what is withheld and not released, in cents, by employee. Others are left out."""
    return await repository.load_withheld_cents_of_employees(tx, employee_ids)


async def load_withheld_states(tx: Transaction, employee_ids: Sequence[int]) -> dict[int, bool]:
    """Return whether pay is or will be withheld, of leavers with withheld payments or a draft of their last days.

    The others have no such payments.
    """
    return await repository.load_withheld_states(tx, employee_ids)


async def find_last_payment(tx: Transaction, client_id: int, employee_id: int) -> ClearancePayment | None:
    """Return the last payment of an employee's finalised payslips."""
    row = await repository.find_last_payment(tx, client_id, employee_id)
    return ClearancePayment(**row) if row else None
