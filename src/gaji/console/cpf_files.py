"""CPF files of several companies: choose companies and months, and download the files as one ZIP."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

import asyncpg

from gaji.company.clients.number_notes import load_number_notes
from gaji.company.clients.service import ClientMembership
from gaji.console.company_names import company_folders, company_name
from gaji.console.company_numbers import SUBMISSION_NUMBER, number_text
from gaji.console.company_plans import MAX_COMPANIES
from gaji.console.company_steps import PATH_OF_CPF_FILES as PATH
from gaji.console.company_steps import find_companies, refuse_number, selected_companies_path
from gaji.console.company_zip import COUNTS_AGAIN_AFTER, build_zip
from gaji.console.finalise_notes import file_errors_text
from gaji.console.formats import format_count, format_month
from gaji.console.late_filings import LateFiling, load_blocked_filings, load_unpaid
from gaji.console.late_periods import months_text
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest, page_not_found
from gaji.core import clock
from gaji.core.errors import Conflict, Errors, GajiError
from gaji.core.fair_queue import FairQueue
from gaji.documents.file_result import FileResult
from gaji.documents.filings import service as filings
from gaji.documents.filings.changed_months import load_changed_months
from gaji.documents.filings.overdue import load_recent_months, unsubmitted_months
from gaji.documents.filings.payable import PayableMonth
from gaji.documents.filings.schemas import FilingMonth
from gaji.documents.filings.service import CpfFiling
from gaji.law.months import Month
from gaji.payroll.payslips.statutory_totals import Contributions
from gaji.web.responses import HttpResponse

router = PageRouter()

MAX_FILES = 100
"""How many files are created at once."""
NOT_FINALISED = "Some pay runs of this month are not finalised"
SLOTS = FairQueue("pages of CPF files", slots=2, max_waiting=20, slots_per_owner=1)
NOT_RECORDED = "The files could not be created. Nothing was downloaded"
NOT_WAITING = "The selected files were downloaded already"
NOTHING_NEW = "Less is payable than was submitted. Review the filing"
NOTHING_TO_FILE = "Nothing is payable for this month"


@dataclass(frozen=True)
class DueFile:
    """A month of a company whose CPF file was not downloaded, or has changed since."""

    company: ClientMembership
    payable: PayableMonth
    is_changed: bool = False
    """Whether an earlier file was downloaded, and the contributions have changed since."""
    note: str = ""
    """What is unusual about the CPF submission number. The file is only created if the user selects it."""
    problem: str = ""
    """Why the file cannot be created."""
    is_checked: bool = False
    file_cents: int | None = None
    """The total of a file with changes, when it is checked."""

    @property
    def key(self) -> str:
        """Identifies it in forms."""
        return f"{self.company.id}-{self.payable.month}"

    @property
    def path(self) -> str:
        """The page of the filing."""
        return f"/companies/{self.company.id}/filings?month={self.payable.month}"

    @property
    def is_ready(self) -> bool:
        """Whether the file was checked and can be created."""
        return self.is_checked and not self.problem

    @property
    def total_cents(self) -> int:
        """What is payable to the CPF Board, or the difference if an earlier file was downloaded."""
        if self.is_changed:
            return self.file_cents or 0
        amounts = self.payable.amounts
        return amounts.cpf + amounts.sdl + amounts.funds


@dataclass(frozen=True)
class BlockedFiles:
    """Past months of a company that have no CPF file, because a pay run of each month is not finalised."""

    company: ClientMembership
    filings: Sequence[LateFiling]
    """Oldest first."""

    @property
    def months_text(self) -> str:
        """The months, by year."""
        return months_text([filing.month.first_day for filing in self.filings if filing.month])


@router.get(PATH)
async def review_files(request: PageRequest) -> HttpResponse:
    """Show the CPF files of the selected companies that were not downloaded."""
    companies = await find_companies(request, request.queries.get("client_id", []))
    if len(companies) > MAX_COMPANIES:
        return refuse_number(request, companies)
    async with SLOTS.slot(request.tenant.caller.account_id):
        files = await _list_files(request, companies)
        checked = [await _check(request, file) for file in files[:MAX_FILES]]
        listed = [file for file in [*checked, *files[MAX_FILES:]] if file]
    ready = [file.key for file in listed if file.is_ready and (not file.note or request.query.get("select") == "all")]
    return await _page(request, companies, listed, [] if request.query.get("select") == "none" else ready)


@router.post(PATH, step_up=True)
async def record_files(request: PageRequest) -> HttpResponse:
    """Record the selected files as downloaded, and show them. If one of them is not ready, none is recorded.

    The browser then requests the ZIP and stays on the page, also without scripts.
    """
    companies = await find_companies(request, request.fields.get("client_id", []))
    if len(companies) > MAX_COMPANIES:
        return refuse_number(request, companies)
    keys = list(dict.fromkeys(key for key in request.fields.get("row", []) if key))
    async with SLOTS.slot(request.tenant.caller.account_id):
        files = await _list_files(request, companies)
        chosen = [file for file in files if file.key in keys]
        if not chosen or len(chosen) > MAX_FILES:
            error = (
                f"Select at most {MAX_FILES} files" if chosen else NOT_WAITING if keys else "Select at least one file"
            )
            return await _page(request, companies, files, keys, error, status=422)
        checked = {file.key: await _check(request, file) for file in chosen}
        files = [file for file in (checked.get(file.key, file) for file in files) if file]
        chosen = [file for file in checked.values() if file]
        if not chosen:
            return await _page(request, companies, files, [], NOT_WAITING, status=422)
        ready = [file for file in chosen if file.is_ready]
        if len(ready) < len(chosen):
            text = f"{format_count(len(chosen) - len(ready), 'file')} cannot be created yet. Nothing was downloaded"
            return await _page(request, companies, files, [file.key for file in ready], text, status=409)
        recorded = [file for file in ready if await _load_file(request, file.company, file.payable.month)]
    if not recorded:
        return await _page(request, companies, files, keys, NOT_RECORDED, status=409)
    client_ids = [("client_id", company.id) for company in companies]
    zip_path = f"{PATH}/zip?{urlencode([*client_ids, *(('row', file.key) for file in recorded)])}"
    request.headers.append(("Refresh", f"1; url={zip_path}"))
    return request.render(
        "cpf_files_download.html",
        here="Companies",
        files=recorded,
        missing=[file for file in ready if file not in recorded],
        zip_path=zip_path,
        list_path=f"{PATH}?{urlencode(client_ids)}",
        remaining=len(files) - len(recorded),
        left_out=await _list_left_out(request, companies, files),
    )


@router.get(f"{PATH}/zip", step_up=True, is_file=True)
async def download_files(request: PageRequest) -> HttpResponse:
    """Return the selected files as ZIP, as far as they are recorded as downloaded."""
    companies = await find_companies(request, request.queries.get("client_id", []))
    chosen = _parse_keys(companies[:MAX_COMPANIES], request.queries.get("row", []))[:MAX_FILES]
    if not chosen:
        raise page_not_found(request)
    async with SLOTS.slot(request.tenant.caller.account_id):
        data = await _build_zip(request, chosen)
    disposition = ("Content-Disposition", f'attachment; filename="CPF-files-{clock.today()}.zip"')
    return request.respond(200, data, "application/zip", disposition)


def _parse_keys(companies: Sequence[ClientMembership], keys: Sequence[str]) -> list[tuple[ClientMembership, Month]]:
    """Return the companies that the user may change and the months of the selected files."""
    by_id = {str(company.id): company for company in companies if company.can_write}
    parts = [key.partition("-") for key in dict.fromkeys(keys)]
    months = [
        (by_id[number], FilingMonth().parse(text, "row", Errors())) for number, _, text in parts if number in by_id
    ]
    return [(company, month) for company, month in months if month]


async def _list_files(request: PageRequest, companies: Sequence[ClientMembership]) -> list[DueFile]:
    """Return the files of the companies that the user may change, by due date in each of them."""
    writable = [company for company in companies if company.can_write]
    ids = [company.id for company in writable]
    async with request.tenant.read_only() as tx:
        recent = await load_recent_months(tx, ids)
        changed_months = await load_changed_months(tx, recent)
    months = unsubmitted_months(recent, Month.from_date(clock.today()) - 1)
    notes = await load_number_notes(request.tenant_of_all_companies, ids)
    files: list[DueFile] = []
    for company in writable:
        texts = [number_text(note) for note in notes.get(company.id, []) if note.path == SUBMISSION_NUMBER]
        note = "; ".join(texts)
        new = [DueFile(company, month, note=note) for month in months.get(company.id, [])]
        changed = [
            DueFile(company, PayableMonth(item.month, Contributions(), None), is_changed=True, note=note)
            for item in changed_months.get(company.id, [])
        ]
        files += sorted([*new, *changed], key=lambda file: file.payable.due_date)
    return files


async def _list_left_out(
    request: PageRequest, companies: Sequence[ClientMembership], files: Sequence[DueFile]
) -> list[BlockedFiles]:
    """Return the past months without a file whose pay runs are not finalised."""
    writable = [company for company in companies if company.can_write]
    listed: dict[int, set[Month]] = {}
    for file in files:
        listed.setdefault(file.company.id, set()).add(file.payable.month)
    this_month = Month.from_date(clock.today())
    async with request.tenant.read_only() as tx:
        unpaid = await load_unpaid(tx, [company.id for company in writable])
        blocked = await load_blocked_filings(tx, unpaid, listed, lambda month: month < this_month)
    return [BlockedFiles(company, blocked[company.id]) for company in writable if company.id in blocked]


async def _check(request: PageRequest, file: DueFile) -> DueFile | None:
    """Return the file with what prevents it, if anything does. None if nothing changed since the last file."""
    client_id, month = file.company.id, file.payable.month
    if await filings.list_open_periods(request.tenant, client_id, month):
        return replace(file, problem=NOT_FINALISED, is_checked=True)
    try:
        listed = await filings.list_filings(request.tenant, client_id, month)
    except Conflict:
        return replace(file, problem=NOT_FINALISED, is_checked=True)
    filing = next((filing for filing in listed if isinstance(filing, CpfFiling)), None)
    if filing is None:
        return replace(file, problem=NOTHING_TO_FILE, is_checked=True)
    if not filing.is_new:
        return replace(file, problem=NOTHING_NEW, is_checked=True) if filing.differences else None
    problem = file_errors_text(filing.file.errors)
    return replace(file, problem=problem, is_checked=True, file_cents=filing.file.total_cents)


async def _load_file(
    request: PageRequest, company: ClientMembership, month: Month, *, is_repeat: bool = False
) -> FileResult | None:
    """Record a file as downloaded and return it, or None if it cannot be created or the database is away."""
    try:
        filing = await filings.download_cpf_filing(
            request.tenant, company.id, month, is_repeat=is_repeat, counts_again_after=COUNTS_AGAIN_AFTER
        )
        return filing.file
    except (GajiError, asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError):
        return None


async def _build_zip(request: PageRequest, chosen: Sequence[tuple[ClientMembership, Month]]) -> bytes:
    """Return the files that are recorded, in folders of their companies. Raises Conflict if there are none."""
    folders = company_folders(await request.companies())
    contents: list[tuple[str, bytes]] = []
    missing: list[str] = []
    for company, month in chosen:
        if file := await _load_file(request, company, month, is_repeat=True):
            contents.append((f"{folders[company.id]}/{file.file_name}", file.data or b""))
        else:
            missing.append(f"{company_name(company)}, {format_month(str(month))}")
    if not contents:
        raise Conflict("These files have changed or were discarded. Select them again in the list of CPF files")
    return await asyncio.to_thread(build_zip, contents, missing)


async def _page(
    request: PageRequest,
    companies: Sequence[ClientMembership],
    files: Sequence[DueFile],
    selected: Sequence[str],
    error: str = "",
    status: int = 200,
) -> HttpResponse:
    return request.render(
        "cpf_files.html",
        status=status,
        here="Companies",
        companies=companies,
        files=files,
        left_out=await _list_left_out(request, companies, files),
        selected=selected,
        selectable=sum(file.is_ready for file in files),
        select_paths={name: _select_url(companies, name) for name in ("all", "none")},
        unselected=sum(file.is_ready and bool(file.note) and file.key not in selected for file in files),
        error=error,
        total_cents=sum(file.total_cents for file in files if file.is_ready),
        return_to=f"{PATH}?{urlencode([('client_id', company.id) for company in companies])}",
        companies_path=selected_companies_path([company.id for company in companies]),
    )


def _select_url(companies: Sequence[ClientMembership], select: str) -> str:
    """Return the address of the page with all files selected, or none."""
    return f"{PATH}?{urlencode([*(('client_id', company.id) for company in companies), ('select', select)])}"
