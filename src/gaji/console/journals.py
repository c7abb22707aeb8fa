"""The journal of a pay run, as a page and as a CSV file."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.payroll.accounting import service as accounting
from gaji.payroll.payment_runs import overview
from gaji.tabular.csv_lines import csv_lines
from gaji.web.responses import HttpResponse

router = PageRouter()

CSV = "text/csv; charset=utf-8"
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


@router.get("/payment_runs/{payment_run_id}/accounting")
async def show_journal(request: PageRequest) -> HttpResponse:
    """Show the journal of a pay run, or download it."""
    run_id = request.ids["payment_run_id"]
    company = await request.company(await overview.load_client_id(request.tenant, run_id))
    journal = (await accounting.read_journal(request.tenant, run_id)).journal_json
    splits = journal["accounting_splits"] or NO_SPLITS
    lines = [_build_line(side, posting, splits) for side in SIDES for posting in journal[side]]
    if request.query.get("format") == "csv":
        disposition = ("Content-Disposition", f'attachment; filename="journal-{run_id}.csv"')
        return request.respond(200, _to_csv(splits, lines), CSV, disposition)
    run_overview = await overview.load_overview(request.tenant, run_id, request.list_page(1))
    return request.render(
        "journal.html",
        company=company,
        here="Pay runs",
        run=run_overview.run,
        splits=splits,
        lines=lines,
        totals={side: _totals(side, lines) for side in SIDES},
    )


def _build_line(side: str, posting: Any, splits: Sequence[Any]) -> JournalRow:
    amounts = [_decimal_text(posting["amount"].get(split["id"])) for split in splits]
    return JournalRow(side, posting["category"], posting["label"], posting["line_item"], amounts)


def _totals(side: str, lines: Sequence[JournalRow]) -> list[int]:
    """Return the total of a side in cents, for each split."""
    columns = zip(*(line.amounts for line in lines if line.side == side), strict=True)
    return [sum(int(amount.replace(".", "")) for amount in column) for column in columns]


def _decimal_text(raw: Any) -> str:
    """Return the text of an encoded number."""
    return bytes(raw).decode() if raw is not None else "0.00"


def _to_csv(splits: Sequence[Any], lines: Sequence[JournalRow]) -> bytes:
    header = ["Side", "Category", "Account", "Item", *(split["name"] for split in splits)]
    return csv_lines([header, *([line.side, line.category, line.account, line.item, *line.amounts] for line in lines)])
