"""Reports: asked for with a form, shown as a table, taken along as a file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import IO, Any
from urllib.parse import urlencode

import msgspec

from gaji.console.chart import Ranked, ranked
from gaji.console.forms import Form, Options, as_validation_error, build_form
from gaji.console.pages import PageRouter

from gaji.console.request import PageRequest
from gaji.core import clock
from gaji.core.errors import Conflict, Errors, ValidationError
from gaji.core.validation import DateType
from gaji.people.employees import directory
from gaji.reports import discovery, service
from gaji.reports.registry import REPORTS, Report, get_report
from gaji.reports.request_fields import body_from_query
from gaji.tabular import CSV, EXTENSIONS, JSON, XLSX
from gaji.web.responses import HttpResponse

router = PageRouter()

SHOWN_ROWS = 500
FILES = {"csv": CSV, "xlsx": XLSX}
TITLES = {
    "transaction_history": "Transaction history",
    "variance": "Variance",
    "comparison_leave": "Leave comparison",
    "leave_liability_v2": "Leave liability",
    "tracked_balances": "Loans and savings",
}
NOTHING = "$0.00"
EMPLOYEE = "employee"
"""The column with their numbers, beside which people read names."""
SUMS = ("Total", "Summary")
"""The types of rows that add others up."""
HELD_BACK = ("humanize", "employee_ids", "account_names", "custom_fields", "leave_types")
"""Fields that the form leaves open: everyone, everything, and amounts as numbers for the files."""


@dataclass(frozen=True)
class Table:
    """A report on a page; each cell with whether it is a number, an amount or a date."""

    keys: Sequence[str]
    rows: Sequence[Sequence[tuple[str, bool]]]
    total: int
    unchanged: int


@router.get("/companies/{client_id}/reports")
async def list_reports(request: PageRequest) -> HttpResponse:
    """The reports that there are."""
    company = await request.company(request.ids["client_id"])
    return request.render("reports.html", company=company, here="Reports", reports=REPORTS.values(), titles=TITLES)


@router.get("/companies/{client_id}/reports/{report}")
async def show_report(request: PageRequest) -> HttpResponse:
    """A report: its form, and what it says when it was asked for."""
    company = await request.company(request.ids["client_id"])
    report = get_report(request.names["report"])
    form = await _form(request, company.id, report)
    rows: list[dict[str, Any]] | None = None
    error: ValidationError | Conflict | None = None
    if "made" in request.query:
        media_type = FILES.get(request.query.get("format", ""), JSON)
        try:
            made = await service.run_report(
                request.tenant, company.id, report, _body(request, report, media_type), media_type
            )
        except (ValidationError, Conflict) as refused:
            error = refused
            form = form.with_errors(as_validation_error(refused))
        else:
            if media_type != JSON:
                name = f'attachment; filename="{report.id}.{EXTENSIONS[media_type]}"'
                return request.respond(200, b"", media_type, ("Content-Disposition", name), file=made.file)
            rows = _rows(made.file)
    table = await _table(request, company.id, rows or [])
    return request.render(
        "report.html",
        status=error.status if error else 200,
        company=company,
        here="Reports",
        report=report,
        title=TITLES[report.id],
        form=form,
        table=None if rows is None else table,
        chart=_chart(report, table, rows or []),
        files={kind: f"{request.path}?{urlencode({**request.query, 'format': kind})}" for kind in FILES},
    )


async def _form(request: PageRequest, client_id: int, report: Report) -> Form:
    known = (await discovery.describe_reports(request.tenant, client_id))["waves"]
    frequencies = [(str(one["wave_id"]), one["name"]) for one in known]
    chosen = next((one for one in known if str(one["wave_id"]) == request.query.get("wave_id")), (known or [None])[0])
    periods = chosen["period_offsets"] if chosen else []
    options: dict[str, Options] = {
        "wave_id": frequencies,
        "wave_ids": frequencies,
        "period_offset": [(str(one["period_offset"]), format_day(one["period_end_date"])) for one in periods[::-1]][:60],
    }
    labels = {"wave_id": "Pay frequency", "wave_ids": "Pay frequency", "period_offset": "Period that ends on"}
    asked = [one for one in report.attributes if one.name not in HELD_BACK]
    usual = {**_usual(), **_latest(chosen)}
    form = build_form(asked, usual, options, labels, dict.fromkeys((one.name for one in asked), ""))
    return form.with_values(request.query) if "made" in request.query else form


def _latest(wave: Mapping[str, Any] | None) -> dict[str, str]:
    """A pay frequency and its period of today; after that one there is one more to choose."""
    if wave is None:
        return {}
    begun = wave["period_offsets"][:-1] or wave["period_offsets"]
    return {"wave_id": str(wave["wave_id"]), **({"period_offset": str(begun[-1]["period_offset"])} if begun else {})}


def _usual() -> dict[str, str]:
    """What most people ask for: the last whole month."""
    last = clock.today().replace(day=1) - timedelta(days=1)
    return {"start_date": str(last.replace(day=1)), "end_date": str(last), "date": str(clock.today())}


def _body(request: PageRequest, report: Report, media_type: str) -> dict[str, Any]:
    body = body_from_query(report.attributes, {name: values for name, values in request.queries.items() if any(values)})
    return {**body, "humanize": media_type == JSON}


def _rows(file: IO[bytes]) -> list[dict[str, Any]]:
    with file:
        file.seek(0)
        found: list[dict[str, Any]] = msgspec.json.decode(file.read())
    return found


async def _table(request: PageRequest, client_id: int, rows: list[dict[str, Any]]) -> Table:
    """The rows as people read them: without those that say that nothing changed, and without columns of nothing."""
    told = [row for row in rows if row.get("Variance") != NOTHING]
    keys = [key for key in (rows[0] if rows else ()) if any(row[key] != NOTHING for row in told)]
    async with request.tenant.reading() as tx:
        names = await directory.names_by_number(tx, client_id, list({row[EMPLOYEE] for row in told[:SHOWN_ROWS]}))
    shown = [
        [(f"{names.get(row[key], '')} {row[key]}", False) if key == EMPLOYEE else _cell(row[key]) for key in keys]
        for row in told[:SHOWN_ROWS]
    ]
    return Table(keys, shown, len(told), len(rows) - len(told))


def _chart(report: Report, table: Table, rows: list[dict[str, Any]]) -> Ranked | None:
    """What stands out of a report, where a picture says more than rows: by item or by employee, the largest."""
    if report.id == "variance":
        items = [row for row in rows if row["Type"] not in SUMS]
        return ranked(
            "What changed, over everyone", [(row["Transaction"]["caption"], row["Variance"]) for row in items]
        )
    if report.id == "leave_liability_v2":
        place = {key: place for place, key in enumerate(table.keys)}
        shown = [(row[place[EMPLOYEE]][0], row[place["Liability"]][0]) for row in table.rows if "Liability" in place]
        return ranked("The largest liabilities", shown)
    return None


def _cell(value: Any) -> tuple[str, bool]:
    if isinstance(value, dict):
        return str(value.get("caption") or value.get("name") or ""), False
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:,}", True
    text = "–" if value is None else str(value)
    if found := DateType().parse(text, "", Errors()):
        return format_day(found), True
    return (text, True) if text.startswith(("$", "-$")) else (label(text) if "_" in text else text, False)
