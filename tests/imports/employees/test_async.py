"""POST /clients/:client_id/employees/import/async, and how far an import is."""

import time
import uuid as uuids
from typing import Any

import pytest

from tests.imports.employees.test_import import in_wave
from tests.imports.employees.workbooks import XLSX, Workbook, exported, sheet_of
from tests.support.company import Company
from tests.support.problems import refused
from tests.support.running import Member

WITHIN_S = 60


def started(company: Company, content: bytes, query: str = "", member: Member | None = None) -> str:
    """Ask for an import that a job does, and give its uuid."""
    where = f"{company.people}/import/async{query}"
    answer = (member or company.member).call("POST", where, content=content, headers={"Content-Type": XLSX})
    assert answer.status_code == 200, answer.text
    found: str = answer.json()["uuid"]
    return found


def state(company: Company, uuid: str) -> dict[str, Any]:
    """How far an import is."""
    answer = company.member.get(f"{company.people}/import/{uuid}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    assert ("Retry-After" in answer.headers) == (found["state"] in ("queued", "running"))
    return found


def over(company: Company, uuid: str) -> dict[str, Any]:
    """What became of an import."""
    deadline = time.monotonic() + WITHIN_S
    while (found := state(company, uuid))["state"] in ("queued", "running"):
        assert time.monotonic() < deadline, found
        time.sleep(0.05)
    return found


def sheet(company: Company, **changes: Any) -> bytes:
    """A workbook with one new employee."""
    row = in_wave(company, **changes)
    return sheet_of(list(row), row)


def test_it_works(company: Company) -> None:
    uuid = started(company, sheet(company))
    found = over(company, uuid)
    assert (found["state"], found["rows"], found["done"]) == ("complete", 1, 1)
    [employee] = company.listed()
    assert found["outcome"]["created"] == [{"row": "Employees!A2", "id": employee["id"], "number": "1"}]
    assert found["message"] == found["outcome"]["message"]
    assert state(company, uuid) == found
    [kept] = company.member.service.as_owner(
        "SELECT content_sealed FROM employee_imports WHERE uuid = $1", uuids.UUID(uuid)
    )
    assert kept["content_sealed"] is None


def test_faults_are_named_by_cell_and_nothing_is_saved(company: Company) -> None:
    found = over(company, started(company, sheet(company, gender="X")))
    assert found["state"] == "failed"
    assert list(found["errors"].values()) == ["must be one of M, F"]
    assert found["message"] == "1 cell is not valid; nothing has been saved"
    assert company.listed() == []


def test_what_cannot_be_read_is_told(company: Company) -> None:
    found = over(company, started(company, b"not a workbook"))
    assert (found["state"], found["errors"]) == ("failed", {})
    assert "XLSX" in found["message"]


def test_a_dry_run_saves_nothing(company: Company) -> None:
    found = over(company, started(company, sheet(company), "?dry_run=true"))
    assert (found["dry_run"], found["outcome"]["created"][0]["id"]) == (True, None)
    assert company.listed() == []


def test_what_it_changes_is_recorded_under_the_name_of_who_asked(company: Company) -> None:
    employee_id = company.hire()
    officer = company.member.colleague(company.id, "payroll")
    book = Workbook(exported(company))
    book.set(0, "job_title", "Baker")
    book.set(0, "birthdate", "1991-04-12")  # which goes a way of its own
    assert over(company, started(company, book.content(), member=officer))["state"] == "complete"
    assert company.employee(employee_id)["job_title"] == "Baker"
    rows = company.member.service.as_owner(
        "SELECT DISTINCT u.email, a.actor FROM audit_log a JOIN users u ON u.id = a.user_id "
        "WHERE a.client_id = $1 AND a.action = 'employees.update'",
        company.id,
    )
    assert [(row["email"], row["actor"]) for row in rows] == [(officer.email, "worker")]


def test_who_lost_the_right_meanwhile_changes_nothing(company: Company) -> None:
    officer = company.member.colleague(company.id, "payroll")
    content = sheet(company)
    with company.member.service.holding("LOCK TABLE employee_import_progress IN ACCESS EXCLUSIVE MODE"):
        uuid = started(company, content, member=officer)
        company.member.service.as_owner(
            "UPDATE memberships SET role = 'viewer' WHERE user_id = (SELECT id FROM users WHERE email = $1)",
            officer.email,
        )
    found = over(company, uuid)
    assert found["state"] == "failed"
    assert "viewer" in found["message"]
    assert company.listed() == []


def test_there_is_a_limit_to_what_waits(company: Company) -> None:
    content = sheet(company, gender="X")
    with company.member.service.holding("LOCK TABLE employee_import_progress IN ACCESS EXCLUSIVE MODE"):
        waiting = [started(company, content) for _ in range(5)]
        where = f"{company.people}/import/async"
        answer = company.member.call("POST", where, content=content, headers={"Content-Type": XLSX})
        assert refused(answer, 429)
    assert {over(company, uuid)["state"] for uuid in waiting} == {"failed"}


@pytest.mark.parametrize("uuid", ["nonsense", "00000000-0000-0000-0000-000000000000"])
def test_what_is_not_there_is_not_found(company: Company, uuid: str) -> None:
    refused(company.member.get(f"{company.people}/import/{uuid}"), 404)


def test_who_may_only_read_may_not_import(company: Company) -> None:
    viewer = company.member.colleague(company.id, "viewer")
    where = f"{company.people}/import/async"
    refused(viewer.call("POST", where, content=sheet(company), headers={"Content-Type": XLSX}), 403)
