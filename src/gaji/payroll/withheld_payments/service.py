"""Use cases of withheld payments: list them, withhold and release them, and list their releases."""

from collections.abc import Mapping, Sequence
from typing import Any

from gaji.company.clients.service import require_officer
from gaji.core import clock
from gaji.core.errors import Conflict, NotFound
from gaji.core.validation import ValidatedInput
from gaji.db.tenancy import Tenant, Transaction
from gaji.identity.roles import require_writer
from gaji.payroll.payment_runs.models import lock_run
from gaji.payroll.payslips.queries import PayslipRef, load_payslip_ref
from gaji.payroll.snapshots.take_snapshots import withhold
from gaji.payroll.withheld_payments import queries, repository
from gaji.payroll.withheld_payments.queries import ClearancePayment, PaymentRelease
from gaji.payroll.withheld_payments.rules import PAYSLIP_NOT_FINALISED, not_withholdable, require_withholdable
from gaji.payroll.withheld_payments.schemas import RELEASE, ReleaseInput, within_withheld_rule
from gaji.people.employees.access import require_readable_employee
from gaji.people.service_periods.queries import find_term, load_clearance_terms

NOT_WITHHELD = "Employees can read their own payslips but not what is withheld from them"


async def list_withheld(tenant: Tenant, employee_id: int) -> list[ClearancePayment]:
    """List the payments of an employee that are, or were, withheld for tax clearance."""
    async with tenant.read_only() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        await require_officer(tx, client_id, NOT_WITHHELD)
        return await queries.load_clearance_payments(tx, client_id, employee_id)


async def list_releases(tenant: Tenant, payslip_id: int) -> Sequence[PaymentRelease]:
    """List the releases of a payslip's payment, in the order in which they were made."""
    async with tenant.read_only() as tx:
        payslip = await _require_payslip(tx, payslip_id)
        await require_officer(tx, payslip.client_id, NOT_WITHHELD)
        releases = await queries.load_releases(tx, payslip.client_id, [payslip_id])
        return releases.get(payslip_id, ())


async def release_payment(
    tenant: Tenant, payslip_id: int, body: Mapping[str, Any]
) -> tuple[int, ValidatedInput[ReleaseInput]]:
    """Release a payment that is withheld for tax clearance, or a part of it. Return the cents that were released.

    Without an amount, everything that is withheld is released, which may be nothing.
    """
    async with tenant.transaction() as tx:
        payslip = await _require_payslip(tx, payslip_id)
        await require_writer(tx, payslip.client_id)
        await repository.lock_payslip(tx, payslip.client_id, payslip_id)
        payslip = await _require_payslip(tx, payslip_id)
        amount, validated = await _validate_release(tx, payslip, payslip_id, body)
        if amount:
            await repository.insert_release(tx, payslip.client_id, payslip_id, amount, validated.data.to)
        return amount, validated


async def check_release(
    tenant: Tenant, payslip_id: int, body: Mapping[str, Any]
) -> tuple[int, ValidatedInput[ReleaseInput]]:
    """Return the cents that a release would release, without saving it."""
    async with tenant.read_only() as tx:
        payslip = await _require_payslip(tx, payslip_id)
        await require_writer(tx, payslip.client_id)
        return await _validate_release(tx, payslip, payslip_id, body)


async def _validate_release(
    tx: Transaction, payslip: PayslipRef, payslip_id: int, body: Mapping[str, Any]
) -> tuple[int, ValidatedInput[ReleaseInput]]:
    if not payslip.finalised:
        raise Conflict(f"Payslip {payslip_id} is not finalised, so its payment cannot be released")
    payments = await queries.load_clearance_payments(tx, payslip.client_id, payslip.employee_id)
    withheld = sum(payment.withheld_cents for payment in payments if payment.payslip_id == payslip_id)
    validated = RELEASE.parse_create(body, within_withheld_rule(withheld))
    return withheld if validated.data.amount_cents is None else validated.data.amount_cents, validated


async def withhold_payment(tenant: Tenant, payslip_id: int) -> None:
    """Withhold the payment of a finalised payslip for tax clearance until it is released.

    This is for a leaver whose notice was recorded after the run was finalised, or whose pay was due before the notice.
    """
    async with tenant.transaction() as tx:
        payslip = await _require_payslip(tx, payslip_id)
        await require_writer(tx, payslip.client_id)
        payment, _ = await _require_finalised_payment(tx, payslip.client_id, payslip_id)
        # The run cannot be marked as paid or unfinalised meanwhile.
        await lock_run(tx, payment.payment_run_id, lock_drafts=False)
        payment, is_withheld = await _require_finalised_payment(tx, payslip.client_id, payslip_id)
        terms = await load_clearance_terms(tx, payslip.client_id, [payslip.employee_id])
        service = find_term(terms.get(payslip.employee_id, ()), payment.end_date)
        require_withholdable(payslip_id, payment, service, clock.today(), is_withheld=is_withheld)
        await withhold(tx, payslip.client_id, payslip_id)
        await repository.insert_withholding(tx, payslip.client_id, payslip_id)


async def delete_withholdings(tx: Transaction, client_id: int, payment_run_id: int) -> None:
    """Delete the records of payments of a run that users withheld, because its payslips are drafts again."""
    await repository.delete_withholdings(tx, client_id, payment_run_id)


async def delete_releases(tx: Transaction, client_id: int, payment_run_id: int) -> None:
    """Withhold the payments of a run again, because its payslips are drafts again."""
    await repository.delete_releases(tx, client_id, payment_run_id)


async def _require_finalised_payment(tx: Transaction, client_id: int, payslip_id: int) -> tuple[ClearancePayment, bool]:
    """Return the payment of a finalised payslip, and whether it is, or was, withheld."""
    payment = await queries.find_payment(tx, client_id, payslip_id)
    if payment is None:
        raise not_withholdable(payslip_id, PAYSLIP_NOT_FINALISED)
    return payment


async def _require_payslip(tx: Transaction, payslip_id: int) -> PayslipRef:
    payslip = await load_payslip_ref(tx, payslip_id)
    if payslip is None:
        raise NotFound(f"Payslip {payslip_id} does not exist")
    return payslip
