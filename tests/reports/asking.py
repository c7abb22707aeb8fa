"""How tests ask for reports."""

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
THERE_WITHIN_S = 90

Rows = list[dict[str, Any]]


def ask(company: Company, report: str, accept: str | None = None, /, **fields: Any) -> httpx.Response:
    """Ask for a report with POST."""
    headers = {"Accept": accept} if accept else {}
    return company.member.post(f"/clients/{company.id}/reports/{report}", fields, headers=headers)


def rows(company: Company, report: str, /, **fields: Any) -> Rows:
    """The rows of a report."""
    return rows_of(ask(company, report, **fields))


def rows_of(answer: httpx.Response) -> Rows:
    """The rows of an answer that went well."""
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    found: Rows = answer.json()
    assert all(isinstance(row["employee"], str) for row in found)
    return found


def queried(company: Company, report: str, **fields: Any) -> httpx.Response:
    """Ask for a report with GET: arrays are repeated."""
    query = urlencode({name: _text(value) for name, value in fields.items() if value is not None}, doseq=True)
    return company.member.get(f"/clients/{company.id}/reports/{report}?{query}")


def start(company: Company, report: str, /, **fields: Any) -> httpx.Response:
    """Ask for a report that a job makes."""
    return company.member.post(f"/clients/{company.id}/reports/{report}/async", fields)


def started(company: Company, report: str, /, **fields: Any) -> str:
    """The uuid of a report that a job makes."""
    answer = start(company, report, **fields)
    assert answer.status_code == 200, answer.text
    assert answer.json() == {"message": "Started", "uuid": answer.json()["uuid"]}
    uuid: str = answer.json()["uuid"]
    return uuid


def poll(company: Company, uuid: str, accept: str | None = None) -> httpx.Response:
    """Ask once whether a report is there."""
    headers = {"Accept": accept} if accept else {}
    return company.member.get(f"/clients/{company.id}/reports/poll/{uuid}", headers=headers)


def polled(company: Company, uuid: str, accept: str | None = None) -> httpx.Response:
    """What a job made, once it is there."""
    deadline = time.monotonic() + THERE_WITHIN_S
    while time.monotonic() < deadline:
        answer = poll(company, uuid, accept)
        if answer.status_code != 204:
            return answer
        assert answer.content == b""
        assert answer.headers["retry-after"] == "10"
        time.sleep(0.05)
    raise AssertionError("the report was not made in time")


def csv_rows(answer: httpx.Response) -> list[list[str]]:
    """The lines of a CSV file, the keys first."""
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"].endswith('.csv"')
    return list(csv.reader(io.StringIO(answer.text, newline="")))


def xlsx_rows(answer: httpx.Response) -> list[list[Any]]:
    """The rows of a spreadsheet, the keys first, as another library than ours reads them."""
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == XLSX
    assert answer.headers["content-disposition"].endswith('.xlsx"')
    [sheet] = openpyxl.load_workbook(io.BytesIO(answer.content), read_only=True).worksheets
    return [[cell.value for cell in row] for row in sheet.rows]


def _text(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return value
