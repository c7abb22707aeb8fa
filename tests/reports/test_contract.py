"""Tests for all reports: keys, filters, file formats and errors."""

import json
from decimal import Decimal
from typing import Any

import pytest

from tests.reports import reference_reports
from tests.reports.report_client import (
    CSV,
    XLSX,
    csv_rows,
    report_rows,
    rows_of,
    run_report,
    run_report_by_query,
    start_report,
    wait_for_report,
    xlsx_rows,
)
from tests.reports.sample_payroll import JANUARY_OFFSET, SamplePayroll
from tests.support.problems import assert_problem, field_errors

FIELDS: dict[str, dict[str, Any]] = {
    "transaction_history": {
        "start_date": "2026-01-01",
        "end_date": "2026-03-31",
        "account_names": ["Basic salary", "nett_pay", "CPF, employee's share"],
        "custom_fields": ["first_name", "Locker", "Shift leader"],
    },
    "variance": {"wave_id": 0, "period_offset": JANUARY_OFFSET + 1},
    "comparison_leave": {"start_date": "2026-01-01", "end_date": "2026-03-31"},
    "leave_liability_v2": {"date": "2026-03-31"},
    "tracked_balances": {"date": "2026-03-31"},
    "employee_tax_incentive": {"year": 2026},
    "government_paid_leave": {"start_date": "2026-01-01", "end_date": "2026-03-31"},
}
KEYS = {
    "transaction_history": [
        *("employee", "Date", "Basic salary", "Nett pay", "CPF, employee's share"),
        *("First name", "Locker", "Shift leader"),
    ],
    "variance": ["employee", "Type", "Transaction", "Previous", "Selected", "Variance"],
    "comparison_leave": [
        *("employee", "leave_type", "Date", "Accrual", "Entitlement", "Taken", "Adjustment", "Balance")
    ],
    "leave_liability_v2": ["employee", "Days", "Daily Rate", "Liability"],
    "tracked_balances": ["employee", "Loans", "Savings", "Garnishees"],
    "employee_tax_incentive": [
        *("employee", "Month", "Scheme", "Wage", "Rate", "Estimate", "Reason", "Calculation", "Rule"),
        *("Effective From", "Source", "Certainty"),
    ],
    "government_paid_leave": [
        *("employee", "Leave", "Child", "Month", "From", "To", "Days", "Daily Rate", "Gross Pay", "Employer CPF"),
        *("Cap", "Cap Used", "Claim", "Claim By", "Reason", "Calculation", "Source", "Certainty"),
    ],
}
AMOUNTS = {
    "transaction_history": ["Basic salary", "Nett pay", "CPF, employee's share"],
    "variance": ["Previous", "Selected", "Variance"],
    "comparison_leave": [],
    "leave_liability_v2": ["Daily Rate", "Liability"],
    "tracked_balances": ["Loans", "Savings", "Garnishees"],
    "employee_tax_incentive": ["Wage", "Estimate"],
    "government_paid_leave": ["Daily Rate", "Gross Pay", "Employer CPF", "Cap", "Cap Used", "Claim"],
}
NULLABLE = ("Estimate", *AMOUNTS["government_paid_leave"])
"""Amounts that can be null."""
REQUIRED = {
    "transaction_history": ["start_date", "end_date"],
    "variance": ["wave_id", "period_offset"],
    "comparison_leave": ["start_date", "end_date"],
    "leave_liability_v2": ["date"],
    "tracked_balances": ["date"],
    "employee_tax_incentive": ["year"],
    "government_paid_leave": ["start_date", "end_date"],
}

every_report = pytest.mark.parametrize("report", FIELDS)


def fields(payroll: SamplePayroll, report: str) -> dict[str, Any]:
    """Return the request fields of a report."""
    wave = {"wave_id": payroll.company.wave_id} if report == "variance" else {}
    return FIELDS[report] | wave


