"""Payslip PDFs, and the bank files of a pay run."""

import asyncio
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from gaji.approvals.models import ApprovalKind
from gaji.console.approvals import load_pending
from gaji.console.confirmations import render_question
from gaji.console.file_approvals import files_path, has_other_dates, other_request_text, requested_value_date
from gaji.console.formats import format_day
from gaji.console.pages import Confirmation, PageRouter, when_queried
from gaji.console.pay_run_warnings import EMPLOYEES_PATH
from gaji.console.request import PageRequest
from gaji.console.return_paths import return_path
from gaji.console.unwithheld_pay import load_named_pay, load_unwithheld_text, unwithheld_text
from gaji.core import clock
from gaji.core.errors import Conflict, Errors, GajiError, ValidationError
from gaji.core.field_types import DateType
from gaji.db.tenancy import Tenant
from gaji.documents.payment_files import service as payment_files
from gaji.documents.payment_files.service import PaymentFile
from gaji.documents.payment_files.value_dates import DATE_IN_PAST, VALUE_DATE, bank_payment_date, non_working_reason
from gaji.documents.payslips import service as payslips
from gaji.payroll.payment_reissues import service as payment_reissues
from gaji.payroll.payment_runs import overview, reopen
from gaji.payroll.payment_runs import service as payment_runs
from gaji.payroll.payment_runs.overview import RunSummary
from gaji.payroll.payment_runs.payslips import RunKey
from gaji.payroll.payment_runs.reopen import ReopenEffects
from gaji.web.responses import HttpResponse

router = PageRouter()

PDF = "application/pdf"
FILES = "/payment_runs/{payment_run_id}/files"
MARK_PAID = "mark_paid"
WITHHOLD_HERE = "withhold it here"
MAX_DAYS_EARLY = timedelta(days=7)
"""How long before its payment date a pay run is paid without a question."""


@router.get("/payslips/{payslip_id}.pdf")
async def show_pdf(request: PageRequest) -> HttpResponse:
    """Return a payslip as PDF."""
    return await pdf_response(request)


async def pdf_response(request: PageRequest) -> HttpResponse:
    """Return the PDF of the payslip with the ID in the path."""
    pdf, document = await payslips.read_pdf(request.tenant, request.ids["payslip_id"])
    return request.respond(200, pdf, PDF, ("Content-Disposition", f'inline; filename="{document.file_name}"'))


@router.get(FILES, step_up=when_queried("download"), is_file=True)
async def show_files(request: PageRequest) -> HttpResponse:
    """Show the bank files of a pay run with their totals, or download one of them."""
    return await _files_page(request)


@router.post(FILES)
async def change_payments(request: PageRequest) -> HttpResponse:
    """Set the payment date of a pay run, mark it as paid on a day, or reissue one of its payments."""
    run_id = request.ids["payment_run_id"]
    company = await request.writable_company(await overview.load_client_id(request.tenant, run_id))
    question = await _paid_question(request, company.id, run_id)
    if question:
        return render_question(request, question, company)
    try:
        notice = await _change_payments(request, run_id)
    except (ValidationError, Conflict) as error:
        return await _files_page(request, error)
    if request.form.get("action") == MARK_PAID:
        return request.redirect(f"/payment_runs/{run_id}", notice)
    value_date = _value_date(request) if "approve" in request.form else None
    return request.redirect(files_path(run_id, value_date, return_path(request.form)), notice)


async def _change_payments(request: PageRequest, run_id: int) -> str:
    if "approve" in request.form:
        await payment_files.request_file_approval(request.tenant, run_id, request.form["approve"], _value_date(request))
        return "Another person has to approve the file. Then it can be downloaded"
    if "payslip_id" in request.form:
        body = {"payslip_ids": [request.form["payslip_id"]]}
        await payment_reissues.reissue_payments(request.tenant, run_id, body)
        return "Payment reissued. It has a file of its own"
    payment = {"payment_date": request.form.get("payment_date") or None}
    if request.form.get("action") == MARK_PAID:
        await payment_runs.mark_paid(request.tenant, run_id, payment)
        return "Pay run marked as paid"
    await payment_runs.update_run(request.tenant, run_id, payment)
    return "Payment date saved"


async def _paid_question(request: PageRequest, client_id: int, run_id: int) -> Confirmation | None:
    """Return what to ask before a run is marked as paid on an unusual day, or with pay that must be withheld.

    Days that are not valid are errors later.
    """
    if request.form.get("action") != MARK_PAID or request.form.get("confirmed") == "yes":
        return None
    run = (await overview.load_overview(request.tenant, run_id)).run
    text = request.form.get("payment_date")
    day = DateType().parse(text, "payment_date", Errors()) if text else run.payment_date
    if not day:
        return None
    reason = unusual_date_text(run, day, clock.today())
    unwithheld = await load_unwithheld_text(request.tenant, client_id, run, day) if run.finalised else ""
    if not reason and not unwithheld:
        return None
    effect = f"{reason} Employees see this date on their payslips.".strip()
    effect = f"{unwithheld}. {effect}" if unwithheld else effect
    return Confirmation(f"Mark as paid on {format_day(day)}?", effect, "Mark as paid")


def unusual_date_text(run: RunSummary, day: date, today: date) -> str:
    """Return what is unusual about a day on which a run was paid. Empty if nothing is, or it is not finalised."""
    if run.finalised_at is None or run.paid_at:
        return ""
    if day > today:
        return "This day is in the future. Continue only if the bank has accepted the payments for it."
    if day < run.payment_date - MAX_DAYS_EARLY:
        return f"This day is long before the payment date, {format_day(run.payment_date)}."
    finalised = clock.date_of(run.finalised_at)
    return f"The pay run was finalised later, on {format_day(finalised)}." if day < finalised else ""


