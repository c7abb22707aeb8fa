"""Filings: payments to the CPF Board and the Ministry of Manpower for a month, and the CPF file."""

import asyncio
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from gaji.company.waves.queries import load_schedules
from gaji.console.company_numbers import load_number_texts
from gaji.console.next_company import find_next_step
from gaji.console.pages import Confirmation, PageRouter
from gaji.console.request import PageRequest, is_from_other_site, page_not_found
from gaji.console.return_paths import return_path
from gaji.console.tables import SortKeys, build_table
from gaji.core import clock
from gaji.core.errors import Conflict, Errors, Forbidden, GajiError, ValidationError
from gaji.documents.file_result import FileResult
from gaji.documents.filings import service as filings
from gaji.documents.filings.overdue import MAX_MONTHS
from gaji.documents.filings.payable import load_payable_months, month_due
from gaji.documents.filings.schemas import FilingMonth
from gaji.documents.filings.service import ChangedCpfFile, CpfFiling, LevyFiling
from gaji.documents.withholding_tax.service import WithheldTax, list_withheld_taxes
from gaji.law.months import Month
from gaji.payroll.payslips.statutory_totals import UnfinalisedPeriod
from gaji.people.employees import directory
from gaji.people.employees.display_name import EmployeeLabel
from gaji.web.responses import HttpResponse

router = PageRouter()

FILINGS = "/companies/{client_id}/filings"
MAX_ID_DIGITS = 18
WITH_EMPLOYEES = ("changes", "refunds", "payable_separately")
AMOUNTS = ("submitted", "current", "difference", "amount", "total")


async def _is_download(request: PageRequest) -> bool:
    """Return whether the file is requested. Raises Forbidden for links on other sites, as it counts as submitted."""
    is_download = "download" in request.query
    if is_download and is_from_other_site(request.scope):
        raise Forbidden("This download was requested by another site")
    return is_download


@router.get(FILINGS, step_up=_is_download, is_file=True)
async def show_filing(request: PageRequest) -> HttpResponse:
    """Show the payments for a month (default: the month that is due), or download its file or an earlier one."""
    return await _page(request)


@router.post(
    FILINGS,
    confirm=Confirmation(
        "Discard this submission?",
        "The next file of the month has its amounts again. Only discard a file that was not sent to the CPF Board.",
        "Discard",
    ),
)
async def discard_submission(request: PageRequest) -> HttpResponse:
    """Discard a submission that was not sent."""
    company = await request.writable_company(request.ids["client_id"])
    text = request.form.get("submission_id", "")
    if not _is_id(text):
        raise page_not_found(request)
    try:
        month = await filings.discard_submission(request.tenant, int(text))
    except Conflict as error:
        return await _page(request, error)
    notice = "Submission discarded. The next file has its amounts"
    return request.redirect(f"/companies/{company.id}/filings?month={month}", notice)


