"""What holds for every report: its keys, its filters, its forms, and what it refuses."""

import json
from decimal import Decimal
from typing import Any

import pytest

from tests.reports import plain
from tests.reports.asking import (
    CSV,
    XLSX,
    ask,
    csv_rows,
    polled,
    queried,
    rows,
    rows_of,
    started,
    xlsx_rows,
)
from tests.reports.payroll import JANUARY_OFFSET, Payroll
from tests.support.problems import faults, refused

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
}
AMOUNTS = {
    "transaction_history": ["Basic salary", "Nett pay", "CPF, employee's share"],
    "variance": ["Previous", "Selected", "Variance"],
    "comparison_leave": [],
    "leave_liability_v2": ["Daily Rate", "Liability"],
    "tracked_balances": ["Loans", "Savings", "Garnishees"],
}
REQUIRED = {
    "transaction_history": ["start_date", "end_date"],
    "variance": ["wave_id", "period_offset"],
    "comparison_leave": ["start_date", "end_date"],
    "leave_liability_v2": ["date"],
    "tracked_balances": ["date"],
}

every_report = pytest.mark.parametrize("report", FIELDS)


def fields(payroll: Payroll, report: str) -> dict[str, Any]:
    """The fields that a report is asked for with here."""
    own = {"wave_id": payroll.company.wave_id} if report == "variance" else {}
    return FIELDS[report] | own


@every_report
def test_it_works(payroll: Payroll, report: str) -> None:
    answer = ask(payroll.company, report, **fields(payroll, report))
    found = rows_of(answer)
    assert found
    assert all(list(row) == KEYS[report] for row in found)
    if report != "tracked_balances":
        assert answer.headers["x-rules-version"]
    assert answer.headers["vary"] == "Accept"


@every_report
def test_amounts_are_numbers_and_as_people_read_them_when_humanized(payroll: Payroll, report: str) -> None:
    asked = fields(payroll, report)
    numbers, texts = rows(payroll.company, report, **asked), rows(payroll.company, report, **asked, humanize=True)
    for row in numbers:
        assert all(isinstance(row[key], int | float) for key in AMOUNTS[report])
    humanized = [{**row, **{key: plain.money(row[key]) for key in AMOUNTS[report]}} for row in numbers]
    assert texts == humanized
    for off in (False, None, "false"):
        assert rows(payroll.company, report, **asked, humanize=off) == numbers


@every_report
def test_amounts_in_json_are_written_with_their_cents(payroll: Payroll, report: str) -> None:
    answer = ask(payroll.company, report, **fields(payroll, report))
    exact = json.loads(answer.text, parse_float=Decimal)
    for row in exact:
        assert all(isinstance(row[key], Decimal) and row[key].as_tuple().exponent == -2 for key in AMOUNTS[report])


@every_report
@pytest.mark.parametrize("humanize", [None, True])
def test_get_answers_what_post_answers(payroll: Payroll, report: str, humanize: bool | None) -> None:
    asked = fields(payroll, report) | {"employee_ids": [payroll.people["Ravi"], payroll.people["Mei"]]}
    asked["humanize"] = humanize
    expected = rows(payroll.company, report, **asked)
    assert expected
    assert rows_of(queried(payroll.company, report, **asked)) == expected
    by_commas = {name: ",".join(map(str, value)) if isinstance(value, list) else value for name, value in asked.items()}
    assert rows_of(queried(payroll.company, report, **by_commas)) == expected
    with_brackets = {f"{name}[]" if isinstance(value, list) else name: value for name, value in asked.items()}
    assert rows_of(queried(payroll.company, report, **with_brackets)) == expected


@every_report
def test_a_job_makes_what_is_answered_at_once(payroll: Payroll, report: str) -> None:
    for asked in (fields(payroll, report), fields(payroll, report) | {"humanize": True}):
        at_once = ask(payroll.company, report, **asked)
        later = polled(payroll.company, started(payroll.company, report, **asked))
        assert rows_of(later) == rows_of(at_once)
        assert later.content == at_once.content
        for name in ("x-rules-version", "content-type", "vary"):
            assert later.headers.get(name) == at_once.headers.get(name)


