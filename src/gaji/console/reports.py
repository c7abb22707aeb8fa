"""Reports: a form, the result as a table, and downloads."""

from calendar import month_name
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import timedelta
from typing import IO, Any
from urllib.parse import urlencode

import msgspec

from gaji.console.chart import Ranking, build_ranking
from gaji.console.formats import format_day, format_month
from gaji.console.forms import Form, Options, build_form
from gaji.console.glossary import label
from gaji.console.pages import PageRouter
from gaji.console.request import PageRequest
from gaji.core import clock
from gaji.core.errors import Conflict, Errors, ValidationError
from gaji.core.threads import run_in_thread_if_many
from gaji.core.validation import DateType
from gaji.leave.types import service as leave_types
from gaji.people.employees import directory
from gaji.reports import discovery, service
from gaji.reports.employee_fields import ATTRIBUTES as EMPLOYEE_ATTRIBUTES
from gaji.reports.registry import REPORTS, Report, get_report
from gaji.reports.request_fields import body_from_query
from gaji.tabular import CSV, EXTENSIONS, JSON, XLSX
from gaji.web.responses import HttpResponse

router = PageRouter()

VARIANCE = "variance"
WAGE_OFFSETS = "employee_tax_incentive"
LEAVE_CLAIMS = "government_paid_leave"
EXPLAINED = (WAGE_OFFSETS, LEAVE_CLAIMS)
"""Reports whose rows have an explanation."""
MAX_SHOWN_ROWS = 500
MAX_PERIODS = 60
DOWNLOADS = {"csv": CSV, "xlsx": XLSX}
TITLES = {
    "transaction_history": "Transaction history",
    VARIANCE: "Variance",
    "comparison_leave": "Leave comparison",
    "leave_liability_v2": "Leave liability",
    "tracked_balances": "Loans and savings",
    WAGE_OFFSETS: "Wage offsets",
    LEAVE_CLAIMS: "Leave claims",
}
NOTES = {
    WAGE_OFFSETS: "Estimates from finalised payslips. IRAS calculates and pays the offsets from CPF data, without an "
    "application, and its amounts can differ. Credits are taxable income of the company.",
    LEAVE_CLAIMS: "Months with a day of leave between the dates. Pay the employee first, then claim on the "
    "Government-Paid Leave portal. The portal's amount can differ.",
}
CERTAINTY = {"A": "Official source", "B": "Two sources agree", "C": "One source only", "D": "Not known"}
EXPLANATION_KEYS = ("Reason", "Calculation", "Rule", "Effective From", "Source", "Certainty")
"""Columns that the page shows as the explanation of a row."""
NOT_ESTIMATED = "Not estimated"
NOT_CALCULATED = "Not calculated"
ZERO = "$0.00"
EMPLOYEE = "employee"
"""The column with employee numbers, which the page shows with the names."""
TOTAL_TYPES = ("Total", "Summary")
"""Types of rows that are sums of other rows."""
HUMANIZE = "humanize"
"""Hidden in the form: the page shows amounts as text. Downloads have numbers."""
CHOICE_FIELDS = ("account_names", "custom_fields", "leave_types")
"""Fields with several values, each a checkbox."""
OMITTED_FIELDS = (HUMANIZE, "humanized", "employee_ids", *CHOICE_FIELDS)
"""Fields that are not among the fields of the form. A report is about all employees."""


@dataclass(frozen=True)
class ChoiceList:
    """A field with several values: the values with their labels, and which of them are selected."""

    name: str
    label: str
    options: Options
    selected: Set[str]