def proposed_paid_date(run: RunSummary, downloaded: date | None, today: date) -> date:
    """Return the day on which a run was probably paid: as planned, or today if the plan is unusual."""
    planned = downloaded or run.payment_date
    is_past = run.finalised_at is not None and planned < clock.date_of(run.finalised_at)
    return today if is_past else planned


async def _files_page(request: PageRequest, error: GajiError | None = None) -> HttpResponse:
    run_id = request.ids["payment_run_id"]
    company = await request.company(await overview.load_client_id(request.tenant, run_id))
    header = await overview.load_overview(request.tenant, run_id)
    run = header.run
    files: list[PaymentFile] = []
    value_date = None
    try:
        value_date = _value_date(request)
        if "download" in request.query:
            return await _download(request, run_id, value_date)
        files = await payment_files.list_files(request.tenant, run_id, value_date) if run.finalised else []
    except (ValidationError, Conflict) as caught:
        error = caught
    return_to = return_path(request.form or request.query)
    file_date = value_date if files else None
    value_date = None if error else value_date
    planned_date = value_date or payment_files.last_bank_date(files)
    has_wrong_account = any(path.startswith(EMPLOYEES_PATH) for file in files for path in file.file.errors)
    needs_reopening = has_wrong_account and not run.paid_at
    effects, reopenable = await _load_effects(request.tenant, header.key) if needs_reopening else (None, [])
    unwithheld = await load_named_pay(request.tenant, company.id, run)
    values = await asyncio.to_thread(
        lambda: [
            (_file_values(file, run_id, return_to), file.file, file.downloads, file.warnings, file.approval)
            for file in files
        ]
    )
    return request.render(
        "payment_run_files.html",
        return_to=return_to,
        status=error.status if error else 200,
        company=company,
        here="Pay runs",
        run=run,
        error=error,
        value_date=(request.form or request.query).get(VALUE_DATE, ""),
        file_date=file_date,
        here_path=files_path(run_id, file_date),
        files=values,
        effects=effects,
        reopenable=reopenable,
        past_date=DATE_IN_PAST.code,
        has_past_date=not run.paid_at and any(_has_past_date(file) for file in files),
        payment_date=request.form.get("payment_date") or run.payment_date,
        paid_date=request.form.get("payment_date") or proposed_paid_date(run, planned_date, clock.today()),
        downloaded_date=payment_files.last_bank_date(files),
        non_working=non_working_reason(run.payment_date) if any(file.bank for file in files) else "",
        bank_date=bank_payment_date(run.payment_date),
        approvals=await load_pending(request, company, payment_run_id=run_id, kind=ApprovalKind.PAYMENT_FILE),
        payments=_payments(files) if run.paid_at and company.can_write else [],
        unwithheld=unwithheld_text(unwithheld, run, advice=WITHHOLD_HERE if company.can_write else "withhold it"),
        withholdable=unwithheld if run.finalised and company.can_write else [],
    )


async def _load_effects(tenant: Tenant, run: RunKey) -> tuple[ReopenEffects, list[RunSummary]]:
    """Return what reopening a run affects, and the later runs that can be reopened before it."""
    async with tenant.read_only() as tx:
        effects = await reopen.load_effects(tx, run)
        return effects, await reopen.list_reopenable_runs(tx, run, effects)


async def _download(request: PageRequest, run_id: int, value_date: date | None) -> HttpResponse:
    file = (await payment_files.download_file(request.tenant, run_id, request.query["download"], value_date)).file
    disposition = ("Content-Disposition", f'attachment; filename="{file.file_name}"')
    return request.respond(200, file.data or b"", file.media_type, disposition)


def _value_date(request: PageRequest) -> date | None:
    text = (request.form or request.query).get(VALUE_DATE)
    errors = Errors()
    value_date = DateType().parse(text, VALUE_DATE, errors) if text else None
    if errors:
        raise ValidationError(errors)
    return value_date


def _has_past_date(file: PaymentFile) -> bool:
    """Return whether a file can be downloaded and has a date in the past, which banks refuse."""
    return not file.file.errors and any(warning.kind is DATE_IN_PAST for warning in file.warnings)


def _payments(files: Sequence[PaymentFile]) -> list[tuple[int, str, int]]:
    """Return the payments of the run that can be reissued: payslip, name and cents."""
    payments = {
        pay.payslip_id: (pay.payslip_id, str(file.batch.payees[pay.employee_id].employee), pay.cents)
        for file in files
        for pay in file.pays
        if not file.batch.payees[pay.employee_id].withheld
    }
    return sorted(payments.values(), key=lambda payment: payment[1])


def _file_values(file: PaymentFile, run_id: int, return_to: str) -> dict[str, Any]:
    """Return a file with its title, its other request for approval, and its withheld amounts as decimal text."""
    values = file.to_json()
    other = file.approval.other if file.approval else None
    other_date = requested_value_date(other) if other and has_other_dates(file, other) else None
    withheld = [{**payment, "amount": bytes(payment["amount"]).decode()} for payment in values["withheld"]]
    return {
        **values,
        "title": file.title,
        "is_release": file.is_release,
        "is_reissue": file.is_reissue,
        "withheld": withheld,
        "other_request": other_request_text(file),
        "other_path": files_path(run_id, other_date, return_to) if other_date else "",
    }
