"""GET /access_events, and reads of identifiers that are recorded there."""

import time
from typing import Any

import pytest

from gaji.web.access_trail import AccessTrail, RecordAccess
from tests.support.company import BANK_ACCOUNT, Company
from tests.support.problems import assert_problem
from tests.support.running import WAIT_S, Member


async def _ignore(*_: object) -> None:
    """Record nothing."""


def events(member: Member, query: str) -> list[dict[str, Any]]:
    response = member.get(f"/access_events{query}")
    assert response.status_code == 200, response.text
    return [element["access_event"] for element in response.json()]


def wait_for(member: Member, query: str) -> list[dict[str, Any]]:
    """Return the events when there are some. They are recorded after the response."""
    deadline = time.monotonic() + WAIT_S
    while not (listed := events(member, query)):
        assert time.monotonic() < deadline, query
        time.sleep(0.05)
    return listed


def test_reads_of_identifiers_are_recorded_with_address_and_user_agent(company: Company) -> None:
    employee_id = company.hire(nric="S1234567D", legal_status="CITIZEN")
    reader = company.member.colleague(company.id, "payroll")
    headers = {"User-Agent": "rostering/1.0", "X-Forwarded-For": "203.0.113.7"}
    assert reader.get(f"/employees/{employee_id}", headers=headers).status_code == 200
    event = wait_for(company.member, f"?kind=identifiers&user_id={reader.user_id}")[0]
    assert (event["path"], event["address"]) == (f"/clients/{company.id}/employees", "203.0.113.7")
    assert (event["user_agent"], event["user_name"]) == ("rostering/1.0", reader.email)
    assert event["api_key_id"] is not None


def test_account_numbers_of_companies_are_identifiers_and_writes_are_no_reads(account: Member) -> None:
    client_id = account.new_client(bank_account=BANK_ACCOUNT)
    account.patch(f"/clients/{client_id}", {"name": "Kopi"})
    assert account.get(f"/clients/{client_id}").status_code == 200
    assert {event["path"] for event in wait_for(account, "?kind=identifiers")} == {"/clients"}


def test_masked_reads_are_not_recorded(company: Company) -> None:
    employee_id = company.hire()
    reader = company.member.colleague(company.id, "payroll")
    key = reader.service.create_key(reader.email, hide_identifiers=True)
    reader = Member(reader.service, reader.email, key)
    assert reader.get(f"/employees/{employee_id}").status_code == 200
    assert reader.get(f"/clients/{company.id}/employees/export").status_code == 200
    wait_for(company.member, f"?kind=download&user_id={reader.user_id}")
    assert events(company.member, f"?kind=identifiers&user_id={reader.user_id}") == []


def test_reads_are_recorded_once_an_hour_for_each_caller_address_and_path(monkeypatch: pytest.MonkeyPatch) -> None:
    trail = AccessTrail(RecordAccess(_ignore, _ignore, _ignore, _ignore))
    now = [1_700_000_000.0]
    monkeypatch.setattr("gaji.web.access_trail.time.time", lambda: now[0])

    def new_reads(user_id: int, address: str, *paths: str) -> list[str]:
        scope: Any = {"gaji": {"user_id": user_id, "key_id": 7}, "client": (address, 1)}
        return trail.new_reads(scope, paths)

    assert new_reads(1, "203.0.113.7", "/clients") == ["/clients"]
    assert new_reads(1, "203.0.113.7", "/clients", "/clients/1/employees") == ["/clients/1/employees"]
    assert new_reads(2, "203.0.113.7", "/clients") == ["/clients"]
    assert new_reads(1, "203.0.113.8", "/clients") == ["/clients"]
    assert new_reads(1, "203.0.113.8", "/clients") == []
    now[0] += 3600
    assert new_reads(1, "203.0.113.8", "/clients") == ["/clients"]


def test_only_owners_read_the_log(company: Company) -> None:
    member = company.member
    other_id = member.new_client(name="Another company")
    owner, viewer, elsewhere = (
        member.colleague(client_id, role)
        for client_id, role in ((company.id, "owner"), (company.id, "viewer"), (other_id, "viewer"))
    )
    for user in (viewer, elsewhere):
        user.get("/clients")
        wait_for(member, f"?user_id={user.user_id}")
    assert events(owner, f"?user_id={elsewhere.user_id}") == []
    assert {event["kind"] for event in events(owner, f"?user_id={viewer.user_id}")} == {"new_address"}
    assert_problem(viewer.get("/access_events"), 403)


def test_a_key_that_is_limited_to_clients_sees_what_their_owner_sees(company: Company) -> None:
    member = company.member
    officer, elsewhere = (member.colleague(client_id, "payroll") for client_id in (company.id, member.new_client()))
    for user in (officer, elsewhere):
        user.get("/clients")
        wait_for(member, f"?user_id={user.user_id}")
    limited = member.with_another_key(client_ids=[company.id])
    assert events(limited, f"?user_id={officer.user_id}")
    assert events(limited, f"?user_id={elsewhere.user_id}") == []
    member.service.as_owner("UPDATE memberships SET role = 'viewer' WHERE user_id = $1", member.user_id)
    assert_problem(limited.get("/access_events"), 403)
    assert member.get("/access_events").status_code == 200


def test_an_account_without_a_client_has_access_events(account: Member) -> None:
    account.get("/me")
    [event] = wait_for(account, "?kind=new_address")
    assert (event["user_id"], event["count"]) == (account.user_id, 1)
    day = event["last_at"][:10]
    assert events(account, f"?from={day}&to={day}&kind=new_address") == [event]
    assert events(account, "?to=2020-01-01") == events(account, "?from=2100-01-01") == []
    response = account.get("/access_events?per_page=1")
    assert response.headers["X-Total-Count"] == str(len(events(account, "")))
    assert_problem(account.get("/access_events?kind=walk&from=today"), 422)