async def _page(request: PageRequest, error: GajiError | None = None) -> HttpResponse:
    company = await request.company(request.ids["client_id"])
    text = request.query.get("month") or str(await _default_month(request, company.id))
    listed: list[CpfFiling | LevyFiling] = []
    open_periods: list[UnfinalisedPeriod] = []
    taxes: list[WithheldTax] = []
    changed = None
    try:
        month = _parse_month(text)
        if await _is_download(request):
            try:
                return await _download(request, company.id, month)
            except ChangedCpfFile as conflict:
                changed = conflict.submission
        taxes = await list_withheld_taxes(request.tenant, company.id, month.year)
        open_periods = await filings.list_open_periods(request.tenant, company.id, month)
        listed = await filings.list_filings(request.tenant, company.id, month)
    except (ValidationError, Conflict) as caught:
        error = caught
    cpf_filings = await asyncio.to_thread(_cpf_filings, listed)
    employee_ids = [tax.employee_id for tax in taxes]
    for filing, _ in cpf_filings:
        employee_ids += [item["employee_id"] for name in WITH_EMPLOYEES for item in filing[name]]
    async with request.tenant.read_only() as tx:
        names = await directory.load_employee_labels(tx, company.id, [item for item in employee_ids if item])
        schedules = await load_schedules(tx, company.id)
    is_complete = not error and not open_periods
    is_submitted = all(filing["state"] == "submitted" for filing, _ in cpf_filings)
    is_finished = company.can_write and is_complete and is_submitted
    sort_keys = _change_sort_keys(names)
    for filing, _ in cpf_filings:
        filing["changes"] = build_table(request, filing["changes"], sort_keys, anchor="#changes")
    return request.render(
        "filings.html",
        status=error.status if error else ChangedCpfFile.status if changed else 200,
        company=company,
        next_company=await find_next_step(request, company, is_finished=is_finished),
        here="Filings",
        month=text,
        return_to=return_path(request.query),
        notes=await load_number_texts(request, company.id) if company.can_write and cpf_filings else [],
        filings=cpf_filings,
        levies=[filing for filing in listed if isinstance(filing, LevyFiling)],
        open_periods=open_periods,
        schedules=schedules,
        is_refused=_is_refused(error, open_periods),
        error=error,
        changed=changed,
        taxes=taxes,
        names=names,
    )


async def _default_month(request: PageRequest, client_id: int) -> Month:
    """Return the month that is due next, or else the latest month with payments, or else last month."""
    today = clock.today()
    async with request.tenant.read_only() as tx:
        months = await load_payable_months(tx, [client_id], Month.from_date(today) - MAX_MONTHS)
    payable = month_due(months.get(client_id, []), today)
    return payable.month if payable else Month.from_date(today) - 1


def _is_refused(error: GajiError | None, open_periods: Sequence[UnfinalisedPeriod]) -> bool:
    """Return whether the filings are refused because of open pay runs that the list of open periods has."""
    paths = {f"payment_runs.{period.payment_run_id}" for period in open_periods}
    return isinstance(error, Conflict) and bool(error.errors) and error.errors.keys() <= paths


def _change_sort_keys(names: Mapping[int, EmployeeLabel]) -> SortKeys[Mapping[str, Any]]:
    """Return what the changes of a filing can be sorted by. Changes of no employee come last."""
    return {
        "employee": lambda change: names[change["employee_id"]].name if change["employee_id"] in names else None,
        "payment": lambda change: change["name"],
        "difference": lambda change: Decimal(change["difference"]),
    }


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= MAX_ID_DIGITS


async def _download(request: PageRequest, client_id: int, month: Month) -> HttpResponse:
    wanted = request.query["download"]
    if _is_id(wanted):
        allows_changes = request.query.get("changed") == "yes"
        file = await filings.read_submitted_file(
            request.tenant, client_id, month, int(wanted), allows_changes=allows_changes
        )
    else:
        file = (await filings.download_cpf_filing(request.tenant, client_id, month)).file
    disposition = ("Content-Disposition", f'attachment; filename="{file.file_name}"')
    return request.respond(200, file.data or b"", file.media_type, disposition)


def _parse_month(text: str) -> Month:
    errors = Errors()
    month = FilingMonth().parse(text, "month", errors)
    if month is None:
        raise ValidationError(errors)
    return month


def _cpf_filings(listed: Sequence[CpfFiling | LevyFiling]) -> list[tuple[dict[str, Any], FileResult]]:
    return [(_filing_values(filing), filing.file) for filing in listed if isinstance(filing, CpfFiling)]


def _filing_values(filing: CpfFiling) -> dict[str, Any]:
    """Return a filing with its amounts as decimal text, and its submissions as records."""
    values = _with_texts(filing.to_json())
    for name in ("payments", "comparison", *WITH_EMPLOYEES):
        values[name] = [_with_texts(element) for element in values[name]]
    return {**values, "late_interest_cents": filing.late_interest_cents, "submissions": filing.recorded}


def _with_texts(values: dict[str, Any]) -> dict[str, Any]:
    return {name: bytes(value).decode() if name in AMOUNTS else value for name, value in values.items()}