@every_report
def test_it_works(payroll: SamplePayroll, report: str) -> None:
    answer = run_report(payroll.company, report, **fields(payroll, report))
    rows = rows_of(answer)
    assert rows
    assert all(list(row) == KEYS[report] for row in rows)
    if report != "tracked_balances":
        assert answer.headers["x-rules-version"]
    assert answer.headers["vary"] == "Accept, Accept-Encoding"


@every_report
def test_amounts_are_numbers_or_humanized_text(payroll: SamplePayroll, report: str) -> None:
    request = fields(payroll, report)
    numbers, texts = (
        report_rows(payroll.company, report, **request),
        report_rows(payroll.company, report, **request, humanize=True),
    )
    for row in numbers:
        assert all(isinstance(row[key], int | float) for key in _amount_keys(report, row))
    humanized = [
        {**row, **{key: reference_reports.format_money(row[key]) for key in _amount_keys(report, row)}}
        for row in numbers
    ]
    assert texts == humanized
    for off in (False, None, "false"):
        assert report_rows(payroll.company, report, **request, humanize=off) == numbers


@every_report
def test_json_amounts_have_two_decimals(payroll: SamplePayroll, report: str) -> None:
    answer = run_report(payroll.company, report, **fields(payroll, report))
    exact = json.loads(answer.text, parse_float=Decimal)
    for row in exact:
        amounts = [row[key] for key in _amount_keys(report, row)]
        assert all(isinstance(amount, Decimal) and amount.as_tuple().exponent == -2 for amount in amounts)


@every_report
@pytest.mark.parametrize("humanize", [None, True])
def test_get_returns_the_same_as_post(payroll: SamplePayroll, report: str, humanize: bool | None) -> None:
    request = fields(payroll, report) | {"employee_ids": [payroll.people["Ravi"], payroll.people["Mei"]]}
    request["humanize"] = humanize
    expected = report_rows(payroll.company, report, **request)
    assert expected
    assert rows_of(run_report_by_query(payroll.company, report, **request)) == expected
    by_commas = {
        name: ",".join(map(str, value)) if isinstance(value, list) else value for name, value in request.items()
    }
    assert rows_of(run_report_by_query(payroll.company, report, **by_commas)) == expected
    with_brackets = {f"{name}[]" if isinstance(value, list) else name: value for name, value in request.items()}
    assert rows_of(run_report_by_query(payroll.company, report, **with_brackets)) == expected


@every_report
def test_queued_reports_equal_synchronous_ones(payroll: SamplePayroll, report: str) -> None:
    for request in (fields(payroll, report), fields(payroll, report) | {"humanize": True}):
        at_once = run_report(payroll.company, report, **request)
        later = wait_for_report(payroll.company, start_report(payroll.company, report, **request))
        assert rows_of(later) == rows_of(at_once)
        assert later.content == at_once.content
        for name in ("x-rules-version", "content-type", "vary"):
            assert later.headers.get(name) == at_once.headers.get(name)


@every_report
def test_csv_has_the_same_rows(payroll: SamplePayroll, report: str) -> None:
    request = fields(payroll, report)
    header, *lines = csv_rows(run_report(payroll.company, report, CSV, **request))
    assert header == KEYS[report]
    exact = json.loads(run_report(payroll.company, report, **request).text, parse_float=Decimal)
    assert lines == [[_text(row[key]) for key in KEYS[report]] for row in exact]
    uuid = start_report(payroll.company, report, **request)
    assert csv_rows(wait_for_report(payroll.company, uuid, CSV)) == [header, *lines]


@every_report
def test_a_spreadsheet_has_the_same_rows(payroll: SamplePayroll, report: str) -> None:
    request = fields(payroll, report)
    header, *lines = xlsx_rows(run_report(payroll.company, report, XLSX, **request))
    assert header == KEYS[report]
    expected = [[_value(row[key]) for key in KEYS[report]] for row in report_rows(payroll.company, report, **request)]
    assert lines == expected
    uuid = start_report(payroll.company, report, **request)
    assert xlsx_rows(wait_for_report(payroll.company, uuid, XLSX)) == [header, *lines]


