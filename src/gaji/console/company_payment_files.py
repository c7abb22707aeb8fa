"""Bank files of several companies: choose pay runs and a value date, and download their files as one ZIP."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from urllib.parse import urlencode

import asyncpg

from gaji.company.clients.service import ClientMembership
from gaji.console.company_names import company_folders, company_name
from gaji.console.company_plans import MAX_COMPANIES, file_errors_text, is_unpaid, load_runs
from gaji.console.company_steps import PATH as STEPS_PATH
from gaji.console.company_steps import PATH_OF_PAYMENT_FILES as PATH
from gaji.console.company_steps import find_companies, refuse_number, selected_companies_path
from gaji.console.company_zip import build_zip
from gaji.console.error_messages import error_text
from gaji.console.formats import format_count, format_day
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest, page_not_found
from gaji.core import clock
from gaji.core.errors import Conflict, Errors, GajiError, ValidationError
from gaji.core.fair_queue import FairQueue
from gaji.core.field_types import DateType, parse_integer
from gaji.documents.payment_files import service as payment_files
from gaji.documents.payment_files.released_payments import load_released_pay
from gaji.documents.payment_files.service import PaymentFile
from gaji.documents.payment_files.value_dates import DATE_IN_PAST, VALUE_DATE, require_valid
from gaji.payroll.payment_runs import overview
from gaji.payroll.payment_runs.overview import RunSummary
from gaji.payroll.run_steps.models import CompanyStep
from gaji.web.responses import HttpResponse

router = PageRouter()

MAX_FILES = 100
"""How many files are created at once."""
MAX_NAME_LENGTH = 60
SLOTS = FairQueue("pages of payment files", slots=2, max_waiting=20, slots_per_owner=1)
NEEDS_APPROVAL = "A second person has to approve the file. Request the approval under payment files"
DATE_HAS_PASSED = "The payment date has passed, and banks refuse past dates. Choose a value date"
NOT_RECORDED = "The files could not be created. Nothing was downloaded"
NOT_WAITING = "The selected files were downloaded already, or their pay runs are marked as paid"


@dataclass(frozen=True)
class WaitingFile:
    """A bank file of a finalised pay run that was not downloaded."""

    company: ClientMembership
    run: RunSummary
    name: str
    title: str
    payments: int
    total_cents: int
    pay_dates: Sequence[date]
    problem: str = ""
    """Why the file cannot be created."""
    problem_path: str = ""
    """The page on which that can be fixed."""

    @property
    def key(self) -> str:
        """Identifies it in forms."""
        return f"{self.run.id}-{self.name}"

    @property
    def path(self) -> str:
        """The page of the pay run with all its files."""
        return f"/payment_runs/{self.run.id}/files"

    @property
    def is_ready(self) -> bool:
        """Whether the file can be created."""
        return not self.problem


@dataclass(frozen=True)
class FileKey:
    """Identifies a file in the address of a ZIP."""

    run_id: int
    name: str


@router.get(PATH)
async def review_files(request: PageRequest) -> HttpResponse:
    """Show the bank files of the selected companies that were not downloaded."""
    companies = await find_companies(request, request.queries.get("client_id", []))
    if len(companies) > MAX_COMPANIES:
        return refuse_number(request, companies)
    try:
        value_date = _parse_value_date(request.query)
    except ValidationError as error:
        return await _page(request, companies, [], [], error_text(error.errors[VALUE_DATE]), status=422)
    async with SLOTS.slot(request.tenant.caller.account_id):
        files = await _list_files(request, companies, value_date)
    return await _page(request, companies, files, [file.key for file in files[:MAX_FILES] if file.is_ready])


@router.post(PATH, step_up=True)
async def record_files(request: PageRequest) -> HttpResponse:
    """Record the selected files as downloaded, and show them. If one cannot be created, none is recorded.

    The browser then requests the ZIP and stays on the page, also without scripts.
    """
    companies = await find_companies(request, request.fields.get("client_id", []))
    if len(companies) > MAX_COMPANIES:
        return refuse_number(request, companies)
    keys = list(dict.fromkeys(key for key in request.fields.get("row", []) if key))
    try:
        value_date = _parse_value_date(request.form)
    except ValidationError as error:
        return await _page(request, companies, [], keys, error_text(error.errors[VALUE_DATE]), status=422)
    async with SLOTS.slot(request.tenant.caller.account_id):
        files = await _list_files(request, companies, value_date)
        chosen = [file for file in files if file.key in keys]
        if error_message := _selection_error(keys, chosen):
            return await _page(request, companies, files, keys, error_message, status=422)
        ready = [file for file in chosen if file.is_ready]
        if len(ready) < len(chosen):
            text = f"{format_count(len(chosen) - len(ready), 'file')} cannot be created yet. Nothing was downloaded"
            return await _page(request, companies, files, [file.key for file in ready], text, status=409)
        recorded = [file for file in ready if await _record(request, file, value_date)]
    if not recorded:
        return await _page(request, companies, files, keys, NOT_RECORDED, status=409)
    dates = [(VALUE_DATE, str(value_date))] if value_date else []
    zip_path = f"{PATH}/zip?{urlencode([*dates, *(('row', file.key) for file in recorded)])}"
    request.headers.append(("Refresh", f"1; url={zip_path}"))
    client_ids = [("client_id", company.id) for company in companies]
    unpaid = [file for file in recorded if not file.run.paid_at]
    paid_ids = [("client_id", client_id) for client_id in dict.fromkeys(file.company.id for file in unpaid)]
    run_ids = [("row", run_id) for run_id in dict.fromkeys(file.run.id for file in unpaid)]
    return request.render(
        "company_payment_files_download.html",
        here="Companies",
        files=recorded,
        missing=[file for file in ready if file not in recorded],
        zip_path=zip_path,
        list_path=f"{PATH}?{urlencode([*client_ids, *dates])}",
        remaining=len(files) - len(recorded),
        paid_path=f"{STEPS_PATH}?{urlencode([('step', CompanyStep.MARK_PAID), *paid_ids, *run_ids])}" if unpaid else "",
    )


@router.get(f"{PATH}/zip", step_up=True, is_file=True)
async def download_files(request: PageRequest) -> HttpResponse:
    """Return the selected files as ZIP, as far as they are recorded as downloaded."""
    keys = _parse_keys(request.queries.get("row", []))[:MAX_FILES]
    try:
        value_date = _parse_value_date(request.query)
    except ValidationError as error:
        raise Conflict("The value date has passed. Select the files again") from error
    companies = await request.companies()
    async with SLOTS.slot(request.tenant.caller.account_id):
        data = await _build_zip(request, companies, keys, value_date)
    disposition = ("Content-Disposition", f'attachment; filename="Payment-files-{clock.today()}.zip"')
    return request.respond(200, data, "application/zip", disposition)


def _parse_value_date(values: Mapping[str, str]) -> date | None:
    """Return the value date for all files, or None for the payment date of each run. Raises ValidationError."""
    text, errors = values.get(VALUE_DATE), Errors()
    value_date = DateType().parse(text, VALUE_DATE, errors) if text else None
    if errors:
        raise ValidationError(errors)
    require_valid(value_date)
    return value_date


def _parse_keys(keys: Sequence[str]) -> list[FileKey]:
    parts = [key.partition("-") for key in dict.fromkeys(keys)]
    parsed = [(parse_integer(number), name) for number, _, name in parts if 0 < len(name) <= MAX_NAME_LENGTH]
    return [FileKey(run_id, name) for run_id, name in parsed if run_id]


def _selection_error(keys: Sequence[str], chosen: Sequence[WaitingFile]) -> str:
    if not chosen:
        return NOT_WAITING if keys else "Select at least one file"
    return f"Select at most {MAX_FILES} files" if len(chosen) > MAX_FILES else ""


async def _list_files(
    request: PageRequest, companies: Sequence[ClientMembership], value_date: date | None
) -> list[WaitingFile]:
    """Return the files of the companies that the user may change, by payment date in each of them."""
    writable = [company for company in companies if company.can_write]
    async with request.tenant.read_only() as tx:
        released_pay = await load_released_pay(tx, [company.id for company in writable])
    waiting: list[WaitingFile] = []
    for company in writable:
        released_ids = {pay.run_id for pay in released_pay.get(company.id, [])}
        for run in await load_runs(request.tenant, company):
            is_due = is_unpaid(run, clock.today())
            if is_due or run.id in released_ids:
                files = await payment_files.list_files(request.tenant, run.id, value_date)
                listed = [file for file in files if is_due or file.is_release]
                waiting += [_waiting_file(company, run, file) for file in _choose_formats(listed)]
    return waiting


def _choose_formats(files: Sequence[PaymentFile]) -> list[PaymentFile]:
    """Return one file for the same payments, where the bank takes several formats. None if one was downloaded."""
    by_payments: dict[tuple[str, tuple[int, ...]], list[PaymentFile]] = {}
    for file in files:
        if file.bank and file.pays:
            payslip_ids = tuple(pay.payslip_id for pay in file.pays)
            by_payments.setdefault((file.suffix, payslip_ids), []).append(file)
    return [
        min(formats, key=lambda file: len(file.file.errors))
        for formats in by_payments.values()
        if not any(file.is_downloaded for file in formats)
    ]


def _waiting_file(company: ClientMembership, run: RunSummary, file: PaymentFile) -> WaitingFile:
    problem, path = _problem(company, run, file)
    return WaitingFile(
        company=company,
        run=run,
        name=file.name,
        title=file.title,
        payments=len(file.pays),
        total_cents=file.file.total_cents,
        pay_dates=sorted({pay.pay_date for pay in file.pays}),
        problem=problem,
        problem_path=path,
    )


def _problem(company: ClientMembership, run: RunSummary, file: PaymentFile) -> tuple[str, str]:
    """Return why a file cannot be created, and the page on which that can be fixed."""
    path = f"/payment_runs/{run.id}/files"
    if file.file.errors:
        return file_errors_text(file.file.errors), path
    if file.approval and not file.approval.is_approved:
        return NEEDS_APPROVAL, path
    if any(warning.kind is DATE_IN_PAST for warning in file.warnings):
        return DATE_HAS_PASSED, ""
    return "", ""


async def _record(request: PageRequest, file: WaitingFile, value_date: date | None) -> bool:
    """Record a file as downloaded. False if it was changed since or the database is away."""
    try:
        await payment_files.download_file(request.tenant, file.run.id, file.name, value_date)
    except (GajiError, asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError):
        return False
    return True


async def _build_zip(
    request: PageRequest,
    companies: Sequence[ClientMembership],
    keys: Sequence[FileKey],
    value_date: date | None,
) -> bytes:
    """Return the files that are recorded, in folders of their companies. Raises Conflict if there are none."""
    folders = company_folders(companies)
    writable = {company.id: company for company in companies if company.can_write}
    contents: list[tuple[str, bytes]] = []
    missing: list[str] = []
    for key in keys:
        company = writable.get(await overview.load_client_id(request.tenant, key.run_id))
        if company is None:
            raise page_not_found(request)
        try:
            file = await payment_files.read_downloaded_file(request.tenant, key.run_id, key.name, value_date)
        except GajiError:
            missing.append(f"{company_name(company)}, {key.name}")
        else:
            contents.append((f"{folders[company.id]}/{file.file_name}", file.data or b""))
    if not contents:
        raise Conflict("These files have changed. Select them again in the list of payment files")
    return await asyncio.to_thread(build_zip, contents, missing)


async def _page(
    request: PageRequest,
    companies: Sequence[ClientMembership],
    files: Sequence[WaitingFile],
    selected: Sequence[str],
    error: str = "",
    status: int = 200,
) -> HttpResponse:
    values = request.form or request.query
    ready = [file for file in files if file.is_ready]
    return request.render(
        "company_payment_files.html",
        status=status,
        here="Companies",
        companies=companies,
        files=files,
        selected=selected,
        value_date=values.get(VALUE_DATE, ""),
        has_past_dates=any(file.problem == DATE_HAS_PASSED for file in files),
        dates_of={file.key: ", ".join(map(format_day, file.pay_dates)) for file in files},
        ready=len(ready),
        total_cents=sum(file.total_cents for file in ready),
        error=error,
        return_to=f"{PATH}?{urlencode([('client_id', company.id) for company in companies])}",
        companies_path=selected_companies_path([company.id for company in companies]),
    )
