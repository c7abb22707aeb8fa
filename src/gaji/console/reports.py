"""Reports: a form, the result as a table, and downloads."""

from calendar import month_name
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import IO, Any
from urllib.parse import urlencode

import msgspec

from gaji.console.chart import Ranking
from gaji.console.formats import format_day
from gaji.console.forms import Form, Options, build_form
from gaji.console.glossary import label
from gaji.console.pages import Confirmation, PageRouter, when_queried
from gaji.console.report_charts import MonthlyChart, RankedAmounts, summarise_rows
from gaji.console.report_table import (
    EMPLOYEE,
    LEAVE_CLAIMS,
    LEAVE_COMPARISON,
    LEAVE_LIABILITY,
    TRACKED_BALANCES,
    TRANSACTION_HISTORY,
    VARIANCE,
    WAGE_OFFSETS,
    ReportPage,
    ReportRows,
    employee_numbers,
    heading_text,
    select_rows,
)
from gaji.console.request import PageRequest
from gaji.console.table_sort import parse_sort
from gaji.core import clock
from gaji.core.errors import Conflict, NotFound, ValidationError
from gaji.core.threads import REPORTS as REPORT_THREADS
from gaji.core.threads import run_in_thread_if_many
from gaji.leave.types import service as leave_types
from gaji.people.employees import directory
from gaji.reports import discovery, service
from gaji.reports.employee_fields import ATTRIBUTES as EMPLOYEE_ATTRIBUTES
from gaji.reports.registry import REPORTS, Report, get_report
from gaji.reports.request_fields import body_from_query
from gaji.reports.selections import service as selections
from gaji.reports.selections.schemas import PERIOD_PARAMETERS, ReportSelection
from gaji.tabular import CSV, EXTENSIONS, JSON, XLSX
from gaji.web.responses import HttpResponse

router = PageRouter()

MAX_PERIODS = 60
ROW_DECODER = msgspec.json.Decoder(list[dict[str, Any]], float_hook=Decimal)
DOWNLOADS = {"csv": CSV, "xlsx": XLSX}
TITLES = {
    TRANSACTION_HISTORY: "Transaction history",
    VARIANCE: "Variance",
    LEAVE_COMPARISON: "Leave comparison",
    LEAVE_LIABILITY: "Leave liability",
    TRACKED_BALANCES: "Loans and savings",
    WAGE_OFFSETS: "Wage offsets",
    LEAVE_CLAIMS: "Leave claims",
}
NOTES = {
    WAGE_OFFSETS: "Estimates from finalised payslips. IRAS calculates and pays the offsets from CPF data, without an "
    "application, and its amounts can differ. Credits are taxable income of the company.",
    LEAVE_CLAIMS: "Months with a day of leave between the dates. Pay the employee first, then claim on the "
    "Government-Paid Leave portal. The portal's amount can differ.",
}
HUMANIZE = "humanize"
"""Hidden in the form: the page shows amounts as text. Downloads have numbers."""
FIELDS = "custom_fields"
CHOICE_FIELDS = ("account_names", FIELDS, "leave_types")
"""Fields with several values, each a checkbox."""
CHOICE_LABELS = {"account_names": "Pay items and totals", FIELDS: "Employee details"}
"""What these fields select. The interface has other names for them."""
OMITTED_FIELDS = (HUMANIZE, "humanized", "employee_ids", *CHOICE_FIELDS)
"""Fields that are not among the fields of the form. A report is about all employees."""


@dataclass(frozen=True)
class ChoiceList:
    """A field with several values: the values with their labels, and which of them are selected."""

    name: str
    label: str
    options: Options
    selected: Set[str]

    @property
    def is_optional(self) -> bool:
        """Whether the report has all values if none is selected."""
        return self.name != FIELDS

    @property
    def is_complete(self) -> bool:
        """Whether all values are selected."""
        return len(self.selected) == len(self.options)


