"""Long computations do not run on the event loop, so that other requests are served meanwhile."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.console.console_user import signed_in_user
from tests.imports.employees.workbooks import XLSX, export_workbook
from tests.leave.people import leave_types
from tests.payroll.payment_runs.runs import hired, paid
from tests.support.company import Company
from tests.support.event_loop import InProcessServer, in_process_server, monitor_loop
from tests.support.running import Member

MAX_CALLBACK_S = 0.5
"""CPU time. Ten times the limit for one request, because the machine may be slow; stalls were seconds long."""
HEAVY_FUNCTIONS = (
    "gaji.console.downloads._file_values",
    "gaji.console.filings._filing_values",
    "gaji.console.request.render",
    "gaji.documents.filings.cpf_submission._build_month_input",
    "gaji.documents.filings.service._build_filing",
    "gaji.documents.payment_files.downloaded_files._download_columns",
    "gaji.documents.payment_files.service._build_files",
    "gaji.documents.tax_certificates.generate_certificates._accumulate",
    "gaji.documents.tax_certificates.generate_certificates._content",
    "gaji.documents.tax_certificates.repository._certificate",
    "gaji.documents.tax_certificates.repository._draft_columns",
    "gaji.documents.tax_certificates.service.review_json",
    "gaji.imports.employees.match_rows._match",
    "gaji.payroll.bulk_input.endpoints._employee_json",
    "gaji.payroll.bulk_input.endpoints._result_json",
    "gaji.payroll.bulk_input.service._find_input_requests",
    "gaji.payroll.calculations.repository._build_columns",
    "gaji.payroll.calculations.resolve._group_layers",
    "gaji.payroll.payslips.daily_rates.gross_daily_rates",
    "gaji.payroll.payslips.drafts._find_changes",
    "gaji.payroll.payslips.employment_context.paid_intervals",
    "gaji.people.employees.access.employee_label",
    "gaji.people.employees.bulk_create._parse",
    "gaji.people.employees.repository._employee",
    "gaji.people.employees.repository._update_arguments",
    "gaji.people.employees.service._with_included",
    "gaji.people.service_periods.queries._group_intervals",
    "gaji.people.wave_periods.queries._group_intervals",
    "gaji.leave.balances.columns.compute_balances",
    "gaji.leave.balances.service._list_movements_json",
    "gaji.leave.days.overdrafts.OverdraftChecker.take",
    "gaji.leave.payslip_effects._summarise_types",
    "gaji.payroll.bulk_input.service.parse_entities",
    "gaji.payroll.payslips.history._finalised_payslips",
    "gaji.reports.comparison_leave._build_rows",
    "gaji.reports.variance._build_chunk",
    "gaji.tabular.csv_writer.CsvRowWriter._write",
    "gaji.web.json_body._decode_elements",
)
YEAR = {"start_date": "2026-01-01", "end_date": "2026-12-31"}


@pytest.fixture
def veteran(company: Company) -> int:
    """An employee since 1925, in a company with a finalised run."""
    hired(company)
    paid(company)
    return company.hire(birthdate="1900-01-01", appointment_date="1925-01-01")


@pytest.fixture
def browser_headers(company: Company) -> dict[str, str]:
    """The headers of a browser in which the member is signed in."""
    cookies = signed_in_user(company.member).browser.cookies
    return {"Accept": "text/html", "Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())}


def run_in_process(member: Member, work: Callable[[InProcessServer], Awaitable[None]]) -> None:
    """Run requests against the application in this thread."""

    async def run() -> None:
        async with in_process_server(member) as server:
            await work(server)

    asyncio.run(run())


async def send_heavy_requests(
    server: InProcessServer, company: Company, employee_id: int, browser_headers: dict[str, str]
) -> None:
    """Send a request of each kind that takes long for some data."""
    client, employee = f"/clients/{company.id}", f"/employees/{employee_id}"
    types = leave_types(company.member, company.id)
    days = [
        {"date": f"2026-{month:02}-{day:02}", "type_id": types["annual_leave"]} for month in (3, 6) for day in (2, 3)
    ]
    entities = [{"id": str(number), "attributes": {"frist_name": "x"}} for number in range(1, 5001)]
    salary = {"calc_type": "basic_salary", "calculation_details": {"fixed_amount": "4000.00"}}
    everyone = {"date": "2026-01-31", "employee_ids": list(range(1, 100_000))}
    csv, workbook = {"Accept": "text/csv"}, export_workbook(company)
    [run] = [element["payment_run"] for element in company.member.get(f"{client}/payment_runs").json()]
    offset, run_path = run["period_offset"], f"/payment_runs/{run['id']}"
    bonus = [{"id": str(employee_id), "attributes": {"calc.bonus.amount": "100.00", "job_title": "Clerk"}}]
    certificates = f"{client}/tax_certificates"
    requests: list[tuple[str, str, dict[str, Any], int]] = [
        ("GET", f"{employee}/leave_balances?date=2199-12-31", {}, 200),
        ("GET", f"{employee}/leave_movements?to=2199-12-31", {}, 200),
        ("POST", f"{employee}/leave_days/create_multiple", {"json": {"dates": days}}, 200),
        ("POST", f"{employee}/calculations", {"json": salary}, 200),
        ("POST", f"{client}/bulk_input", {"json": {"entities": entities}}, 200),
        ("POST", f"{client}/bulk_input", {"json": {"entities": bonus}}, 200),
        ("POST", f"{client}/employees/bulk", {"json": {"employees": [{"frist_name": "x"}] * 2000}}, 200),
        ("PATCH", f"{client}/employees/bulk", {"json": {"employees": [{"id": employee_id, "number": "K7"}]}}, 200),
        ("POST", f"{client}/bulk_input", {"content": b'{"entities":[' + b"1.5," * 400_000 + b"1]}"}, 422),
        ("POST", f"{client}/employees", {"content": b'{"employee":{"first_name":"' + b"x" * 10**7 + b'"}}'}, 422),
        ("POST", f"{client}/reports/tracked_balances", {"json": everyone}, 422),
        ("POST", f"{client}/reports/transaction_history", {"json": YEAR, "headers": csv}, 200),
        ("POST", f"{client}/reports/comparison_leave", {"json": {**YEAR, "end_date": "2199-12-31"}}, 200),
        ("POST", f"{client}/reports/variance", {"json": {"wave_id": company.wave_id, "period_offset": offset}}, 200),
        ("POST", f"{client}/reports/leave_liability_v2", {"json": {"date": "2026-01-31"}}, 200),
        ("GET", f"{client}/employees?include=service_periods,wave_periods,recent_payslips", {}, 200),
        (
            "POST",
            f"{client}/employees/import?dry_run=true",
            {"content": workbook, "headers": {"Content-Type": XLSX}},
            200,
        ),
        ("GET", f"{run_path}/accounting", {}, 200),
        ("GET", f"{run_path}/files", {}, 200),
        ("GET", f"{run_path}/files/payment_list.csv", {}, 200),
        ("GET", f"{client}/filings/2026-01", {}, 200),
        ("POST", certificates, {"json": {"year": 2026}}, 200),
        ("GET", f"{certificates}?year=2026", {}, 200),
    ]
    pages = [f"/companies/{company.id}{page}" for page in ("", "/employees", "/filings?month=2026-01", "/bulk_input")]
    for page in (*pages, run_path, f"{run_path}/files"):
        requests.append(("GET", f"http://localhost{page}", {"headers": browser_headers}, 200))
    for method, path, details, status in requests:
        response = await server.call(method, path, **details)
        assert response.status_code == status, (path, response.text[:500])


def test_heavy_functions_run_in_threads(
    company: Company, veteran: int, browser_headers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Work on any number of records runs in a thread, not only on many.
    monkeypatch.setattr("gaji.core.threads.THREAD_THRESHOLD", -1)
    called: set[str] = set()
    on_loop: set[str] = set()
    loop_thread = threading.get_ident()

    def watch(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            called.add(name)
            if threading.get_ident() == loop_thread:
                on_loop.add(name)
            return function(*arguments, **options)

        return call

    for name in HEAVY_FUNCTIONS:
        owner: Any = _resolve(name.rpartition(".")[0])
        monkeypatch.setattr(owner, name.rpartition(".")[2], watch(name, getattr(owner, name.rpartition(".")[2])))
    run_in_process(company.member, lambda server: send_heavy_requests(server, company, veteran, browser_headers))
    assert called == set(HEAVY_FUNCTIONS)
    assert on_loop == set()


def test_no_request_occupies_the_event_loop_for_long(
    company: Company, veteran: int, browser_headers: dict[str, str]
) -> None:
    with monitor_loop() as monitor:
        run_in_process(company.member, lambda server: send_heavy_requests(server, company, veteran, browser_headers))
    assert monitor.longest_s < MAX_CALLBACK_S, monitor.stack


def test_a_body_with_too_many_values_is_rejected(company: Company) -> None:
    body = b'{"entities":[' + b"1," * 500_000 + b"1]}"
    answer = company.member.post(f"/clients/{company.id}/bulk_input", content=body)
    assert answer.status_code == 413, answer.text
    assert answer.json()["message"] == "The body has more than 500,000 values"


def _resolve(path: str) -> Any:
    """Return the module or class with a dotted path."""
    try:
        return __import__(path, fromlist=["_"])
    except ModuleNotFoundError:
        module, _, name = path.rpartition(".")
        return getattr(_resolve(module), name)
