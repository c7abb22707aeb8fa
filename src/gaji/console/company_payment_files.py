"""Payment files of several companies: choose pay runs and a value date, and download their files as one ZIP."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from urllib.parse import urlencode

import asyncpg

from gaji.approvals.models import Approval
from gaji.company.clients.service import ClientMembership
from gaji.console.approvals import waiting_text
from gaji.console.company_names import company_folders, company_name
from gaji.console.company_plans import (
    MAX_COMPANIES,
    changes_text,
    is_unpaid,
    load_runs,
    manual_payment_texts,
)
from gaji.console.company_steps import PATH as STEPS_PATH
from gaji.console.company_steps import PATH_OF_PAYMENT_FILES as PATH
from gaji.console.company_steps import find_companies, refuse_number, selected_companies_path
from gaji.console.company_zip import COUNTS_AGAIN_AFTER, build_zip
from gaji.console.error_messages import error_text
from gaji.console.file_approvals import dates_phrase, files_path, other_request_text, requested_value_date
from gaji.console.finalise_notes import file_errors_text
from gaji.console.formats import format_count, format_day, format_list
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest, page_not_found
from gaji.console.unwithheld_pay import load_named_pay, unwithheld_text
from gaji.core import clock
from gaji.core.errors import Conflict, Errors, GajiError, ValidationError
from gaji.core.fair_queue import FairQueue
from gaji.core.field_types import DateType, parse_integer
from gaji.documents.certainty import ONE_SOURCE, Certainty
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
NEEDS_APPROVAL = "A second person has to approve the file. Request the approval first"
DATE_HAS_PASSED = "The payment date has passed, and banks refuse past dates"
CHOOSE_DATE = f"{DATE_HAS_PASSED}. Choose a value date"
NOT_RECORDED = "The files could not be created. Nothing was downloaded"
NOT_WAITING = "The selected files were downloaded already, or their pay runs are marked as paid"


@dataclass(frozen=True)
class FileProblem:
    """Why a file cannot be created, and the page on which that can be fixed."""

    text: str
    path: str = ""
    link: str = "Fix"
    """The text of the link to the page."""


@dataclass(frozen=True)
class WaitingFile:
    """A payment file of a finalised pay run that was not downloaded, or whose payments changed since."""

    company: ClientMembership
    run: RunSummary
    name: str
    title: str
    payments: int
    total_cents: int
    pay_dates: Sequence[date]
    is_late: bool
    """Whether the date in the file has passed, which banks refuse."""
    path: str
    """The page of the pay run with all its files."""
    problem: FileProblem | None
    """Why the file cannot be created."""
    note: str = ""
    """What is unusual. The file is only created if the user selects it."""
    warnings: Sequence[str] = ()
    """What the page of the pay run warns about, other than a date that has passed."""
    certainty: Certainty | None = None
    """How certain the layout is, if it is not confirmed."""
    manual_text: str = ""
    """What the pay run pays in cash or by cheque, at its first file."""

    @property
    def key(self) -> str:
        """Identifies it in forms."""
        return f"{self.run.id}-{self.name}"

    @property
    def is_list(self) -> bool:
        """Whether it is a list of cash and cheque payments, which is not for the bank."""
        return payment_files.is_payment_list(self.name)

    @property
    def is_ready(self) -> bool:
        """Whether the file can be created."""
        return self.problem is None


@dataclass(frozen=True)
class FileKey:
    """Identifies a file in the address of a ZIP."""

    run_id: int
    name: str


@router.get(PATH)
async def review_files(request: PageRequest) -> HttpResponse:
    """Show the payment files of the selected companies that were not downloaded, or whose payments changed since."""
    companies = await find_companies(request, request.queries.get("client_id", []))
    if len(companies) > MAX_COMPANIES:
        return refuse_number(request, companies)
    value_date, date_error = _read_value_date(request.query)
    async with SLOTS.slot(request.tenant.caller.account_id):
        files = await _list_files(request, companies, value_date)
    proposed = [file.key for file in files[:MAX_FILES] if file.is_ready and not file.note]
    return await _page(request, companies, files, proposed, date_error=date_error, status=422 if date_error else 200)


@router.post(PATH, step_up=True)
async def record_files(request: PageRequest) -> HttpResponse:
    """Record the selected files as downloaded, and show them. If one of them is not ready, none is recorded.

    The browser then requests the ZIP and stays on the page, also without scripts.
    """
    companies = await find_companies(request, request.fields.get("client_id", []))
    if len(companies) > MAX_COMPANIES:
        return refuse_number(request, companies)
    keys = list(dict.fromkeys(key for key in request.fields.get("row", []) if key))
    value_date, date_error = _read_value_date(request.form)
    async with SLOTS.slot(request.tenant.caller.account_id):
        files = await _list_files(request, companies, value_date)
        if date_error:
            return await _page(request, companies, files, keys, date_error=date_error, status=422)
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
    remaining = [file for file in files if file not in recorded]
    incomplete_ids = {file.run.id for file in remaining if not file.is_list}
    unpaid = [file for file in recorded if not file.run.paid_at and file.run.id not in incomplete_ids]
    paid_ids = [("client_id", client_id) for client_id in dict.fromkeys(file.company.id for file in unpaid)]
    run_ids = [("row", run_id) for run_id in dict.fromkeys(file.run.id for file in unpaid)]
    return request.render(
        "company_payment_files_download.html",
        here="Companies",
        files=recorded,
        has_bank_files=not all(file.is_list for file in recorded),
        has_lists=any(file.is_list for file in recorded),
        missing=[file for file in ready if file not in recorded],
        left_out_text=_left_out_text(len(keys) - len(chosen)) if len(keys) > len(chosen) else "",
        zip_path=zip_path,
        list_path=_list_path(companies, value_date),
        remaining=len(remaining),
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


def _read_value_date(values: Mapping[str, str]) -> tuple[date | None, str]:
    """Return the value date, and what is wrong with it. The files are then listed without one."""
    try:
        return _parse_value_date(values), ""
    except ValidationError as error:
        return None, error_text(error.errors[VALUE_DATE])


def _parse_keys(keys: Sequence[str]) -> list[FileKey]:
    parts = [key.partition("-") for key in dict.fromkeys(keys)]
    parsed = [(parse_integer(number), name) for number, _, name in parts if 0 < len(name) <= MAX_NAME_LENGTH]
    return [FileKey(run_id, name) for run_id, name in parsed if run_id]


def _selection_error(keys: Sequence[str], chosen: Sequence[WaitingFile]) -> str:
    if not chosen:
        return NOT_WAITING if keys else "Select at least one file"
    return f"Select at most {MAX_FILES} files" if len(chosen) > MAX_FILES else ""


def _left_out_text(number: int) -> str:
    """Return that selected files are left out."""
    if number == 1:
        return "1 selected file was downloaded already, or its pay run is marked as paid"
    return f"{number} selected files were downloaded already, or their pay runs are marked as paid"


def _view_only_text(companies: Sequence[ClientMembership]) -> str:
    """Return whose files are not listed, because the user may only view these companies. Empty if there are none."""
    names = [company_name(company) for company in companies if not company.can_write]
    pronoun = "its" if len(names) == 1 else "their"
    return f"Your role can only view {format_list(names)}, so {pronoun} files are not listed" if names else ""


async def _list_files(
    request: PageRequest, companies: Sequence[ClientMembership], value_date: date | None
) -> list[WaitingFile]:
    """Return the files of the companies that the user may change, by payment date in each of them."""
    writable = [company for company in companies if company.can_write]
    async with request.tenant.read_only() as tx:
        released_pay = await load_released_pay(tx, [company.id for company in writable])
    waiting: list[WaitingFile] = []
    return_to = _list_path(companies, value_date)
    for company in writable:
        released_ids = {pay.run_id for pay in released_pay.get(company.id, [])}
        for run in await load_runs(request.tenant, company):
            is_due = is_unpaid(run, clock.today())
            if is_due or run.id in released_ids:
                files = await payment_files.list_files(request.tenant, run.id, value_date)
                listed = [file for file in files if is_due or file.is_release]
                manual_texts = manual_payment_texts(files) if is_due else []
                unwithheld = await load_named_pay(request.tenant, company.id, run)
                lists = [[file] for file in payment_files.payment_lists(listed) if is_due]
                for formats in [*payment_files.group_formats(listed), *lists]:
                    changes = payment_files.count_changes(formats)
                    if changes == 0:
                        continue
                    file = _choose_format(formats)
                    waiting.append(
                        WaitingFile(
                            company=company,
                            run=run,
                            name=file.name,
                            title=file.title,
                            payments=len(file.pays),
                            total_cents=file.file.total_cents,
                            pay_dates=sorted({pay.pay_date for pay in file.pays}),
                            is_late=_is_late(file),
                            path=files_path(run.id, value_date, return_to),
                            problem=await _find_problem(request, run.id, file, value_date, return_to),
                            note=_note(
                                file, changes, unwithheld_text(unwithheld, run, {pay.employee_id for pay in file.pays})
                            ),
                            warnings=_warning_texts(file),
                            certainty=file.certainty if file.certainty == ONE_SOURCE else None,
                            manual_text=manual_texts.pop() if manual_texts and file.bank and not file.suffix else "",
                        )
                    )
    return waiting


def _note(file: PaymentFile, changes: int | None, unwithheld: str) -> str:
    """Return what is unusual about a file. Empty if nothing is."""
    changed = ""
    if changes and file.bank:
        changed = f"{changes_text(changes)}. Check what the bank has paid"
    elif changes:
        changed = f"{format_count(changes, 'payment')} changed after the list was downloaded. Check what was paid"
    return ". ".join(text for text in (changed, unwithheld) if text)


def _warning_texts(file: PaymentFile) -> list[str]:
    return [error_text(warning) for warning in file.warnings if warning.kind is not DATE_IN_PAST]


def _list_path(companies: Sequence[ClientMembership], value_date: date | None) -> str:
    """Return the address of the list of files of these companies."""
    dates = [(VALUE_DATE, value_date)] if value_date else []
    return f"{PATH}?{urlencode([*(('client_id', company.id) for company in companies), *dates])}"


def _choose_format(formats: Sequence[PaymentFile]) -> PaymentFile:
    """Return one of the files of the same payments, where the bank takes several formats."""
    return min(formats, key=lambda file: (len(file.file.errors), _approval_rank(file)))


def _approval_rank(file: PaymentFile) -> int:
    """Return how far the approval of a file is: 0 for approved, 3 for not requested."""
    if file.approval is None or file.approval.is_approved:
        return 0
    return 1 if file.approval.is_pending else 2 if file.approval.other else 3


def _is_late(file: PaymentFile) -> bool:
    return any(warning.kind is DATE_IN_PAST for warning in file.warnings)


async def _find_problem(
    request: PageRequest, run_id: int, file: PaymentFile, value_date: date | None, return_to: str
) -> FileProblem | None:
    """Return why a file cannot be created. None if it can be."""
    approval, path = file.approval, files_path(run_id, value_date, return_to)
    if file.file.errors:
        return FileProblem(file_errors_text(file.file.errors), path)
    if _is_late(file):
        return await _past_date_problem(request, run_id, file, return_to)
    if approval is None or approval.is_approved:
        return None
    if approval.approval and approval.is_pending:
        path = files_path(run_id, value_date, return_to, f"approval-{approval.approval.id}")
        return FileProblem(waiting_text(approval.approval, request.tenant), path, "Review")
    return FileProblem(other_request_text(file) or NEEDS_APPROVAL, path)


async def _past_date_problem(request: PageRequest, run_id: int, file: PaymentFile, return_to: str) -> FileProblem:
    """Return what to do about a file whose date has passed. It may be approved or requested with another date."""
    other = file.approval.other if file.approval else None
    other_date = requested_value_date(other) if other else None
    if other is None or other_date is None or not await _is_same_with_date(request, run_id, file, other, other_date):
        return FileProblem(CHOOSE_DATE)
    if other.is_pending:
        text = waiting_text(other, request.tenant, f"The file with {dates_phrase([other_date])}")
        return FileProblem(text, files_path(run_id, other_date, return_to, f"approval-{other.id}"), "Review")
    text = f"{DATE_HAS_PASSED}. The file was approved with {dates_phrase([other_date])}: choose this value date"
    return FileProblem(text)


async def _is_same_with_date(
    request: PageRequest, run_id: int, file: PaymentFile, other: Approval, other_date: date
) -> bool:
    """Return whether a file would be the one of another request if it had the date of that request."""
    files = await payment_files.list_files(request.tenant, run_id, other_date)
    return any(dated.name == file.name and dated.file.sha256 == other.fingerprint for dated in files)


async def _record(request: PageRequest, file: WaitingFile, value_date: date | None) -> bool:
    """Record a file as downloaded. False if it cannot be created or the database is away."""
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
            downloaded = await payment_files.download_file(
                request.tenant, key.run_id, key.name, value_date, is_repeat=True, counts_again_after=COUNTS_AGAIN_AFTER
            )
        except GajiError:
            missing.append(await _missing_text(request, company, key))
        else:
            file = downloaded.file
            contents.append((f"{folders[company.id]}/{file.file_name}", file.data or b""))
    if not contents:
        raise Conflict("These files have changed or need an approval. Select them again in the list of payment files")
    return await asyncio.to_thread(build_zip, contents, missing)


async def _missing_text(request: PageRequest, company: ClientMembership, key: FileKey) -> str:
    """Return a file that is not in the ZIP, in words. A pay run that was reopened has no files."""
    run = (await overview.load_overview(request.tenant, key.run_id)).run
    files = await payment_files.list_files(request.tenant, key.run_id) if run.finalised else []
    titles = [file.title for file in files if file.name == key.name]
    return ", ".join([company_name(company), f"pay run to {format_day(run.period_end_date)}", *titles])


async def _page(
    request: PageRequest,
    companies: Sequence[ClientMembership],
    files: Sequence[WaitingFile],
    selected: Sequence[str],
    error: str = "",
    *,
    date_error: str = "",
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
        has_past_dates=any(file.is_late for file in files),
        dates_of={file.key: format_list([format_day(day) for day in file.pay_dates]) for file in files},
        ready=len(ready),
        total_cents=sum(file.total_cents for file in ready),
        error=error,
        date_error=date_error,
        view_only_text=_view_only_text(companies),
        is_view_only=not any(company.can_write for company in companies),
        companies_path=selected_companies_path([company.id for company in companies]),
    )