@dataclass(frozen=True)
class ReportResult:
    """A report that was run: its table, and one of the two kinds of charts if it has one."""

    table: ReportPage
    months: MonthlyChart | None = None
    ranking: Ranking | None = None


@router.get("/companies/{client_id}/reports")
async def list_reports(request: PageRequest) -> HttpResponse:
    """Show the list of reports with their saved selections."""
    company = await request.company(request.ids["client_id"])
    saved = await selections.list_selections(request.tenant, company.id)
    return request.render(
        "reports.html", company=company, here="Reports", reports=REPORTS.values(), titles=TITLES, selections=saved
    )


@router.get(
    "/companies/{client_id}/reports/{report}", step_up=when_queried("format"), is_file=True, allows_replica=True
)
async def show_report(request: PageRequest) -> HttpResponse:
    """Show the form of a report and, once it is submitted, the result. `selection` opens a saved selection."""
    company = await request.company(request.ids["client_id"])
    report = get_report(request.names["report"])
    saved = await _list_saved(request, company.id, report)
    values = await discovery.describe_reports(request.tenant, company.id)
    is_submitted = _is_submitted(request, report)
    if "selection" in request.query and not is_submitted:
        return request.redirect(_selection_path(request, report, saved, values["waves"]))
    form = _build_form(request, report, values["waves"])
    choices = await _build_choices(request, company.id, report, values)
    result: ReportResult | None = None
    error: ValidationError | Conflict | None = None
    if is_submitted:
        media_type = DOWNLOADS.get(request.query.get("format", ""), JSON)
        body = _report_body(request, report, media_type)
        try:
            file = await service.run_report(request.tenant, company.id, report, body, media_type, heading_text)
        except (ValidationError, Conflict) as caught:
            error = caught
            form = form.with_errors(caught)
        else:
            if media_type != JSON:
                disposition = f'attachment; filename="{report.id}.{EXTENSIONS[media_type]}"'
                return request.respond(200, b"", media_type, ("Content-Disposition", disposition), file=file.file)
            result = await _build_result(request, company.id, report, file.file, frozenset(values["account_names"]))
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
        selections=saved,
        selected_id=request.query.get("selection", ""),
        parameters=_parameters(request, report, choices),
        has_period=any(attribute.name in PERIOD_PARAMETERS for attribute in report.attributes),
        api_request=_api_request(request, company.id, report),
        result=result,
        downloads={extension: _download_path(request, choices, extension) for extension in DOWNLOADS},
    )


@router.post("/companies/{client_id}/reports/{report}/selections")
async def save_selection(request: PageRequest) -> HttpResponse:
    """Save the parameters and columns of a report under a name."""
    company = await request.writable_company(request.ids["client_id"])
    report = get_report(request.names["report"])
    known = {attribute.name for attribute in report.attributes}
    selection = await selections.save_selection(
        request.tenant,
        company.id,
        report,
        {"name": request.form.get("name")},
        {name: values for name, values in request.fields.items() if name in known},
        keep_dates=request.form.get("keep_dates") == "true",
    )
    path = f"/companies/{company.id}/reports/{report.id}?selection={selection.id}"
    return request.redirect(path, f"Selection {selection.name} saved")


@router.post(
    "/companies/{client_id}/report_selections/{selection_id}/delete",
    confirm=Confirmation("Delete this saved selection?", "All users of the company lose it. Reports stay as they are."),
)
async def delete_selection(request: PageRequest) -> HttpResponse:
    """Delete a saved selection."""
    company = await request.writable_company(request.ids["client_id"])
    report_id = await selections.delete_selection(request.tenant, company.id, request.ids["selection_id"])
    return request.redirect(f"/companies/{company.id}/reports/{report_id}", "Selection deleted")


async def _list_saved(request: PageRequest, client_id: int, report: Report) -> list[ReportSelection]:
    saved = await selections.list_selections(request.tenant, client_id)
    return [selection for selection in saved if selection.report == report.id]