@dataclass(frozen=True)
class ReportView:
    """A report as the page shows it. Each cell has its text, and whether it is aligned like a number."""

    keys: Sequence[str]
    rows: Sequence[Sequence[tuple[str, bool]]]
    total: int
    unchanged: int
    explanations: Sequence[Mapping[str, str]] = ()
    """The explanation of each row, as text by label."""


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
    values = await discovery.describe_reports(request.tenant, company.id)
    form = _build_form(request, report, values["waves"])
    choices = await _build_choices(request, company.id, report, values)
    rows: list[dict[str, Any]] | None = None
    error: ValidationError | Conflict | None = None
    if _is_submitted(request, report):
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
    table = await _build_table(request, company.id, report, rows or [])
    return request.render(
        "report.html",
        status=error.status if error else 200,
        company=company,
        here="Reports",
        report=report,
        title=TITLES[report.id],
        note=NOTES.get(report.id, ""),
        form=form,
        choices=choices,
        api_request=_api_request(request, company.id, report),
        table=None if rows is None else table,
        chart=_build_chart(report, table, rows or []),
        downloads={extension: _download_path(request, choices, extension) for extension in DOWNLOADS},
    )


def _is_submitted(request: PageRequest, report: Report) -> bool:
    """Return whether the URL is a request for the report. It has the parameters of the API, and no others."""
    return any(attribute.name in request.queries for attribute in report.attributes)


def _api_request(request: PageRequest, client_id: int, report: Report) -> str:
    """Return the path and query with which the API gives the same report."""
    names = [attribute.name for attribute in report.attributes]
    query = [(name, value) for name in names for value in request.queries.get(name, ()) if value]
    return f"/v1/clients/{client_id}/reports/{report.id}?{urlencode(query)}"


def _download_path(request: PageRequest, choices: Sequence[ChoiceList], extension: str) -> str:
    """Return the path of a download. If all accounts are selected, it has only those that occur."""
    complete = {choice.name for choice in choices if len(choice.selected) == len(choice.options)}
    query = {name: values for name, values in request.queries.items() if name not in complete & {"account_names"}}
    return f"{request.path}?{urlencode({**query, 'format': extension}, doseq=True)}"


async def _build_choices(
    request: PageRequest, client_id: int, report: Report, values: Mapping[str, Any]
) -> list[ChoiceList]:
    """Return the fields with several values. All are selected until the form is submitted."""
    names = [attribute.name for attribute in report.attributes if attribute.name in CHOICE_FIELDS]
    is_submitted = _is_submitted(request, report)
    choices = []
    for name in names:
        if name == "leave_types":
            types = await leave_types.list_types(request.tenant, client_id)
            options = [(str(type_id), label(type_name)) for type_id, type_name in types.items()]
        else:
            options = [(value, EMPLOYEE_ATTRIBUTES.get(value, value)) for value in values[name]]
        submitted = {part for text in request.queries.get(name, ()) for part in (text, *text.split(","))}
        selected = {value for value, _ in options if not is_submitted or value in submitted}
        choices.append(ChoiceList(name, label(name), options, selected))
    return choices


def _build_form(request: PageRequest, report: Report, waves: Sequence[Mapping[str, Any]]) -> Form:
    wave_options = [(str(wave["wave_id"]), wave["name"]) for wave in waves]
    chosen = next(
        (wave for wave in waves if str(wave["wave_id"]) == request.query.get("wave_id")), next(iter(waves), None)
    )
    periods = chosen["period_offsets"][::-1][:MAX_PERIODS] if chosen else []
    options: dict[str, Options] = {
        "wave_id": wave_options,
        "wave_ids": wave_options,
        "month": [(str(number), month_name[number]) for number in range(1, 13)],
        "period_offset": [(str(period["period_offset"]), format_day(period["period_end_date"])) for period in periods],
    }
    attributes = [attribute for attribute in report.attributes if attribute.name not in OMITTED_FIELDS]
    values = {**_default_dates(), **_default_period(chosen), "year": str(clock.today().year)}
    form = build_form("report", attributes, values, options, show_descriptions=False)
    return form.with_values(request.query) if _is_submitted(request, report) else form


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
    names = {attribute.name for attribute in report.attributes}
    query = {name: values for name, values in request.queries.items() if name in names and any(values)}
    return {**body_from_query(report.attributes, query), HUMANIZE: media_type == JSON}


