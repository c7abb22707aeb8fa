"""The journal of a pay run, as a page and as a file."""

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
class Posting:
    """A line of a journal; amounts are decimal texts, one for each split."""

    side: str
    category: str
    account: str
    item: str
    amounts: Sequence[str]


@router.get("/payment_runs/{payment_run_id}/accounting")
async def show_journal(request: PageRequest) -> HttpResponse:
    """The journal of a run."""
    run_id = request.ids["payment_run_id"]
    company = await request.company(await overview.client_of_run(request.tenant, run_id))
    journal = (await accounting.read_journal(request.tenant, run_id)).journal_json
    splits = journal["accounting_splits"] or NO_SPLITS
    postings = [_posting(side, one, splits) for side in SIDES for one in journal[side]]
    if request.query.get("format") == "csv":
        name = ("Content-Disposition", f'attachment; filename="journal-{run_id}.csv"')
        return request.respond(200, _csv(splits, postings), CSV, name)
    found = await overview.look(request.tenant, run_id, request.list_page(1))
    return request.render(
        "journal.html",
        company=company,
        here="Pay runs",
        run=found.run,
        splits=splits,
        postings=postings,
        totals={side: _totals(side, postings) for side in SIDES},
    )


def _posting(side: str, one: Any, splits: Sequence[Any]) -> Posting:
    amounts = [_decimal(one["amount"].get(split["id"])) for split in splits]
    return Posting(side, one["category"], one["label"], one["line_item"], amounts)


def _totals(side: str, postings: Sequence[Posting]) -> list[int]:
    """The cents of each split on a side."""
    columns = zip(*(one.amounts for one in postings if one.side == side), strict=True)
    return [sum(int(amount.replace(".", "")) for amount in column) for column in columns]


def _decimal(raw: Any) -> str:
    """The text of an exact number."""
    return bytes(raw).decode() if raw is not None else "0.00"


def _csv(splits: Sequence[Any], postings: Sequence[Posting]) -> bytes:
    heads = ["Side", "Category", "Account", "Item", *(split["name"] for split in splits)]
    return csv_lines([heads, *([one.side, one.category, one.account, one.item, *one.amounts] for one in postings)])
