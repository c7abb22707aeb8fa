"""POST /clients/:client_id/employees/import/async, and the progress of an import."""

import time
import uuid as uuids
from typing import Any

import pytest

from tests.imports.employees.test_import import new_row
from tests.imports.employees.workbooks import XLSX, Workbook, export_workbook, make_workbook
from tests.support.company import Company
from tests.support.problems import assert_problem
from tests.support.running import Member

WITHIN_S = 60


def start_import(company: Company, content: bytes, query: str = "", member: Member | None = None) -> str:
    """Queue an import and return its UUID."""
    where = f"{company.people}/import/async{query}"
    answer = (member or company.member).call("POST", where, content=content, headers={"Content-Type": XLSX})
    assert answer.status_code == 200, answer.text
    uuid: str = answer.json()["uuid"]
    return uuid


def read_progress(company: Company, uuid: str) -> dict[str, Any]:
    """Return the progress of an import."""
    answer = company.member.get(f"{company.people}/import/{uuid}")
    assert answer.status_code == 200, answer.text
    progress: dict[str, Any] = answer.json()
    assert ("Retry-After" in answer.headers) == (progress["state"] in ("queued", "running"))
    return progress


def wait_until_finished(company: Company, uuid: str) -> dict[str, Any]:
    """Wait until an import is finished and return its outcome."""
    deadline = time.monotonic() + WITHIN_S
    while (progress := read_progress(company, uuid))["state"] in ("queued", "running"):
        assert time.monotonic() < deadline, progress
        time.sleep(0.05)
    return progress


def single_row_workbook(company: Company, **changes: Any) -> bytes:
    """Return a workbook with one new employee."""
    row = new_row(company, **changes)
    return make_workbook(list(row), row)


def test_it_works(company: Company) -> None:
    uuid = start_import(company, single_row_workbook(company))
    progress = wait_until_finished(company, uuid)
    assert (progress["state"], progress["rows"], progress["done"]) == ("complete", 1, 1)
    [employee] = company.listed()
    assert progress["outcome"]["created"] == [{"row": "Employees!A2", "id": employee["id"], "number": "1"}]
    assert progress["message"] == progress["outcome"]["message"]
    assert read_progress(company, uuid) == progress
    [row] = company.member.service.as_owner(
        "SELECT content_sealed FROM employee_imports WHERE uuid = $1", uuids.UUID(uuid)
    )
    assert row["content_sealed"] is None


def test_errors_are_named_by_cell_and_nothing_is_saved(company: Company) -> None:
    progress = wait_until_finished(company, start_import(company, single_row_workbook(company, gender="X")))
    assert progress["state"] == "failed"
    assert list(progress["errors"].values()) == ["must be one of M, F"]
    assert progress["message"] == "1 cell is not valid; nothing has been saved"
    [detail] = progress["error_details"]
    assert detail == {
        "path": next(iter(progress["errors"])),
        "code": "not_allowed",
        "message": "must be one of M, F",
        "params": {"allowed": ["M", "F"]},
        "person": "Mei Ling Tan",
        "column": "Gender",
        "value": "X",
    }
    assert company.listed() == []


def test_an_unreadable_file_fails(company: Company) -> None:
    progress = wait_until_finished(company, start_import(company, b"not a workbook"))
    assert (progress["state"], progress["errors"]) == ("failed", {})
    assert "XLSX" in progress["message"]


def test_a_dry_run_saves_nothing(company: Company) -> None:
    progress = wait_until_finished(company, start_import(company, single_row_workbook(company), "?dry_run=true"))
    assert (progress["dry_run"], progress["outcome"]["created"][0]["id"]) == (True, None)
    assert company.listed() == []


def test_changes_are_attributed_to_the_user_who_started_the_import(company: Company) -> None:
    employee_id = company.hire()
    officer = company.member.colleague(company.id, "payroll")
    book = Workbook(export_workbook(company))
    book.set(0, "job_title", "Baker")
    book.set(0, "birthdate", "1991-04-12")  # which is updated separately
    assert wait_until_finished(company, start_import(company, book.content(), member=officer))["state"] == "complete"
    assert company.employee(employee_id)["job_title"] == "Baker"
    rows = company.member.service.as_owner(
        "SELECT DISTINCT u.email, a.actor FROM audit_log a JOIN users u ON u.id = a.user_id "
        "WHERE a.client_id = $1 AND a.action = 'employees.update'",
        company.id,
    )
    assert [(row["email"], row["actor"]) for row in rows] == [(officer.email, "worker")]


def test_a_user_who_lost_access_changes_nothing(company: Company) -> None:
    officer = company.member.colleague(company.id, "payroll")
    content = single_row_workbook(company)
    with company.member.service.holding("LOCK TABLE employee_import_progress IN ACCESS EXCLUSIVE MODE"):
        uuid = start_import(company, content, member=officer)
        company.member.service.as_owner(
            "UPDATE memberships SET role = 'viewer' WHERE user_id = (SELECT id FROM users WHERE email = $1)",
            officer.email,
        )
    progress = wait_until_finished(company, uuid)
    assert progress["state"] == "failed"
    assert "viewer" in progress["message"]
    assert company.listed() == []


def test_the_queue_is_limited(company: Company) -> None:
    content = single_row_workbook(company, gender="X")
    with company.member.service.holding("LOCK TABLE employee_import_progress IN ACCESS EXCLUSIVE MODE"):
        waiting = [start_import(company, content) for _ in range(5)]
        where = f"{company.people}/import/async"
        answer = company.member.call("POST", where, content=content, headers={"Content-Type": XLSX})
        assert assert_problem(answer, 429)
    assert {wait_until_finished(company, uuid)["state"] for uuid in waiting} == {"failed"}


@pytest.mark.parametrize("uuid", ["nonsense", "00000000-0000-0000-0000-000000000000"])
def test_unknown_imports_are_not_found(company: Company, uuid: str) -> None:
    assert_problem(company.member.get(f"{company.people}/import/{uuid}"), 404)


def test_viewers_cannot_import(company: Company) -> None:
    viewer = company.member.colleague(company.id, "viewer")
    where = f"{company.people}/import/async"
    assert_problem(
        viewer.call("POST", where, content=single_row_workbook(company), headers={"Content-Type": XLSX}), 403
    )
