"""Files that are not a workbook, or a malicious one: rejected, never with a 5xx, and nothing is saved."""

import asyncio
import io
import random
import zipfile
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from gaji.core.errors import ValidationError
from gaji.core.fair_queue import FairQueue
from gaji.core.worker_process import WorkerLimits, WorkerPool, WorkerProgram
from gaji.imports.employees import workbook_client
from gaji.imports.employees.file_values import Cell, pack_cell, unpack_cell
from gaji.imports.employees.workbook_client import FORMATS
from gaji.imports.employees.workbook_protocol import ReadRequest
from gaji.imports.employees.workbook_worker import read_workbook
from tests.imports.employees.workbooks import export_workbook, make_workbook, send_workbook
from tests.support.company import Company
from tests.support.problems import assert_problem, field_errors

MIB = 1024 * 1024


def replace_part(content: bytes, name: str, part: bytes) -> bytes:
    """Return the workbook with a part replaced or added."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for part_name in old.namelist():
            if part_name != name:
                new.writestr(part_name, old.read(part_name))
        new.writestr(name, part)
    return file.getvalue()


def unreadable_files(content: bytes) -> Iterator[bytes]:
    """Yield files that cannot be read."""
    yield b""
    yield b"id,first_name\n1,Mei"
    yield content[: len(content) // 2]
    yield replace_part(content, "xl/workbook.xml", b"<workbook")
    yield replace_part(content, "xl/workbook.xml", b"\xff\xfe\x00")
    yield replace_part(
        content, "xl/worksheets/sheet1.xml", b"<worksheet><sheetData><row r='x'/></sheetData></worksheet>"
    )
    yield replace_part(content, "[Content_Types].xml", b"<Types/>")
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as empty:
        empty.writestr("mimetype", "application/zip")
    yield file.getvalue()


def test_unreadable_files_are_rejected(company: Company) -> None:
    content = export_workbook(company)
    for number, file in enumerate(unreadable_files(content)):
        answer = send_workbook(company, file)
        assert answer.status_code in (400, 422), (number, answer.text)
        assert_problem(answer, answer.status_code)


def test_randomly_corrupted_files_never_cause_a_server_error(company: Company) -> None:
    company.hire()
    content = export_workbook(company)
    chance = random.Random(7)
    for number in range(60):
        corrupted = bytearray(content)
        for _ in range(chance.randint(1, 30)):
            corrupted[chance.randrange(len(corrupted))] = chance.randrange(256)
        read_workbook(ReadRequest(bytes(corrupted), FORMATS))
        if number < 10:
            assert send_workbook(company, bytes(corrupted)).status_code < 500


def sheet(rows: bytes) -> bytes:
    """Return a sheet with these rows."""
    namespace = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return b'<worksheet xmlns="%s"><sheetData>%s</sheetData></worksheet>' % (namespace, rows)


@pytest.mark.parametrize(
    ("rows", "status", "message"),
    [
        (b"<row/>" * 1_100_000, 400, "not a readable spreadsheet"),
        ((b"<row>" + b"<c/>" * 1000 + b"</row>") * 4001, 422, "must not have more than 4,000,000 cells"),
    ],
    ids=["empty rows", "empty cells"],
)
def test_too_many_empty_rows_and_cells_are_rejected_before_they_take_memory(
    company: Company, rows: bytes, status: int, message: str
) -> None:
    content = replace_part(export_workbook(company), "xl/worksheets/sheet1.xml", sheet(rows))
    assert message in str(assert_problem(send_workbook(company, content), status))


def test_a_workbook_that_exceeds_a_limit_is_rejected_and_the_next_one_is_read(
    company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = WorkerProgram("gaji.imports.employees.workbook_worker", WorkerLimits(0, 0), Path(__file__).parent)
    slow = WorkerPool(program, FairQueue("workbooks", slots=1, max_waiting=1), processes=1)
    content = make_workbook(["first_name"], {"first_name": "Mei"})
    with monkeypatch.context() as patch:
        patch.setattr(workbook_client, "_pool", slow)
        with pytest.raises(ValidationError) as caught:
            asyncio.run(workbook_client.read_workbook(1, content))
    assert caught.value.errors["workbook"].kind is workbook_client.WORKBOOK_LIMITS_EXCEEDED
    [row] = asyncio.run(workbook_client.read_workbook(1, content)).employees.rows
    assert row.cells == ("Mei",)


def test_a_workbook_that_exhausts_the_memory_of_its_process_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    def read_sheets(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("gaji.imports.employees.workbook_worker.read_sheets", read_sheets)
    assert read_workbook(ReadRequest(b"", FORMATS)).is_out_of_memory


def test_xml_entities_are_rejected(company: Company) -> None:
    declared = (
        b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]>'
        b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>&b;</t></si></sst>'
    )
    assert_problem(
        send_workbook(company, replace_part(export_workbook(company), "xl/sharedStrings.xml", declared)), 400
    )


@pytest.mark.parametrize(
    ("part", "size"), [("xl/worksheets/sheet9.xml", 300 * MIB), ("xl/sharedStrings.xml", 30 * MIB)]
)
def test_zip_bombs_are_rejected(company: Company, part: str, size: int) -> None:
    bomb = replace_part(export_workbook(company), part, b" " * size)
    assert len(bomb) < MIB
    assert "when it is unpacked" in field_errors(send_workbook(company, bomb))["workbook"]


def test_too_many_rows_and_columns_are_rejected(company: Company) -> None:
    rows = [{"first_name": "x"}] * 20_001
    errors = field_errors(send_workbook(company, make_workbook(["first_name"], *rows)))
    assert errors == {"Employees!A20002": "must not have more than 20,000 rows"}
    errors = field_errors(send_workbook(company, make_workbook(["first_name"] + ["x"] * 1000)))
    assert errors == {"Employees": "must not have more than 1,000 columns"}


def test_a_workbook_without_the_sheet_or_keys_is_an_error(company: Company) -> None:
    errors = field_errors(send_workbook(company, make_workbook(["First name", "Last name"], {"First name": "Mei"})))
    assert "keys" in errors["Employees!A1"]
    renamed = replace_part(export_workbook(company), "xl/workbook.xml", _renamed(export_workbook(company)))
    assert "Staff" in field_errors(send_workbook(company, renamed))["Employees"]


def _renamed(content: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as book:
        return book.read("xl/workbook.xml").replace(b'name="Employees"', b'name="Staff"')


def test_other_media_types_are_rejected(company: Company) -> None:
    answer = company.member.post(f"{company.people}/import", {"employees": []})
    assert "spreadsheetml" in assert_problem(answer, 415)["message"]


def test_dry_run_must_be_true_or_false(company: Company) -> None:
    assert field_errors(send_workbook(company, export_workbook(company), "?dry_run=maybe")) == {
        "dry_run": "must be true or false"
    }


@pytest.mark.parametrize(
    "cell",
    [None, True, False, 0, -5, 2**70, -(2**70), "", "n1", "text", Decimal("1.50"), Decimal("1E+5"), date(2026, 3, 31)],
)
def test_cells_keep_their_types_between_processes(cell: Cell) -> None:
    unpacked = unpack_cell(pack_cell(cell))
    assert (unpacked, type(unpacked)) == (cell, type(cell))
