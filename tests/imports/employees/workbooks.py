"""Workbooks as people have them: exported, edited cell by cell, and sent back."""

import io
from collections.abc import Mapping, Sequence
from typing import Any

import httpx
import openpyxl

from tests.support.company import Company
from tests.support.running import Member

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
SHEET = "Employees"
KEYS = 2
"""The row of the keys."""


class Workbook:
    """A workbook with a sheet of employees."""

    def __init__(self, content: bytes) -> None:
        self.book = openpyxl.load_workbook(io.BytesIO(content))
        self.sheet = self.book[SHEET]

    @property
    def columns(self) -> dict[str, int]:
        """The columns by their keys."""
        return {cell.value: cell.column for cell in self.sheet[KEYS] if cell.value}

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows below the keys, by key."""
        found = [{key: row[place - 1].value for key, place in self.columns.items()} for row in self.sheet.iter_rows()]
        return found[KEYS:]

    def cell(self, row: int, key: str) -> str:
        """The name of a cell; rows are counted from the first employee, which is 0."""
        return f"{SHEET}!{self.sheet.cell(row + KEYS + 1, self.columns[key]).coordinate}"

    def set(self, row: int, key: str, value: Any) -> str:
        """Enter something, and give the name of the cell."""
        self.sheet.cell(row + KEYS + 1, self.columns[key]).value = value
        return self.cell(row, key)

    def content(self) -> bytes:
        """The file."""
        file = io.BytesIO()
        self.book.save(file)
        return file.getvalue()


def sheet_of(keys: Sequence[str], *rows: Mapping[str, Any]) -> bytes:
    """A workbook of one's own making: these columns, these rows."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = SHEET
    sheet.append(list(keys))
    for row in rows:
        sheet.append([row.get(key) for key in keys])
    for cell in (cell for row in sheet.iter_rows(min_row=2) for cell in row if cell.data_type == "f"):
        cell.data_type = "s"  # a text, whatever it looks like
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def exported(company: Company, member: Member | None = None, query: str = "") -> bytes:
    """The workbook of a company."""
    answer = (member or company.member).get(f"{company.people}/export{query}")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == XLSX
    return answer.content


def send(company: Company, content: bytes, query: str = "", member: Member | None = None) -> httpx.Response:
    """Ask for the import of a workbook."""
    headers = {"Content-Type": XLSX}
    return (member or company.member).call("POST", f"{company.people}/import{query}", content=content, headers=headers)


def imported(company: Company, content: bytes, query: str = "", member: Member | None = None) -> dict[str, Any]:
    """Import a workbook."""
    answer = send(company, content, query, member)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def flat(given: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested attributes as the keys of columns."""
    found: dict[str, Any] = {}
    for name, value in given.items():
        found |= flat(value, f"{prefix}{name}.") if isinstance(value, Mapping) else {f"{prefix}{name}": value}
    return found
