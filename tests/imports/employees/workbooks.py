"""Helpers for workbooks: export, edit cells, import."""

import io
from collections.abc import Mapping, Sequence
from typing import Any

import httpx
import openpyxl

from tests.support.company import Company
from tests.support.running import Member

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
EMPLOYEES, CHILDREN = "Employees", "Children"
HEADER_ROW = 2
"""The row of the keys."""


class Workbook:
    """A workbook, of which one sheet is read and changed."""

    def __init__(self, content: bytes, sheet: str = EMPLOYEES) -> None:
        self.book = openpyxl.load_workbook(io.BytesIO(content))
        self.sheet = self.book[sheet]

    @property
    def columns(self) -> dict[str, int]:
        """Column numbers by key."""
        return {cell.value: cell.column for cell in self.sheet[HEADER_ROW] if cell.value}

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The values of the rows below the header, by key."""
        rows = [{key: row[column - 1].value for key, column in self.columns.items()} for row in self.sheet.iter_rows()]
        return rows[HEADER_ROW:]

    def cell(self, row: int, key: str) -> str:
        """Return the name of a cell. Row 0 is the first one below the header."""
        return f"{self.sheet.title}!{self.sheet.cell(row + HEADER_ROW + 1, self.columns[key]).coordinate}"

    def set(self, row: int, key: str, value: Any) -> str:
        """Set the value of a cell and return its name."""
        self.sheet.cell(row + HEADER_ROW + 1, self.columns[key]).value = value
        return self.cell(row, key)

    def content(self) -> bytes:
        """Return the file."""
        file = io.BytesIO()
        self.book.save(file)
        return file.getvalue()


def make_workbook(keys: Sequence[str], *rows: Mapping[str, Any]) -> bytes:
    """Return a workbook with these columns and rows."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = EMPLOYEES
    sheet.append(list(keys))
    for row in rows:
        sheet.append([row.get(key) for key in keys])
    for cell in (cell for row in sheet.iter_rows(min_row=2) for cell in row if cell.data_type == "f"):
        cell.data_type = "s"  # keep texts that look like formulas
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def export_workbook(company: Company, member: Member | None = None, query: str = "") -> bytes:
    """Export the workbook of a company."""
    answer = (member or company.member).get(f"{company.people}/export{query}")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == XLSX
    return answer.content


def send_workbook(company: Company, content: bytes, query: str = "", member: Member | None = None) -> httpx.Response:
    """Request the import of a workbook."""
    headers = {"Content-Type": XLSX}
    return (member or company.member).call("POST", f"{company.people}/import{query}", content=content, headers=headers)


def import_workbook(company: Company, content: bytes, query: str = "", member: Member | None = None) -> dict[str, Any]:
    """Import a workbook and return the result."""
    answer = send_workbook(company, content, query, member)
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()
    return result


def flatten(attributes: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested attributes by column key."""
    cells: dict[str, Any] = {}
    for name, value in attributes.items():
        cells |= flatten(value, f"{prefix}{name}.") if isinstance(value, Mapping) else {f"{prefix}{name}": value}
    return cells