def _read_rows(file: IO[bytes]) -> list[dict[str, Any]]:
    with file:
        file.seek(0)
        rows: list[dict[str, Any]] = msgspec.json.decode(file.read())
    return rows


async def _build_table(request: PageRequest, client_id: int, report: Report, rows: list[dict[str, Any]]) -> ReportView:
    """Return the table without rows that did not change and without columns that are zero throughout."""
    changed, keys = await run_in_thread_if_many(len(rows), lambda: _select(report, rows))
    visible_rows = changed[:MAX_SHOWN_ROWS]
    async with request.tenant.read_only() as tx:
        names = await directory.load_names_by_number(tx, client_id, list({row[EMPLOYEE] for row in visible_rows}))
    cells = await run_in_thread_if_many(
        len(visible_rows), lambda: [[_format_value(report, row, key, names) for key in keys] for row in visible_rows]
    )
    explanations = [_explanation(row) for row in visible_rows] if report.id in EXPLAINED else []
    return ReportView(keys, cells, len(changed), len(rows) - len(changed), explanations)


def _select(report: Report, rows: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the rows that changed, and the keys of the columns that are not zero throughout.

    A custom field can have the name of any column, so a report is recognised by its ID, not by its columns.
    """
    changed = [row for row in rows if row["Variance"] != ZERO] if report.id == VARIANCE else rows
    omitted = EXPLANATION_KEYS if report.id in EXPLAINED else ()
    keys = [key for key in (rows[0] if rows else ()) if key not in omitted]
    return changed, [key for key in keys if any(row[key] != ZERO for row in changed)]


def _format_value(report: Report, row: Mapping[str, Any], key: str, names: Mapping[str, str]) -> tuple[str, bool]:
    if key == EMPLOYEE:
        return f"{names.get(row[key], '')} {row[key]}", False
    if report.id in EXPLAINED and key == "Month":
        return format_month(row[key]), False
    if report.id == WAGE_OFFSETS and key == "Estimate" and row[key] is None:
        return NOT_ESTIMATED, True
    if report.id == LEAVE_CLAIMS and key == "Claim" and row[key] is None:
        return NOT_CALCULATED, True
    return _format_cell(row[key])


def _explanation(row: Mapping[str, Any]) -> dict[str, str]:
    """Return the explanation of a row, by label. Parts without a value are left out."""
    reason = str(row["Reason"])
    parts = {
        "Reason": f"{reason[:1].upper()}{reason[1:]}.",
        "Calculation": row["Calculation"],
        "Rule": row.get("Rule"),
        "Applies from": format_day(row["Effective From"]) if "Effective From" in row else None,
        "Source": row["Source"],
        "Certainty": CERTAINTY.get(row["Certainty"]),
    }
    return {name: text for name, text in parts.items() if text}


def _build_chart(report: Report, table: ReportView, rows: list[dict[str, Any]]) -> Ranking | None:
    """Return the ranking of the largest amounts, for reports that have one."""
    if report.id == VARIANCE:
        changes = [(row["Transaction"]["caption"], row["Variance"]) for row in rows if row["Type"] not in TOTAL_TYPES]
        return build_ranking("Change by item, all employees", changes)
    if report.id == "leave_liability_v2" and "Liability" in table.keys:
        employee, liability = table.keys.index(EMPLOYEE), table.keys.index("Liability")
        return build_ranking("Largest liabilities", [(row[employee][0], row[liability][0]) for row in table.rows])
    if report.id == WAGE_OFFSETS:
        amounts = [(row["Scheme"], row["Estimate"]) for row in rows if row["Estimate"] is not None]
        return build_ranking("Estimate by scheme", amounts)
    if report.id == LEAVE_CLAIMS:
        claims = [(label(row["Leave"]), row["Claim"]) for row in rows if row["Claim"] is not None]
        return build_ranking("Claim by type of leave", claims)
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
