"""Payment file use cases."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import partial
from typing import Any

from gaji.approvals.models import Approval, OutdatedRequest
from gaji.approvals.service import is_required, request_approval
from gaji.core.errors import Conflict, Errors, FieldError, Forbidden, NotFound, ValidationError
from gaji.db.tenancy import Tenant, Transaction
from gaji.documents.certainty import OWN_LAYOUT, Certainty
from gaji.documents.file_result import FileResult, json_amount
from gaji.documents.payment_files import repository
from gaji.documents.payment_files.approvals import (
    CONTENT_CHANGED,
    FileApproval,
    approval_request,
    find_file_approval,
    load_file_approvals,
    require_approved,
)
from gaji.documents.payment_files.build_bank_file import (
    batch_in_format,
    build_bank_file,
    find_account_errors,
    formats_for,
)
from gaji.documents.payment_files.downloaded_files import (
    DownloadedFile,
    PaymentChange,
    last_amounts,
    load_downloaded_files,
    payment_changes,
    record_download,
)
from gaji.documents.payment_files.payers import load_payer
from gaji.documents.payment_files.payment_batch import GIRO, PaymentBatch, load_draft_batch, load_payment_batch
from gaji.documents.payment_files.released_payments import RELEASED
from gaji.documents.payment_files.value_dates import date_warnings, require_valid
from gaji.documents.payment_list import ManualPayment, encode_payment_list
from gaji.identity.roles import can_write, require_writer
from gaji.payroll.payment_runs.models import PaymentRun, load_run
from gaji.payroll.payslips.statutory_totals import NettPay
from gaji.payroll.snapshots.queries import has_payment_method
from gaji.periods.locks import lock_drafts_shared

MANUAL_METHODS = ("cash", "cheque")
PAYMENT_LIST_NAME, PAYMENT_LIST_MEDIA_TYPE = "payment_list.csv", "text/csv"
PAYMENT_LIST_TITLE = "Cash and cheque payments"
PAYMENT_LIST_DESCRIPTION = "Employees paid in cash or by cheque"
REISSUED = "reissue"
"""The suffix of the files with payments that are made again."""
MAX_ECHOED_NAME = 60


@dataclass(frozen=True)
class PaymentFile:
    """One file of a run, or the errors that prevent it, and the payments in it."""

    name: str
    title: str
    bank: str | None
    description: str
    file: FileResult
    batch: PaymentBatch
    methods: Sequence[str]
    certainty: Certainty
    has_paynow: bool = False
    downloads: Sequence[DownloadedFile] = ()
    approval: FileApproval | None = None
    """Whether it may be downloaded. None if the client requires no approval."""
    suffix: str = ""
    """Tells a separate file from the others of the same format. Files of the same payments have the same."""

    @property
    def pays(self) -> list[NettPay]:
        """The payments in the file."""
        return self.batch.due_by(*self.methods)

    @property
    def is_release(self) -> bool:
        """Whether it has a payment that was released after tax clearance."""
        return self.suffix.startswith(RELEASED)

    @property
    def is_reissue(self) -> bool:
        """Whether its payments are made again, to the current accounts of the employees."""
        return self.suffix.startswith(REISSUED)

    @property
    def is_downloaded(self) -> bool:
        """Whether it was downloaded: since the release, if it has one, because the run may have been reopened."""
        moments = [download.history.last_downloaded_at for download in self.downloads]
        return any(not self.is_release or moment >= self.batch.created for moment in moments)

    @property
    def rules_versions(self) -> Sequence[str]:
        """The rules versions of the run's payslips."""
        return self.batch.run.rules_versions

    @property
    def paynow_count(self) -> int:
        """How many of the payments go to PayNow numbers."""
        return sum(bool(self.batch.payees[pay.employee_id].paynow) for pay in self.pays) if self.has_paynow else 0

    @property
    def changes(self) -> list[PaymentChange]:
        """The payments that differ from the last download."""
        return payment_changes(self.downloads, self.pays)

    @property
    def warnings(self) -> list[FieldError]:
        """What is unusual about the dates of the payments."""
        by_bank = not set(self.methods) <= set(MANUAL_METHODS)
        return date_warnings(self.pays, by_bank=by_bank, has_deadline=self.batch.has_salary_deadline)

    def to_json(self) -> dict[str, Any]:
        """Return the file as the API returns it."""
        pays = self.pays
        return {
            "name": self.name,
            "bank": self.bank,
            "description": self.description,
            "certainty": self.certainty.to_json(),
            "payments": len(pays),
            "paynow": self.paynow_count,
            "pay_dates": sorted({str(pay.pay_date) for pay in pays}),
            "methods": [_method_json(method, self.batch.due_by(method)) for method in self.methods],
            "withheld": [
                {"payslip_id": pay.payslip_id, "employee_id": pay.employee_id, "amount": json_amount(pay.cents)}
                for pay in self.batch.withheld_by(*self.methods)
            ],
            **self.file.to_json(),
            "downloads": [download.to_json() for download in self.downloads],
            "changes": [change.to_json() for change in self.changes],
            "warnings": [warning.message for warning in self.warnings],
            **({"approval": self.approval.to_json()} if self.approval else {}),
        }


