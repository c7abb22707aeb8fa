"""Helpers for tests about reports."""

import csv
import io
import time
from typing import Any
from urllib.parse import urlencode

import httpx
import openpyxl

from tests.support.company import Company

CSV = "text/csv"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
COMPLETE_WITHIN_S = 90

Rows = list[dict[str, Any]]


def run_report(company: Company, report: str, accept: str | None = None, /, **fields: Any) -> httpx.Response:
    """Run a report with POST."""
    headers = {"Accept": accept} if accept else {}
    return company.member.post(f"/clients/{company.id}/reports/{report}", fields, headers=headers)


def report_rows(company: Company, report: str, /, **fields: Any) -> Rows:
    """Return the rows of a report."""
    return rows_of(run_report(company, report, **fields))


def rows_of(answer: httpx.Response) -> Rows:
    """Return the rows of a successful response."""
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    rows: Rows = answer.json()
    assert all(isinstance(row["employee"], str) for row in rows)
    return rows


def run_report_by_query(company: Company, report: str, **fields: Any) -> httpx.Response:
    """Run a report with GET. Arrays are repeated parameters."""
    query = urlencode({name: _text(value) for name, value in fields.items() if value is not None}, doseq=True)
    return company.member.get(f"/clients/{company.id}/reports/{report}?{query}")


def request_start(company: Company, report: str, /, **fields: Any) -> httpx.Response:
    """Queue a report."""
    return company.member.post(f"/clients/{company.id}/reports/{report}/async", fields)


def start_report(company: Company, report: str, /, **fields: Any) -> str:
    """Queue a report and return its UUID."""
    answer = request_start(company, report, **fields)
    assert answer.status_code == 200, answer.text
    assert answer.json() == {"message": "Started", "uuid": answer.json()["uuid"]}
    uuid: str = answer.json()["uuid"]
    return uuid


def poll(company: Company, uuid: str, accept: str | None = None) -> httpx.Response:
    """Poll a queued report once."""
    headers = {"Accept": accept} if accept else {}
    return company.member.get(f"/clients/{company.id}/reports/poll/{uuid}", headers=headers)


def wait_for_report(company: Company, uuid: str, accept: str | None = None) -> httpx.Response:
    """Poll a queued report until it is complete."""
    deadline = time.monotonic() + COMPLETE_WITHIN_S
    while time.monotonic() < deadline:
        answer = poll(company, uuid, accept)
        if answer.status_code != 204:
            return answer
        assert answer.content == b""
        assert answer.headers["retry-after"] == "10"
        time.sleep(0.05)
    raise AssertionError("the report was not complete in time")


def csv_rows(answer: httpx.Response) -> list[list[str]]:
    """Return the lines of a CSV file, including the header."""
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"].endswith('.csv"')
    return list(csv.reader(io.StringIO(answer.text, newline="")))


def xlsx_rows(answer: httpx.Response) -> list[list[Any]]:
    """Return the rows of a spreadsheet, including the header, as another library reads them."""
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == XLSX
    assert answer.headers["content-disposition"].endswith('.xlsx"')
    [sheet] = openpyxl.load_workbook(io.BytesIO(answer.content), read_only=True).worksheets
    return [[cell.value for cell in row] for row in sheet.rows]


def _text(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return value
