"""Files that are no workbook, or a wicked one: refused, never with a 5xx, and nothing is saved."""

import io
import random
import zipfile
from collections.abc import Iterator

import pytest

from tests.imports.employees.workbooks import exported, send, sheet_of
from tests.support.company import Company
from tests.support.problems import faults, refused

MIB = 1024 * 1024


def replaced(content: bytes, name: str, part: bytes) -> bytes:
    """The workbook with another part in place of one, or beside the others."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for one in old.namelist():
            if one != name:
                new.writestr(one, old.read(one))
        new.writestr(name, part)
    return file.getvalue()


def broken(content: bytes) -> Iterator[bytes]:
    """Files that cannot be read."""
    yield b""
    yield b"id,first_name\n1,Mei"
    yield content[: len(content) // 2]
    yield replaced(content, "xl/workbook.xml", b"<workbook")
    yield replaced(content, "xl/workbook.xml", b"\xff\xfe\x00")
    yield replaced(content, "xl/worksheets/sheet1.xml", b"<worksheet><sheetData><row r='x'/></sheetData></worksheet>")
    yield replaced(content, "[Content_Types].xml", b"<Types/>")
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as empty:
        empty.writestr("mimetype", "application/zip")
    yield file.getvalue()


def test_what_cannot_be_read_is_refused(company: Company) -> None:
    content = exported(company)
    for number, one in enumerate(broken(content)):
        answer = send(company, one)
        assert answer.status_code in (400, 422), (number, answer.text)
        refused(answer, answer.status_code)


def test_files_with_bytes_changed_at_random_never_fail_us(company: Company) -> None:
    company.hire()
    content = exported(company)
    chance = random.Random(7)
    for _ in range(60):
        one = bytearray(content)
        for _ in range(chance.randint(1, 30)):
            one[chance.randrange(len(one))] = chance.randrange(256)
        assert send(company, bytes(one)).status_code < 500


def test_entities_are_refused_before_anything_is_read(company: Company) -> None:
    declared = (
        b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]>'
        b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>&b;</t></si></sst>'
    )
    refused(send(company, replaced(exported(company), "xl/sharedStrings.xml", declared)), 400)


@pytest.mark.parametrize(
    ("part", "size"), [("xl/worksheets/sheet9.xml", 300 * MIB), ("xl/sharedStrings.xml", 30 * MIB)]
)
def test_a_file_that_unpacks_to_too_much_is_refused(company: Company, part: str, size: int) -> None:
    bomb = replaced(exported(company), part, b" " * size)
    assert len(bomb) < MIB
    assert "when it is unpacked" in faults(send(company, bomb))["workbook"]


def test_too_many_rows_and_columns_are_refused(company: Company) -> None:
    rows = [{"first_name": "x"}] * 20_001
    told = faults(send(company, sheet_of(["first_name"], *rows)))
    assert told == {"Employees!A20002": "must not have more than 20,000 rows"}
    told = faults(send(company, sheet_of(["first_name"] + ["x"] * 1000)))
    assert told == {"Employees": "must not have more than 1,000 columns"}


def test_a_workbook_without_the_sheet_or_without_keys_is_told_so(company: Company) -> None:
    told = faults(send(company, sheet_of(["First name", "Last name"], {"First name": "Mei"})))
    assert "keys" in told["Employees!A1"]
    renamed = replaced(exported(company), "xl/workbook.xml", _renamed(exported(company)))
    assert "Staff" in faults(send(company, renamed))["Employees"]


def _renamed(content: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as book:
        return book.read("xl/workbook.xml").replace(b'name="Employees"', b'name="Staff"')


def test_another_media_type_is_refused(company: Company) -> None:
    answer = company.member.post(f"{company.people}/import", {"employees": []})
    assert "spreadsheetml" in refused(answer, 415)["message"]


def test_dry_run_must_be_true_or_false(company: Company) -> None:
    assert faults(send(company, exported(company), "?dry_run=maybe")) == {"dry_run": "must be true or false"}