@dataclass(frozen=True)
class FilePlan:
    """A file that can be built from the payments of a run."""

    name: str
    title: str
    bank: str | None
    description: str
    batch: PaymentBatch
    methods: Sequence[str]
    certainty: Certainty
    build: Callable[[PaymentBatch], FileResult]
    has_paynow: bool = False
    suffix: str = ""

    @property
    def pays(self) -> list[NettPay]:
        """The payments in the file."""
        return self.batch.due_by(*self.methods)

    def marked(self, kind: str, number: int, description: str) -> "FilePlan":
        """Return the plan of a separate file."""
        stem, _, extension = self.name.rpartition(".")
        suffix = kind if number == 1 else f"{kind}_{number}"
        return replace(
            self,
            name=f"{stem}_{suffix}.{extension}",
            title=f"{self.title}: {description}",
            description=f"{self.description}: {description}",
            suffix=suffix,
        )

    def build_file(self) -> "PaymentFile":
        """Build the file. A separate file has a name of its own, unless it is the one that the bank expects."""
        result = self.build(self.batch)
        if self.suffix:
            stem, _, extension = self.name.replace(f"_{self.suffix}.", ".").rpartition(".")
            own_name = result.file_name or ""
            if own_name.startswith(stem):
                own_name = f"{own_name.removesuffix(f'.{extension}')}_{self.suffix}.{extension}"
            result = replace(result, file_name=own_name)
        return PaymentFile(
            name=self.name,
            title=self.title,
            bank=self.bank,
            description=self.description,
            file=result,
            batch=self.batch,
            methods=self.methods,
            certainty=self.certainty,
            has_paynow=self.has_paynow,
            suffix=self.suffix,
        )


async def list_files(tenant: Tenant, run_id: int, value_date: date | None = None) -> list[PaymentFile]:
    """Return the files of a finalised run, with any errors. The value date must be a working day from today on."""
    require_valid(value_date)
    async with tenant.snapshot() as tx:
        return await _load_files(tx, await load_run(tx, run_id), value_date)


async def find_draft_errors(tenant: Tenant, run_id: int) -> Errors:
    """Return what would prevent paying a run by GIRO if it were finalised now."""
    async with tenant.read_only() as tx:
        batch = await load_draft_batch(tx, await load_run(tx, run_id))
    return missing_details(await asyncio.to_thread(_build_files, list(_plan_due_files(batch))))


async def find_finalised_errors(tenant: Tenant, run_id: int) -> Errors:
    """Return what prevents paying a finalised run by GIRO. Payments that were released or made again do not count."""
    async with tenant.snapshot() as tx:
        batch = await load_payment_batch(tx, await load_run(tx, run_id))
    return missing_details(await asyncio.to_thread(_build_files, list(_plan_due_files(batch))))