@every_report
def test_employee_filter(payroll: SamplePayroll, report: str) -> None:
    everything = report_rows(payroll.company, report, **fields(payroll, report))
    for names in (["Mei"], ["Ravi", "Mei"], ["Lim"]):
        numbers = {payroll.number(name) for name in names}
        request = {**fields(payroll, report), "employee_ids": [payroll.people[name] for name in names]}
        assert report_rows(payroll.company, report, **request) == [
            row for row in everything if row["employee"] in numbers
        ]


@every_report
def test_wave_filter_alone_and_with_employees(payroll: SamplePayroll, report: str) -> None:
    if report == "variance":
        return  # it has only one wave
    request = fields(payroll, report)
    everything = report_rows(payroll.company, report, **request)
    lim = payroll.number("Lim")
    weekly = [row for row in everything if row["employee"] == lim]
    monthly = [row for row in everything if row["employee"] != lim]
    assert weekly
    assert monthly
    wave_ids = [payroll.weekly_wave_id]
    assert report_rows(payroll.company, report, **request, wave_ids=wave_ids) == weekly
    assert report_rows(payroll.company, report, **request, wave_ids=[payroll.company.wave_id]) == monthly
    assert report_rows(payroll.company, report, **request, wave_ids=[*wave_ids, payroll.company.wave_id]) == everything
    people = [payroll.people["Mei"], payroll.people["Lim"]]
    assert report_rows(payroll.company, report, **request, wave_ids=wave_ids, employee_ids=people) == weekly
    assert report_rows(payroll.company, report, **request, wave_ids=wave_ids, employee_ids=people[:1]) == []


@every_report
@pytest.mark.parametrize("none", [None, []])
def test_null_and_an_empty_array_do_not_filter(payroll: SamplePayroll, report: str, none: Any) -> None:
    request = fields(payroll, report)
    more = {"employee_ids": none} if report == "variance" else {"employee_ids": none, "wave_ids": none}
    assert report_rows(payroll.company, report, **request, **more) == report_rows(payroll.company, report, **request)


@every_report
def test_ids_may_be_numeric_strings(payroll: SamplePayroll, report: str) -> None:
    request = fields(payroll, report)
    mei = payroll.people["Mei"]
    assert report_rows(payroll.company, report, **request, employee_ids=[str(mei)]) == report_rows(
        payroll.company, report, **request, employee_ids=[mei]
    )


@every_report
def test_an_empty_report_is_an_empty_array_or_a_header(payroll: SamplePayroll, report: str) -> None:
    request = fields(payroll, report)
    empty = {
        "start_date": "2020-01-01",
        "end_date": "2020-01-31",
        "date": "2020-01-31",
        "period_offset": 192,
        "year": 2021,
    }
    request |= {name: value for name, value in empty.items() if name in request}
    assert report_rows(payroll.company, report, **request) == []
    assert csv_rows(run_report(payroll.company, report, CSV, **request)) == [KEYS[report]]
    assert xlsx_rows(run_report(payroll.company, report, XLSX, **request)) == [KEYS[report]]
    assert rows_of(wait_for_report(payroll.company, start_report(payroll.company, report, **request))) == []


@every_report
def test_required_fields(payroll: SamplePayroll, report: str) -> None:
    expected = dict.fromkeys(REQUIRED[report], "is required")
    assert field_errors(run_report(payroll.company, report)) == expected
    assert field_errors(run_report_by_query(payroll.company, report)) == expected
    answer = payroll.company.member.post(f"/clients/{payroll.company.id}/reports/{report}/async", {})
    assert field_errors(answer) == expected


@every_report
def test_all_errors_are_reported_at_once(payroll: SamplePayroll, report: str) -> None:
    wrong: dict[str, Any] = dict.fromkeys(REQUIRED[report], "soon") | {"employee_ids": 5, "humanize": "maybe"}
    assert set(field_errors(run_report(payroll.company, report, **wrong))) == set(wrong)
    assert set(field_errors(run_report_by_query(payroll.company, report, **{**wrong, "employee_ids": "x"}))) == set(
        wrong
    )


