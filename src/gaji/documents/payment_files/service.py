"""What can be asked about the files of a payment run."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from gaji.core.errors import Conflict, Forbidden, NotFound, ValidationError
from gaji.db.tenancy import Tenant
from gaji.documents import payment_list
from gaji.documents.file_result import FileResult, amount
from gaji.documents.payment_files.bank_files import bank_file, forms_for
from gaji.documents.payment_files.payment_batch import GIRO, Gathered, gather
from gaji.documents.payment_list import PaidByHand
from gaji.identity.service import require_writer
from gaji.payroll.payment_runs.models import run_for_reading
from gaji.payroll.payslips import statutory_totals
from gaji.payroll.payslips.statutory_totals import NettPay
from gaji.payroll.payslips.queries import payslip_facts

BY_HAND = ("cash", "cheque")
LIST_NAME, LIST_TYPE = "payment_list.csv", "text/csv"
LIST_DESCRIPTION = "Who is paid in cash or by cheque"


@dataclass(frozen=True)
class PaymentFile:
    """One file of a run, or why it cannot be made, and whom it pays."""

    name: str
    bank: str | None
    description: str
    file: FileResult
    gathered: Gathered
    methods: Sequence[str]

    def to_json(self) -> dict[str, Any]:
        """The file as the API shows it."""
        pays = self.gathered.by(*self.methods)
        return {
            "name": self.name,
            "bank": self.bank,
            "description": self.description,
            "payments": len(pays),
            "pay_dates": sorted({str(one.pay_date) for one in pays}),
            "methods": [_method(method, self.gathered.by(method)) for method in self.methods],
            "withheld": [
                {"payslip_id": one.payslip_id, "employee_id": one.employee_id, "amount": amount(one.cents)}
                for one in self.gathered.withheld_by(*self.methods)
            ],
            **self.file.to_json(),
        }


async def list_files(tenant: Tenant, run_id: int) -> list[PaymentFile]:
    """The files of a finalised run, with what keeps any of them from being made."""
    async with tenant.snapshot() as tx:
        run = await run_for_reading(tx, run_id)
        run.require_finalised("paid")
        gathered = await gather(tx, run)
    return await asyncio.to_thread(_files, gathered)


async def read_file(tenant: Tenant, run_id: int, name: str) -> PaymentFile:
    """One file of a finalised run; refused with all that keeps it from being made."""
    files = {one.name: one for one in await list_files(tenant, run_id)}
    found = files.get(name)
    if found is None:
        there = f"it has {' and '.join(files)}" if files else "it has none"
        raise NotFound(f"Payment run {run_id} has no file {name[:60]!r}; {there}")
    if found.file.has_identifiers and tenant.caller.hide_identifiers:
        raise Forbidden("This API key may not see identifiers, and the file has them")
    if found.file.errors:
        raise ValidationError(found.file.errors, f"The file {name} of payment run {run_id} cannot be made: see errors")
    return found


async def release_payment(tenant: Tenant, payslip_id: int) -> None:
    """Let a finalised payslip be paid although taxes have to be cleared first."""
    async with tenant.transaction() as tx:
        payslip = await payslip_facts(tx, payslip_id)
        if payslip is None:
            raise NotFound(f"There is no payslip {payslip_id}")
        await require_writer(tx, payslip.client_id)
        if not payslip.finalised:
            raise Conflict(f"Payslip {payslip_id} is not finalised, so its payment cannot be released")
        await statutory_totals.release_payment(tx, payslip.client_id, payslip_id)


def _files(gathered: Gathered) -> list[PaymentFile]:
    """The files of a run, and those of the payments that were withheld and released."""
    found = _files_of(gathered)
    if gathered.released:
        found += [_named_apart(one) for one in _files_of(gathered.of_released())]
    return found


def _files_of(gathered: Gathered) -> list[PaymentFile]:
    """A file for the bank where someone is paid by it, and a list of those who are paid by hand."""
    found = []
    if gathered.by(GIRO) or gathered.withheld_by(GIRO):
        for form in forms_for(gathered.payer):
            made = bank_file(form, gathered)
            found.append(PaymentFile(form.name, form.bank, form.description, made, gathered, [GIRO]))
    if gathered.by(*BY_HAND) or gathered.withheld_by(*BY_HAND):
        made = _payment_list(gathered)
        found.append(PaymentFile(LIST_NAME, None, LIST_DESCRIPTION, made, gathered, BY_HAND))
    return found


def _named_apart(file: PaymentFile) -> PaymentFile:
    stem, _, ending = file.name.rpartition(".")
    description = f"{file.description}: what was withheld for tax clearance and released"
    return replace(file, name=f"{stem}_released.{ending}", description=description)


def _payment_list(gathered: Gathered) -> FileResult:
    pays = gathered.by(*BY_HAND)
    return FileResult(
        file_name=f"payment_list_{gathered.run.id}.csv",
        media_type=LIST_TYPE,
        data=payment_list.written([_paid_by_hand(gathered, one) for one in pays]),
        errors={},
        total_cents=sum(one.cents for one in pays),
        has_identifiers=False,
    )


def _paid_by_hand(gathered: Gathered, one: NettPay) -> PaidByHand:
    person = gathered.people[one.employee_id]
    return PaidByHand(
        one.payslip_id, person.named.number, person.named.name, person.payment_method, one.pay_date, one.cents
    )


def _method(method: str, pays: Sequence[NettPay]) -> dict[str, Any]:
    return {"payment_method": method, "payments": len(pays), "total": amount(sum(one.cents for one in pays))}