def is_payment_list(name: str) -> bool:
    """Return whether a file of this name has payments by cash or cheque, also of releases and reissues.

    >>> is_payment_list("payment_list_released.csv"), is_payment_list("dbs_giro.csv")
    (True, False)
    """
    return name.startswith(PAYMENT_LIST_NAME.removesuffix(".csv"))


def missing_details(files: Sequence[PaymentFile]) -> Errors:
    """Return the bank details of the client and of employees that the files for GIRO lack.

    If the bank takes the same payments in several formats, these are the errors of the one with the fewest.
    """
    errors = Errors()
    giro_files = [file for file in files if GIRO in file.methods]
    for formats in _group_by_payments([file for file in giro_files if file.pays] or giro_files):
        fewest: Errors = min((file.file.errors for file in formats), key=len)
        errors.update(fewest)
    return errors


async def find_payer_errors(tx: Transaction, client_id: int, run_id: int) -> Errors:
    """Return what the client's account lacks for a bank file of a run, without building it.

    Empty if the run pays nothing by GIRO.
    """
    errors = find_account_errors(await load_payer(tx, client_id, run_id))
    return errors if errors and await has_payment_method(tx, client_id, run_id, GIRO) else Errors()


async def is_downloaded(tenant: Tenant, run_id: int) -> bool:
    """Return whether a payment file of a run was downloaded."""
    async with tenant.read_only() as tx:
        run = await load_run(tx, run_id)
        return await repository.is_downloaded(tx, run.client_id, run_id)


async def count_changed_payments(tenant: Tenant, run_id: int) -> int:
    """Count the payments of a finalised run that differ from the files that were downloaded last.

    A file that the run no longer has, because the client changed banks, is compared with all payments. Payments that
    were downloaded in a newer file are not compared with it.
    """
    async with tenant.read_only() as tx:
        run = await load_run(tx, run_id)
        downloads = await load_downloaded_files(tx, run.client_id, run_id)
        plans = await _load_plans(tx, run, None) if downloads else []
    changed_ids: set[int] = set()
    downloaded_ids: set[int] = set()
    current_cents: dict[int, int] = {}
    for plan in plans:
        files = downloads.get(plan.name, ())
        changed_ids |= {change.payslip_id for change in payment_changes(files, plan.pays)}
        downloaded_ids |= {payment.payslip_id for payment in last_amounts(files)}
        current_cents |= {pay.payslip_id: pay.cents for pay in plan.pays}
    names = {plan.name for plan in plans}
    earlier = [payment for name, files in downloads.items() if name not in names for payment in last_amounts(files)]
    changed_ids |= {
        payment.payslip_id
        for payment in earlier
        if payment.payslip_id not in downloaded_ids and current_cents.get(payment.payslip_id) != payment.cents
    }
    return len(changed_ids)


def group_formats(files: Sequence[PaymentFile]) -> list[list[PaymentFile]]:
    """Return the bank files with payments. Those of the same payments, of which one is sent, are together."""
    return _group_by_payments([file for file in files if file.bank and file.pays])


def _group_by_payments(files: Sequence[PaymentFile]) -> list[list[PaymentFile]]:
    by_payments: dict[tuple[str, tuple[int, ...]], list[PaymentFile]] = {}
    for file in files:
        payslip_ids = tuple(pay.payslip_id for pay in file.pays)
        by_payments.setdefault((file.suffix, payslip_ids), []).append(file)
    return list(by_payments.values())


def payment_lists(files: Sequence[PaymentFile]) -> list[PaymentFile]:
    """Return the lists of cash and cheque payments that have payments."""
    return [file for file in files if is_payment_list(file.name) and file.pays]


def count_changes(formats: Sequence[PaymentFile]) -> int | None:
    """Count the payments that changed after a file with them was downloaded. None if none of the files was."""
    return min((len(file.changes) for file in formats if file.is_downloaded), default=None)


def last_bank_date(files: Sequence[PaymentFile]) -> date | None:
    """Return the value date of the bank file of a run that was downloaded last, if it has one date."""
    downloads = [download for file in files if file.bank for download in file.downloads]
    last = max(downloads, key=lambda download: download.history.last_downloaded_at, default=None)
    return last.value_date if last else None