@every_report
def test_csv_has_the_same_rows(payroll: Payroll, report: str) -> None:
    asked = fields(payroll, report)
    header, *lines = csv_rows(ask(payroll.company, report, CSV, **asked))
    assert header == KEYS[report]
    exact = json.loads(ask(payroll.company, report, **asked).text, parse_float=Decimal)
    assert lines == [[_text(row[key]) for key in KEYS[report]] for row in exact]
    uuid = started(payroll.company, report, **asked)
    assert csv_rows(polled(payroll.company, uuid, CSV)) == [header, *lines]


@every_report
def test_a_spreadsheet_has_the_same_rows(payroll: Payroll, report: str) -> None:
    asked = fields(payroll, report)
    header, *lines = xlsx_rows(ask(payroll.company, report, XLSX, **asked))
    assert header == KEYS[report]
    expected = [[_value(row[key]) for key in KEYS[report]] for row in rows(payroll.company, report, **asked)]
    assert lines == expected
    uuid = started(payroll.company, report, **asked)
    assert xlsx_rows(polled(payroll.company, uuid, XLSX)) == [header, *lines]


@every_report
def test_employees_filter(payroll: Payroll, report: str) -> None:
    everything = rows(payroll.company, report, **fields(payroll, report))
    for names in (["Mei"], ["Ravi", "Mei"], ["Lim"]):
        numbers = {payroll.number(name) for name in names}
        asked = {**fields(payroll, report), "employee_ids": [payroll.people[name] for name in names]}
        assert rows(payroll.company, report, **asked) == [row for row in everything if row["employee"] in numbers]


@every_report
def test_waves_filter_alone_and_together_with_employees(payroll: Payroll, report: str) -> None:
    if report == "variance":
        return  # it is about one wave
    asked = fields(payroll, report)
    everything = rows(payroll.company, report, **asked)
    lim = payroll.number("Lim")
    weekly = [row for row in everything if row["employee"] == lim]
    monthly = [row for row in everything if row["employee"] != lim]
    assert weekly
    assert monthly
    wave_ids = [payroll.weekly_wave_id]
    assert rows(payroll.company, report, **asked, wave_ids=wave_ids) == weekly
    assert rows(payroll.company, report, **asked, wave_ids=[payroll.company.wave_id]) == monthly
    assert rows(payroll.company, report, **asked, wave_ids=[*wave_ids, payroll.company.wave_id]) == everything
    people = [payroll.people["Mei"], payroll.people["Lim"]]
    assert rows(payroll.company, report, **asked, wave_ids=wave_ids, employee_ids=people) == weekly
    assert rows(payroll.company, report, **asked, wave_ids=wave_ids, employee_ids=people[:1]) == []


@every_report
@pytest.mark.parametrize("none", [None, []])
def test_null_and_an_empty_array_filter_nothing(payroll: Payroll, report: str, none: Any) -> None:
    asked = fields(payroll, report)
    more = {"employee_ids": none} if report == "variance" else {"employee_ids": none, "wave_ids": none}
    assert rows(payroll.company, report, **asked, **more) == rows(payroll.company, report, **asked)


@every_report
def test_ids_may_be_numeric_strings(payroll: Payroll, report: str) -> None:
    asked = fields(payroll, report)
    mei = payroll.people["Mei"]
    assert rows(payroll.company, report, **asked, employee_ids=[str(mei)]) == rows(
        payroll.company, report, **asked, employee_ids=[mei]
    )


@every_report
def test_nothing_found_is_an_empty_array_and_a_file_of_keys(payroll: Payroll, report: str) -> None:
    asked = fields(payroll, report)
    empty = {"start_date": "2020-01-01", "end_date": "2020-01-31", "date": "2020-01-31", "period_offset": 192}
    asked |= {name: value for name, value in empty.items() if name in asked}
    assert rows(payroll.company, report, **asked) == []
    assert csv_rows(ask(payroll.company, report, CSV, **asked)) == [KEYS[report]]
    assert xlsx_rows(ask(payroll.company, report, XLSX, **asked)) == [KEYS[report]]
    assert rows_of(polled(payroll.company, started(payroll.company, report, **asked))) == []


@every_report
def test_what_the_report_has_no_meaning_without_is_required(payroll: Payroll, report: str) -> None:
    expected = dict.fromkeys(REQUIRED[report], "is required")
    assert faults(ask(payroll.company, report)) == expected
    assert faults(queried(payroll.company, report)) == expected
    answer = payroll.company.member.post(f"/clients/{payroll.company.id}/reports/{report}/async", {})
    assert faults(answer) == expected


