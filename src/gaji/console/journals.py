"""The journal of a pay run, and its files for accounting programs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.documents.journal_files import service as journal_files
from gaji.law.rounding import CENTS_PER_DOLLAR
from gaji.payroll.accounting import service as accounting
from gaji.payroll.accounting.service import JournalDocument
from gaji.payroll.payment_runs import overview
from gaji.web.responses import HttpResponse

router = PageRouter()

SDL = "sdl"
SIDES = ("debit", "credit")
NO_SPLITS = ({"id": "", "name": "Amount"},)


@dataclass(frozen=True)
class JournalRow:
    """A line of a journal. Amounts are decimal strings, one for each split."""

    side: str
    category: str
    account: str
    item: str
    amounts: Sequence[str]


@router.get("/payment_runs/{payment_run_id}/accounting", is_file=True)
async def show_journal(request: PageRequest) -> HttpResponse:
    """Show the journal of a pay run and its files, or download one of them."""
    run_id = request.ids["payment_run_id"]
    company = await request.company(await overview.load_client_id(request.tenant, run_id))
    if "download" in request.query:
        file = await journal_files.read_file(request.tenant, run_id, request.query["download"])
        disposition = ("Content-Disposition", f'attachment; filename="{file.file_name}"')
        return request.respond(200, file.data or b"", f"{journal_files.MEDIA_TYPE}; charset=utf-8", disposition)
    journal = await accounting.read_journal(request.tenant, run_id)
    splits = journal.journal_json["accounting_splits"] or NO_SPLITS
    lines = [_build_line(side, journal, posting, splits) for side in SIDES for posting in journal.journal_json[side]]
    run = (await overview.load_overview(request.tenant, run_id)).run
    return request.render(
        "journal.html",
        company=company,
        here="Pay runs",
        run=run,
        splits=splits,
        lines=lines,
        has_sdl_cents=_has_sdl_cents(journal.journal_json),
        totals={side: _totals(side, lines) for side in SIDES},
        files=await journal_files.list_files(request.tenant, run_id) if run.finalised else [],
    )


def _build_line(side: str, journal: JournalDocument, posting: Any, splits: Sequence[Any]) -> JournalRow:
    amounts = [_decimal_text(posting["amount"].get(split["id"])) for split in splits]
    item = journal.captions.get(posting["line_item"], posting["line_item"])
    return JournalRow(side, posting["category"], posting["label"], item, amounts)


def _has_sdl_cents(journal_json: Mapping[str, Any]) -> bool:
    """Return whether the skills development levy of the payslips is not a whole number of dollars."""
    amounts = [
        _decimal_text(raw)
        for posting in journal_json["credit"]
        if posting["line_item"] == SDL
        for raw in posting["amount"].values()
    ]
    return sum(int(amount.replace(".", "")) for amount in amounts) % CENTS_PER_DOLLAR != 0


def _totals(side: str, lines: Sequence[JournalRow]) -> list[int]:
    """Return the total of a side in cents, for each split."""
    columns = zip(*(line.amounts for line in lines if line.side == side), strict=True)
    return [sum(int(amount.replace(".", "")) for amount in column) for column in columns]


def _decimal_text(raw: Any) -> str:
    """Return the text of an encoded number."""
    return bytes(raw).decode() if raw is not None else "0.00"