async def download_file(
    tenant: Tenant,
    run_id: int,
    name: str,
    value_date: date | None = None,
    *,
    is_repeat: bool = False,
    counts_again_after: timedelta | None = None,
) -> PaymentFile:
    """Return one file of a finalised run, and record the download if the caller may write.

    Raises ValidationError if the file cannot be generated, and Conflict if the download repeats an earlier one and the
    file has changed since. If the caller's last download of the file is more recent than `counts_again_after`, it is
    not counted again.
    """
    require_valid(value_date)
    async with tenant.transaction() as tx:
        run = await _lock_finalised(tx, run_id)
        payment_file = await _build_file(tx, run, name, value_date)
        if payment_file.file.has_identifiers and tenant.caller.hide_identifiers:
            raise Forbidden("The file contains identifiers, which this API key is not allowed to see")
        if is_repeat and not await _was_downloaded(tx, run, name, payment_file.file):
            raise Conflict(f"The file {name} of payment run {run_id} has changed since it was downloaded")
        if await is_required(tx, run.client_id):
            await require_approved(tx, run, name, payment_file.file)
        if await can_write(tx, run.client_id):
            file, pays = payment_file.file, payment_file.pays
            await record_download(tx, run.client_id, run_id, name, file, pays, counts_again_after)
    return payment_file


async def _was_downloaded(tx: Transaction, run: PaymentRun, name: str, file: FileResult) -> bool:
    """Return whether a file was downloaded with just this content."""
    downloads = (await load_downloaded_files(tx, run.client_id, run.id)).get(name, ())
    return file.sha256 in {download.sha256 for download in downloads}


async def request_file_approval(tenant: Tenant, run_id: int, name: str, value_date: date | None = None) -> Approval:
    """Request the approval of a file of a finalised run. Raises Conflict if it needs none."""
    require_valid(value_date)
    async with tenant.transaction() as tx:
        run = await _lock_finalised(tx, run_id)
        await require_writer(tx, run.client_id)
        payment_file = await _build_file(tx, run, name, value_date)
        if not await is_required(tx, run.client_id):
            raise Conflict(f"Client {run.client_id} does not require approval; download the file")
        if find_file_approval(await load_file_approvals(tx, run), name, payment_file.file).is_approved:
            raise Conflict(f"{name} of payment run {run_id} is approved already; download the file")
        request = approval_request(run, name, payment_file.file, payment_file.pays, value_date)
        return await request_approval(tx, run.client_id, request)


async def check_approved_file(tx: Transaction, approval: Approval) -> None:
    """Check that a file is still the one that was requested. Its approval allows the download."""
    value_date = approval.details["value_date"]
    run = await _lock_finalised(tx, approval.subject.payment_run_id or 0)
    await require_writer(tx, run.client_id)
    if not run.finalised:
        raise OutdatedRequest(CONTENT_CHANGED)
    plans = await _load_plans(tx, run, value_date and date.fromisoformat(value_date))
    plan = next((plan for plan in plans if plan.name == approval.subject.file_name), None)
    if plan is None or (await asyncio.to_thread(plan.build_file)).file.sha256 != approval.fingerprint:
        raise OutdatedRequest(CONTENT_CHANGED)


async def _lock_finalised(tx: Transaction, run_id: int) -> PaymentRun:
    """Load a run whose state does not change until the transaction ends."""
    await lock_drafts_shared(tx, (await load_run(tx, run_id)).client_id)
    return await load_run(tx, run_id)


async def _build_file(tx: Transaction, run: PaymentRun, name: str, value_date: date | None) -> PaymentFile:
    """Build a file. Raises NotFound if there is none of this name, and ValidationError if it cannot be generated."""
    plans = {plan.name: plan for plan in await _load_plans(tx, run, value_date)}
    if name not in plans:
        available = f"it has {' and '.join(plans)}" if plans else "it has no files"
        raise NotFound(f"Payment run {run.id} has no file {name[:MAX_ECHOED_NAME]!r}; {available}")
    payment_file = await asyncio.to_thread(plans[name].build_file)
    if payment_file.file.errors:
        raise ValidationError(
            payment_file.file.errors, f"The file {name} of payment run {run.id} cannot be generated: see errors"
        )
    return payment_file


