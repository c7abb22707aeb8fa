"""CPF files of several companies: choose companies and months, and download the files as one ZIP."""

import asyncio
import io
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlencode

import asyncpg

from gaji.company.clients.service import ClientMembership
from gaji.console.company_plans import MAX_COMPANIES, SLOTS, file_errors_text
from gaji.console.company_steps import PATH_OF_CPF_FILES as PATH
from gaji.console.company_steps import find_companies, refuse_number
from gaji.console.formats import format_count, format_month
from gaji.console.pages import PageRouter, when_queried
from gaji.console.request import PageRequest, page_not_found
from gaji.core import clock
from gaji.core.errors import Conflict, Errors, GajiError
from gaji.documents.filings import service as filings
from gaji.documents.filings.overdue import load_unsubmitted_months
from gaji.documents.filings.payable import PayableMonth
from gaji.documents.filings.schemas import FilingMonth
from gaji.documents.filings.service import CpfFiling
from gaji.law.months import Month
from gaji.web.responses import HttpResponse

router = PageRouter()

MAX_FILES = 100
"""How many files are created at once."""
NOT_FINALISED = "Some pay runs of this month are not finalised"
NOT_WAITING = "The selected files were downloaded already"
NOTHING_TO_FILE = "Nothing is payable for this month"
UNSAFE_CHARACTERS: Final = re.compile(r"[^\w .()&-]+")
"""Characters that are not in names of folders."""


@dataclass(frozen=True)
class DueFile:
    """A month of a company whose CPF file was not downloaded."""

    company: ClientMembership
    payable: PayableMonth
    problem: str = ""
    """Why the file cannot be created."""

    @property
    def key(self) -> str:
        """Identifies it in forms."""
        return f"{self.company.id}-{self.payable.month}"

    @property
    def path(self) -> str:
        """The page of the filing."""
        return f"/companies/{self.company.id}/filings?month={self.payable.month}"

    @property
    def total_cents(self) -> int:
        """What is payable to the CPF Board."""
        amounts = self.payable.amounts
        return amounts.cpf + amounts.sdl + amounts.funds


@router.get(PATH, step_up=when_queried("download"))
async def review_files(request: PageRequest) -> HttpResponse:
    """Show the CPF files of the selected companies that were not downloaded, or start the download of some."""
    companies = await find_companies(request, request.queries.get("client_id", []))
    if len(companies) > MAX_COMPANIES:
        return refuse_number(request, companies)
    async with SLOTS.slot(request.tenant.caller.account_id):
        files = await _list_files(request, companies)
        checked = [await _check(request, file) for file in files[:MAX_FILES]] + files[MAX_FILES:]
    if "download" in request.query:
        return _start_download(request, companies, checked)
    ready = [file.key for file in checked[:MAX_FILES] if not file.problem]
    return _page(request, companies, checked, [] if request.query.get("select") == "none" else ready)


def _start_download(
    request: PageRequest, companies: Sequence[ClientMembership], files: Sequence[DueFile]
) -> HttpResponse:
    """Show that the files are downloaded. The browser requests the ZIP and stays on the page, also without scripts."""
    keys = list(dict.fromkeys(request.queries.get("row", [])))
    chosen = [file for file in files if file.key in keys]
    if not chosen or len(chosen) > MAX_FILES:
        error = f"Select at most {MAX_FILES} files" if chosen else NOT_WAITING if keys else "Select at least one file"
        return _page(request, companies, files, keys, error, status=422)
    if problems := [file for file in chosen if file.problem]:
        text = f"{format_count(len(problems), 'file')} cannot be created yet. Nothing was downloaded"
        ready = [file.key for file in chosen if not file.problem]
        return _page(request, companies, files, ready, text, status=409)
    client_ids = [("client_id", company.id) for company in companies]
    zip_path = f"{PATH}/zip?{urlencode([*client_ids, *(('row', file.key) for file in chosen)])}"
    request.headers.append(("Refresh", f"1; url={zip_path}"))
    return request.render(
        "cpf_files_download.html",
        here="Companies",
        files=chosen,
        zip_path=zip_path,
        list_path=f"{PATH}?{urlencode(client_ids)}",
        remaining=len(files) - len(chosen),
    )


@router.get(f"{PATH}/zip", step_up=True, is_file=True)
async def download_files(request: PageRequest) -> HttpResponse:
    """Return the selected files as ZIP, and record them as downloaded."""
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
    async with request.tenant.read_only() as tx:
        months = await load_unsubmitted_months(tx, [company.id for company in writable])
    return [DueFile(company, month) for company in writable for month in months.get(company.id, [])]


async def _check(request: PageRequest, file: DueFile) -> DueFile:
    """Return the file with what prevents it, if anything does."""
    client_id, month = file.company.id, file.payable.month
    if await filings.list_open_periods(request.tenant, client_id, month):
        return replace(file, problem=NOT_FINALISED)
    try:
        listed = await filings.list_filings(request.tenant, client_id, month)
    except Conflict:
        return replace(file, problem=NOT_FINALISED)
    errors = [filing.file.errors for filing in listed if isinstance(filing, CpfFiling)]
    if not errors:
        return replace(file, problem=NOTHING_TO_FILE)
    return replace(file, problem=file_errors_text(errors[0]))


async def _build_zip(request: PageRequest, chosen: Sequence[tuple[ClientMembership, Month]]) -> bytes:
    """Record the files as downloaded and return them in folders of their companies."""
    contents: list[tuple[str, bytes]] = []
    missing: list[str] = []
    for company, month in chosen:
        folder = f"{UNSAFE_CHARACTERS.sub(' ', company.name).strip(' .') or 'Company'} ({company.id})"
        try:
            file = (await filings.download_cpf_filing(request.tenant, company.id, month)).file
        except (GajiError, asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError):
            # It was changed after the check, or the database is away. The user needs the files that are recorded.
            missing.append(f"{company.name}, {format_month(str(month))}")
        else:
            contents.append((f"{folder}/{file.file_name}", file.data or b""))
    if missing:
        contents.append(("Not included.txt", "\n".join(missing).encode()))
    return await asyncio.to_thread(_zip, contents)


def _zip(contents: Sequence[tuple[str, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in contents:
            package.writestr(name, data)
    return buffer.getvalue()


def _page(
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
        selected=selected,
        selectable=min(sum(not file.problem for file in files), MAX_FILES),
        select_url=_select_url(companies, "none" if selected else "all"),
        error=error,
        total_cents=sum(file.total_cents for file in files if not file.problem),
        return_to=f"{PATH}?{urlencode([('client_id', company.id) for company in companies])}",
    )


def _select_url(companies: Sequence[ClientMembership], select: str) -> str:
    """Return the address of the page with all files selected, or none."""
    return f"{PATH}?{urlencode([*(('client_id', company.id) for company in companies), ('select', select)])}#download"