@every_report
def test_all_faults_are_named_at_once(payroll: Payroll, report: str) -> None:
    wrong: dict[str, Any] = dict.fromkeys(REQUIRED[report], "soon") | {"employee_ids": 5, "humanize": "maybe"}
    assert set(faults(ask(payroll.company, report, **wrong))) == set(wrong)
    assert set(faults(queried(payroll.company, report, **{**wrong, "employee_ids": "x"}))) == set(wrong)


@every_report
def test_unknown_employees_and_waves_are_listed(payroll: Payroll, report: str) -> None:
    stranger = payroll.company.member.service.new_account()
    foreign = stranger.new_client()
    wave = {"frequency": "weekly", "first_end_date": "2026-01-02"}
    foreign_wave = stranger.post(f"/clients/{foreign}/waves", wave).json()["id"]
    asked = fields(payroll, report) | {"employee_ids": [payroll.people["Mei"], 10**12, 10**12 + 1]}
    waves = "wave_id" if report == "variance" else "wave_ids"
    asked[waves] = foreign_wave if report == "variance" else [payroll.weekly_wave_id, foreign_wave]
    assert faults(ask(payroll.company, report, **asked)) == {
        "employee_ids": f"there is no employee {10**12}, {10**12 + 1} in this client",
        waves: f"there is no wave {foreign_wave} in this client",
    }


@every_report
def test_a_viewer_and_a_read_only_key_can_ask_for_it(payroll: Payroll, report: str) -> None:
    company = payroll.company
    expected = rows(company, report, **fields(payroll, report))
    path = f"/clients/{company.id}/reports/{report}"
    viewer = company.member.colleague(company.id, "viewer")
    reader = company.member.with_another_key(read_only=True)
    for member in (viewer, reader):
        assert rows_of(member.post(path, fields(payroll, report))) == expected
    assert viewer.post(f"{path}/async", fields(payroll, report)).status_code == 200
    refused(reader.post(f"{path}/async", fields(payroll, report)), 403)


def test_a_body_may_be_wrapped(payroll: Payroll) -> None:
    wrapped = ask(payroll.company, "tracked_balances", report={"date": "2026-03-31"})
    assert rows_of(wrapped) == rows(payroll.company, "tracked_balances", date="2026-03-31")


def test_a_span_must_not_end_before_it_begins(payroll: Payroll) -> None:
    for report in ("transaction_history", "comparison_leave"):
        answer = ask(payroll.company, report, start_date="2026-02-01", end_date="2026-01-31")
        assert faults(answer) == {"end_date": "must not be before start_date, 2026-02-01"}


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_the_reserved_report_says_why_it_is_not_there(payroll: Payroll, method: str) -> None:
    path = f"/clients/{payroll.company.id}/reports/employee_tax_incentive"
    for where in (path, f"{path}/async") if method == "POST" else (path,):
        document = refused(payroll.company.member.call(method, where, json={}), 422)
        assert "Singapore has no scheme of this name" in document["message"]


def test_an_unknown_report_is_404_and_names_those_that_there_are(payroll: Payroll) -> None:
    message = refused(ask(payroll.company, "payroll_summary"), 404)["message"]
    assert all(report in message for report in FIELDS)


@pytest.mark.parametrize("accept", ["*/*", "application/json", "text/html", "text/csv;q=0.1, application/json", "x"])
def test_json_is_answered_unless_a_file_is_asked_for(payroll: Payroll, accept: str) -> None:
    rows_of(ask(payroll.company, "tracked_balances", accept, date="2026-03-31"))


def test_head_has_the_length_and_no_body(payroll: Payroll) -> None:
    path = f"/clients/{payroll.company.id}/reports/tracked_balances?date=2026-03-31"
    got, head = payroll.company.member.get(path), payroll.company.member.call("HEAD", path)
    assert head.content == b""
    assert head.headers["content-length"] == got.headers["content-length"]


def _text(value: Any) -> str:
    """A value as a CSV file has it."""
    if isinstance(value, dict):
        return str(value["caption"])
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _value(value: Any) -> Any:
    """A value as a spreadsheet has it."""
    return value["caption"] if isinstance(value, dict) else value