async def _load_files(tx: Transaction, run: PaymentRun, value_date: date | None) -> list[PaymentFile]:
    plans = await _load_plans(tx, run, value_date)
    downloads = await load_downloaded_files(tx, run.client_id, run.id)
    files = await asyncio.to_thread(_build_files, plans)
    files = [replace(file, downloads=downloads.get(file.name, ())) for file in files]
    if not await is_required(tx, run.client_id):
        return files
    approvals = await load_file_approvals(tx, run)
    return [replace(file, approval=find_file_approval(approvals, file.name, file.file)) for file in files]


async def _load_plans(tx: Transaction, run: PaymentRun, value_date: date | None) -> list[FilePlan]:
    run.require_finalised("paid")
    return list(_plan_files(await load_payment_batch(tx, run, value_date)))


def _build_files(plans: Sequence[FilePlan]) -> list[PaymentFile]:
    return [plan.build_file() for plan in plans]


def _plan_files(batch: PaymentBatch) -> Iterator[FilePlan]:
    """Yield the files of a run, followed by separate ones for payments released after tax clearance or made again."""
    yield from _plan_due_files(batch)
    counts: Counter[str] = Counter()
    for released_batch in batch.released_batches():
        for plan in _plan_due_files(released_batch):
            counts[plan.name] += 1
            yield plan.marked(RELEASED, counts[plan.name], "a payment released after tax clearance")
    for number, reissued_batch in enumerate(batch.reissued_batches(), start=1):
        for plan in _plan_due_files(reissued_batch):
            yield plan.marked(REISSUED, number, "payments that the bank returned")


def _plan_due_files(batch: PaymentBatch) -> Iterator[FilePlan]:
    """Yield the bank files if anyone is paid by GIRO, and the list of cash and cheque payments."""
    for giro_format in formats_for(batch.payer):
        format_batch = batch_in_format(giro_format, batch)
        if format_batch.due_by(GIRO) or format_batch.withheld_by(GIRO):
            yield FilePlan(
                name=giro_format.name,
                title=giro_format.title,
                bank=giro_format.bank,
                description=giro_format.description,
                batch=format_batch,
                methods=[GIRO],
                certainty=giro_format.certainty,
                build=partial(build_bank_file, giro_format),
                has_paynow=giro_format.has_paynow,
            )
    if batch.due_by(*MANUAL_METHODS) or batch.withheld_by(*MANUAL_METHODS):
        yield FilePlan(
            name=PAYMENT_LIST_NAME,
            title=PAYMENT_LIST_TITLE,
            bank=None,
            description=PAYMENT_LIST_DESCRIPTION,
            batch=batch,
            methods=MANUAL_METHODS,
            certainty=OWN_LAYOUT,
            build=_build_payment_list,
        )


def _build_payment_list(batch: PaymentBatch) -> FileResult:
    pays = batch.due_by(*MANUAL_METHODS)
    return FileResult(
        file_name=f"payment_list_{batch.run.id}.csv",
        media_type=PAYMENT_LIST_MEDIA_TYPE,
        data=encode_payment_list([_manual_payment(batch, pay) for pay in pays]),
        errors=Errors(),
        total_cents=sum(pay.cents for pay in pays),
        has_identifiers=False,
    )


def _manual_payment(batch: PaymentBatch, pay: NettPay) -> ManualPayment:
    payee = batch.payees[pay.employee_id]
    return ManualPayment(
        pay.payslip_id,
        payee.employee.number,
        payee.employee.name,
        payee.payment_method,
        pay.pay_date,
        pay.cents,
    )


def _method_json(method: str, pays: Sequence[NettPay]) -> dict[str, Any]:
    total_cents = sum(pay.cents for pay in pays)
    return {"payment_method": method, "payments": len(pays), "total": json_amount(total_cents)}