def _selection_path(
    request: PageRequest, report: Report, saved: Sequence[ReportSelection], waves: Sequence[Mapping[str, Any]]
) -> str:
    """Return the path of the report with the saved parameters, and with the latest period if they have none."""
    selection = next((item for item in saved if str(item.id) == request.query["selection"]), None)
    if selection is None:
        raise NotFound(f"Saved selection {request.query['selection'][:20]} does not exist")
    wave_id = selection.parameters.get("wave_id", [""])[-1]
    wave = next((wave for wave in waves if str(wave["wave_id"]) == wave_id), None)
    names = {attribute.name for attribute in report.attributes if attribute.required}
    period = {name: value for name, value in _default_values(wave).items() if name in names}
    query = {HUMANIZE: "true", **period, **selection.parameters, "selection": str(selection.id)}
    return f"{request.path}?{urlencode(query, doseq=True)}"


def _parameters(request: PageRequest, report: Report, choices: Sequence[ChoiceList]) -> dict[str, list[str]]:
    """Return the submitted parameters. A list of choices that are all selected is left out, like future ones."""
    names = {attribute.name for attribute in report.attributes} - {HUMANIZE}
    complete = {choice.name for choice in choices if choice.is_optional and choice.is_complete}
    return {
        name: [value for value in values if value]
        for name, values in request.queries.items()
        if name in names - complete and any(values)
    }


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
    complete = {choice.name for choice in choices if choice.is_complete}
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
        submitted = {part for text in request.queries.get(name, ()) for part in (text, *text.split(",")) if part}
        has_all = not is_submitted or (not submitted and name != FIELDS)
        selected = {value for value, _ in options if has_all or value in submitted}
        choices.append(ChoiceList(name, CHOICE_LABELS.get(name) or label(name), options, selected))
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
    form = build_form("report", attributes, _default_values(chosen), options, show_descriptions=False)
    return form.with_values(request.query) if _is_submitted(request, report) else form


def _default_values(wave: Mapping[str, Any] | None) -> dict[str, str]:
    """Return the values of the form until it is submitted."""
    return {**_default_dates(), **_default_period(wave), "year": str(clock.today().year)}


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


async def _build_result(
    request: PageRequest, client_id: int, report: Report, file: IO[bytes], account_names: Set[str]
) -> ReportResult:
    """Return the table and the chart of a report, with the names of the employees in them."""
    rows, summary = await REPORT_THREADS.run(_read_rows, report.id, file, account_names)
    ranked = summary.amounts if isinstance(summary, RankedAmounts) and summary.are_employees else ()
    numbers = {number for number, _ in ranked}
    is_by_name = parse_sort(request, rows.sort_columns).name == EMPLOYEE
    names = await _load_names(request, client_id, employee_numbers(rows.changed)) if is_by_name else {}
    page = await run_in_thread_if_many(len(rows.changed), lambda: rows.select_page(request, names))
    names = {**names, **await _load_names(request, client_id, (numbers | employee_numbers(page.rows)) - names.keys())}
    table = await run_in_thread_if_many(len(page.rows), lambda: rows.build_table(page, names))
    if isinstance(summary, MonthlyChart):
        return ReportResult(table, months=summary)
    return ReportResult(table, ranking=summary.draw(names))


async def _load_names(request: PageRequest, client_id: int, numbers: Set[str]) -> Mapping[str, str]:
    """Load the names of employees by number."""
    if not numbers:
        return {}
    async with request.tenant.read_only() as tx:
        return await directory.load_names_by_number(tx, client_id, list(numbers))


def _read_rows(
    report_id: str, file: IO[bytes], account_names: Set[str]
) -> tuple[ReportRows, MonthlyChart | RankedAmounts]:
    with file:
        file.seek(0)
        rows = ROW_DECODER.decode(file.read())
    return select_rows(report_id, rows, account_names), summarise_rows(report_id, rows, account_names)