def test_ids_that_are_not_valid_are_listed_as_json(payroll: SamplePayroll) -> None:
    answer = run_report(payroll.company, "tracked_balances", date="2026-01-31", employee_ids=["x", None, True, 1.5])
    assert field_errors(answer) == {"employee_ids": "must be an array of IDs; these are not valid: x, null, true, 1.5"}


@every_report
def test_unknown_employees_and_waves_are_listed(payroll: SamplePayroll, report: str) -> None:
    stranger = payroll.company.member.service.new_account()
    foreign = stranger.new_client()
    wave = {"frequency": "weekly", "first_end_date": "2026-01-02"}
    foreign_wave = stranger.post(f"/clients/{foreign}/waves", wave).json()["id"]
    request = fields(payroll, report) | {"employee_ids": [payroll.people["Mei"], 10**12, 10**12 + 1]}
    waves = "wave_id" if report == "variance" else "wave_ids"
    request[waves] = foreign_wave if report == "variance" else [payroll.weekly_wave_id, foreign_wave]
    assert field_errors(run_report(payroll.company, report, **request)) == {
        "employee_ids": f"employee not found in this client: {10**12}, {10**12 + 1}",
        waves: f"wave not found in this client: {foreign_wave}",
    }


@every_report
def test_a_viewer_and_a_read_only_key_can_run_reports(payroll: SamplePayroll, report: str) -> None:
    company = payroll.company
    expected = report_rows(company, report, **fields(payroll, report))
    path = f"/clients/{company.id}/reports/{report}"
    viewer = company.member.colleague(company.id, "viewer")
    reader = company.member.with_another_key(read_only=True)
    for member in (viewer, reader):
        assert rows_of(member.post(path, fields(payroll, report))) == expected
    for member in (viewer, reader):
        assert member.post(f"{path}/async", fields(payroll, report)).status_code == 200


def test_a_body_may_be_wrapped(payroll: SamplePayroll) -> None:
    wrapped = run_report(payroll.company, "tracked_balances", report={"date": "2026-03-31"})
    assert rows_of(wrapped) == report_rows(payroll.company, "tracked_balances", date="2026-03-31")


def test_the_end_date_must_not_be_before_the_start_date(payroll: SamplePayroll) -> None:
    for report in ("transaction_history", "comparison_leave"):
        answer = run_report(payroll.company, report, start_date="2026-02-01", end_date="2026-01-31")
        assert field_errors(answer) == {"end_date": "must not be before start_date, 2026-02-01"}


def test_an_unknown_report_is_not_found_and_lists_the_available_ones(payroll: SamplePayroll) -> None:
    message = assert_problem(run_report(payroll.company, "payroll_summary"), 404)["message"]
    assert all(report in message for report in FIELDS)


@pytest.mark.parametrize("accept", ["*/*", "application/json", "text/html", "text/csv;q=0.1, application/json", "x"])
def test_json_is_the_default(payroll: SamplePayroll, accept: str) -> None:
    rows_of(run_report(payroll.company, "tracked_balances", accept, date="2026-03-31"))


def test_head_has_the_content_length_and_no_body(payroll: SamplePayroll) -> None:
    path = f"/clients/{payroll.company.id}/reports/tracked_balances?date=2026-03-31"
    response, head = payroll.company.member.get(path), payroll.company.member.call("HEAD", path)
    assert head.content == b""
    assert head.headers["content-length"] == response.headers["content-length"]


def _amount_keys(report: str, row: dict[str, Any]) -> list[str]:
    """Return the keys of the amounts of a row, without those that may be null and are."""
    return [key for key in AMOUNTS[report] if row[key] is not None or key not in NULLABLE]


def _text(value: Any) -> str:
    """Return a value as in a CSV file."""
    if isinstance(value, dict):
        return str(value["caption"])
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _value(value: Any) -> Any:
    """Return a value as in a spreadsheet."""
    return value["caption"] if isinstance(value, dict) else value
