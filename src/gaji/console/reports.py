"""Reports: a form, the result as a table, and downloads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import IO, Any
from urllib.parse import urlencode

import msgspec

from gaji.console.chart import Ranking, build_ranking
from gaji.console.formats import format_day
from gaji.console.forms import Form, Options, build_form
from gaji.console.glossary import label
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

MAX_SHOWN_ROWS = 500
MAX_PERIODS = 60
DOWNLOADS = {"csv": CSV, "xlsx": XLSX}
TITLES = {
    "transaction_history": "Transaction history",
    "variance": "Variance",
    "comparison_leave": "Leave comparison",
    "leave_liability_v2": "Leave liability",
    "tracked_balances": "Loans and savings",
}
ZERO = "$0.00"
EMPLOYEE = "employee"
"""The column with employee numbers, which the page shows with the names."""
TOTAL_TYPES = ("Total", "Summary")
"""Types of rows that are sums of other rows."""
OMITTED_FIELDS = ("humanize", "employee_ids", "account_names", "custom_fields", "leave_types")
"""Fields that are not in the form: all employees, all columns, and numbers in downloads."""


@dataclass(frozen=True)
class ReportView:
    """A report as the page shows it. Each cell has its text, and whether it is aligned like a number."""

    keys: Sequence[str]
    rows: Sequence[Sequence[tuple[str, bool]]]
    total: int
    unchanged: int


@router.get("/companies/{client_id}/reports")
async def list_reports(request: PageRequest) -> HttpResponse:
    """Show the list of reports."""
    company = await request.company(request.ids["client_id"])
    return request.render("reports.html", company=company, here="Reports", reports=REPORTS.values(), titles=TITLES)


@router.get("/companies/{client_id}/reports/{report}")
async def show_report(request: PageRequest) -> HttpResponse:
    """Show the form of a report and, once it is submitted, the result."""
    company = await request.company(request.ids["client_id"])
    report = get_report(request.names["report"])
    form = await _build_form(request, company.id, report)
    rows: list[dict[str, Any]] | None = None
    error: ValidationError | Conflict | None = None
    if "made" in request.query:
        media_type = DOWNLOADS.get(request.query.get("format", ""), JSON)
        body = _report_body(request, report, media_type)
        try:
            result = await service.run_report(request.tenant, company.id, report, body, media_type)
        except (ValidationError, Conflict) as caught:
            error = caught
            form = form.with_errors(caught)
        else:
            if media_type != JSON:
                disposition = f'attachment; filename="{report.id}.{EXTENSIONS[media_type]}"'
                return request.respond(200, b"", media_type, ("Content-Disposition", disposition), file=result.file)
            rows = _read_rows(result.file)
    table = await _build_table(request, company.id, rows or [])
    return request.render(
        "report.html",
        status=error.status if error else 200,
        company=company,
        here="Reports",
        report=report,
        title=TITLES[report.id],
        form=form,
        table=None if rows is None else table,
        chart=_build_chart(report, table, rows or []),
        downloads={
            extension: f"{request.path}?{urlencode({**request.query, 'format': extension})}" for extension in DOWNLOADS
        },
    )


async def _build_form(request: PageRequest, client_id: int, report: Report) -> Form:
    waves = (await discovery.describe_reports(request.tenant, client_id))["waves"]
    wave_options = [(str(wave["wave_id"]), wave["name"]) for wave in waves]
    chosen = next(
        (wave for wave in waves if str(wave["wave_id"]) == request.query.get("wave_id")), (waves or [None])[0]
    )
    periods = chosen["period_offsets"][::-1][:MAX_PERIODS] if chosen else []
    options: dict[str, Options] = {
        "wave_id": wave_options,
        "wave_ids": wave_options,
        "period_offset": [(str(period["period_offset"]), format_day(period["period_end_date"])) for period in periods],
    }
    attributes = [attribute for attribute in report.attributes if attribute.name not in OMITTED_FIELDS]
    values = {**_default_dates(), **_default_period(chosen)}
    form = build_form("report", attributes, values, options, show_descriptions=False)
    return form.with_values(request.query) if "made" in request.query else form


def _default_period(wave: Mapping[str, Any] | None) -> dict[str, str]:
    """Return a pay schedule and its current period. The list of periods has one more after it."""
    if wave is None:
        return {}
    started = wave["period_offsets"][:-1] or wave["period_offsets"]
    period = {"period_offset": str(started[-1]["period_offset"])} if started else {}
    return {"wave_id": str(wave["wave_id"]), **period}


def _default_dates() -> dict[str, str]:
    """Return the dates of last month."""
    last = clock.today().replace(day=1) - timedelta(days=1)
    return {"start_date": str(last.replace(day=1)), "end_date": str(last), "date": str(clock.today())}


def _report_body(request: PageRequest, report: Report, media_type: str) -> dict[str, Any]:
    query = {name: values for name, values in request.queries.items() if any(values)}
    return {**body_from_query(report.attributes, query), "humanize": media_type == JSON}


def _read_rows(file: IO[bytes]) -> list[dict[str, Any]]:
    with file:
        file.seek(0)
        rows: list[dict[str, Any]] = msgspec.json.decode(file.read())
    return rows


async def _build_table(request: PageRequest, client_id: int, rows: list[dict[str, Any]]) -> ReportView:
    """Return the table without rows that did not change and without columns that are zero throughout."""
    changed = [row for row in rows if row.get("Variance") != ZERO]
    keys = [key for key in (rows[0] if rows else ()) if any(row[key] != ZERO for row in changed)]
    visible_rows = changed[:MAX_SHOWN_ROWS]
    async with request.tenant.read_only() as tx:
        names = await directory.load_names_by_number(tx, client_id, list({row[EMPLOYEE] for row in visible_rows}))
    cells = [
        [
            (f"{names.get(row[key], '')} {row[key]}", False) if key == EMPLOYEE else _format_cell(row[key])
            for key in keys
        ]
        for row in visible_rows
    ]
    return ReportView(keys, cells, len(changed), len(rows) - len(changed))


def _build_chart(report: Report, table: ReportView, rows: list[dict[str, Any]]) -> Ranking | None:
    """Return the ranking of the largest amounts, for reports that have one."""
    if report.id == "variance":
        changes = [(row["Transaction"]["caption"], row["Variance"]) for row in rows if row["Type"] not in TOTAL_TYPES]
        return build_ranking("Change by item, all employees", changes)
    if report.id == "leave_liability_v2" and "Liability" in table.keys:
        employee, liability = table.keys.index(EMPLOYEE), table.keys.index("Liability")
        return build_ranking("Largest liabilities", [(row[employee][0], row[liability][0]) for row in table.rows])
    return None


def _format_cell(value: Any) -> tuple[str, bool]:
    if isinstance(value, dict):
        return str(value.get("caption") or value.get("name") or ""), False
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:,}", True
    text = "–" if value is None else str(value)
    if day := DateType().parse(text, "", Errors()):
        return format_day(day), True
    return (text, True) if text.startswith(("$", "-$")) else (label(text) if "_" in text else text, False)
