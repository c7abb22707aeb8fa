"""GET /events and GET /clients/:id/events."""

from typing import Any

import pytest

from tests.leave.people import OnLeave
from tests.support.company import Company, attributes
from tests.support.problems import assert_problem, field_errors
from tests.support.running import Member, Service, created

Named = tuple[str, str, int | str]
"""The type of an event, and the type and ID of its resource."""


def read(member: Member, path: str = "/events") -> list[dict[str, Any]]:
    """Return the events of a feed, without their wrapper."""
    answer = member.get(path)
    assert answer.status_code == 200, answer.text
    return [element["event"] for element in answer.json()]


def named(company: Company, path: str = "") -> list[Named]:
    """Return what happened in a company."""
    events = read(company.member, path or f"/clients/{company.id}/events?limit=1000")
    return [(event["type"], event["resource"]["type"], event["resource"]["id"]) for event in events]


def test_an_event_names_the_record_and_has_none_of_its_contents(company: Company) -> None:
    employee_id = company.hire()
    [event] = read(company.member)
    assert event == {
        "id": event["id"],
        "type": "employee.created",
        "client_id": company.id,
        "occurred_at": event["occurred_at"],
        "resource": {"type": "employee", "id": employee_id},
    }
    assert event["occurred_at"].endswith("+08:00")


def test_changes_of_an_employee_are_events_in_their_order(company: Company) -> None:
    employee_id = company.hire()
    company.patch(employee_id, first_name="Siew Ling")
    company.patch(employee_id, first_name="Siew Ling")  # changes nothing
    assert_problem(company.patch(employee_id, gender="?"), 422)
    company.leave(employee_id)
    company.act(employee_id, "undo_end_service")
    company.member.delete(f"/employees/{employee_id}")
    expected = ("created", "updated", "left", "updated", "deleted")
    assert named(company) == [(f"employee.{change}", "employee", employee_id) for change in expected]


def test_a_pay_run_is_followed_from_opening_to_payment(company: Company) -> None:
    employee_id = company.hire(appointment_date="2024-01-01")
    salary = {"calc_type": "basic_salary", "calculation_details": {"fixed_amount": "3000.00"}}
    calculation_id = created(company.member.post(f"/employees/{employee_id}/calculations", salary))
    body = {"wave_id": company.wave_id, "period_end_date": "2024-01-31"}
    run_id = created(company.member.post(f"/clients/{company.id}/payment_runs", body))
    steps = ("calculate", "finalise", "unfinalise", "finalise", "release", "release", "mark_paid", "mark_not_paid")
    for step in steps:
        assert company.member.post(f"/payment_runs/{run_id}/{step}").status_code == 200
    [payslip] = company.member.get(f"/payment_runs/{run_id}/payslips").json()
    changes = ("opened", "calculated", "calculated", "finalised", "reopened", "finalised")
    assert named(company) == [
        ("employee.created", "employee", employee_id),
        ("calculation.changed", "calculation", calculation_id),
        *((f"payment_run.{change}", "payment_run", run_id) for change in changes),
        ("payslip.released", "payslip", payslip["payslip"]["id"]),
        *((f"payment_run.{change}", "payment_run", run_id) for change in ("released", "paid", "unpaid")),
    ]


def test_leave_is_requested_by_the_employee_and_decided_by_an_officer(company: Company) -> None:
    parent = OnLeave.hired(company)
    employee = company.member.colleague(company.id, "employee", parent.id)
    ids = []
    for day in ("2025-03-03", "2025-03-04", "2025-03-05"):
        body = {"dates": [{"date": day, "type_id": parent.types["annual_leave"]}]}
        ids.append(created(employee.post(f"/employees/{parent.id}/leave_requests", body)))
    assert employee.post(f"/leave_requests/{ids[0]}/cancel").status_code == 200
    assert company.member.post(f"/leave_requests/{ids[1]}/approve", {}).status_code == 200
    assert company.member.post(f"/leave_requests/{ids[2]}/decline", {}).status_code == 200
    assert named(company)[-7:] == [
        *(("leave.requested", "leave_request", request_id) for request_id in ids),
        ("leave.cancelled", "leave_request", ids[0]),
        ("leave.approved", "leave_request", ids[1]),
        ("leave.changed", "employee", parent.id),
        ("leave.declined", "leave_request", ids[2]),
    ]
    assert employee.get("/events").json() == []


def test_bulk_input_writes_one_event_for_each_record(company: Company) -> None:
    ids = [company.hire() for _ in range(3)]
    after = read(company.member)[-1]["id"]
    changes = {"job_title": "Cook", "calc.basic_salary.fixed_amount": "3000"}
    entities = [{"id": employee_id, "attributes": changes} for employee_id in ids]
    results = company.member.post(f"/clients/{company.id}/bulk_input", {"entities": entities}).json()
    assert {result["success"] for result in results} == {"true"}, results
    events = named(company, f"/events?after={after}")
    assert sorted(event[2] for event in events if event[0] == "employee.updated") == ids
    assert len([event for event in events if event[0] == "calculation.changed"]) == 3
    assert len(events) == 6


def test_the_feed_is_read_in_pages(company: Company) -> None:
    ids = [company.hire() for _ in range(5)]
    first = read(company.member, "/events?limit=2")
    rest = read(company.member, f"/events?after={first[-1]['id']}")
    assert [event["resource"]["id"] for event in [*first, *rest]] == ids
    numbers = [event["id"] for event in [*first, *rest]]
    assert numbers == sorted(set(numbers))
    assert read(company.member, f"/events?after={numbers[-1]}") == []


def test_types_are_selected(company: Company) -> None:
    employee_id = company.hire()
    company.patch(employee_id, first_name="Siew Ling")
    [event] = read(company.member, "/events?types=employee.updated,payslip.released")
    assert event["type"] == "employee.updated"


@pytest.mark.parametrize("query", ["after=-1", "after=x", "limit=0", "limit=1001", "types=employee.paid", "afetr=1"])
def test_wrong_parameters_are_rejected(company: Company, query: str) -> None:
    assert field_errors(company.member.get(f"/events?{query}")).keys() == {query.split("=")[0]}


def test_a_limited_key_reads_the_events_of_its_clients(company: Company) -> None:
    other = Company.of(company.member)
    company.hire()
    other.hire()
    limited = company.member.with_another_key(client_ids=[other.id])
    assert {event["client_id"] for event in read(limited)} == {other.id}
    assert {event["client_id"] for event in read(company.member)} == {company.id, other.id}
    assert_problem(limited.get(f"/clients/{company.id}/events"), 404)


def test_another_account_reads_none_of_them(company: Company, service: Service) -> None:
    company.hire()
    assert read(service.new_account()) == []


def test_a_request_that_fails_leaves_no_event(company: Company) -> None:
    assert company.post(attributes(nric="S0000000X")).status_code == 422
    assert read(company.member) == []


def test_a_dry_run_of_an_import_leaves_no_event(company: Company) -> None:
    company.hire()
    path = f"/clients/{company.id}/employees"
    workbook = company.member.get(f"{path}/export").content
    headers = {"Content-Type": "application/octet-stream"}
    before = named(company)
    answer = company.member.call("POST", f"{path}/import?dry_run=true", content=workbook, headers=headers)
    assert answer.status_code == 200, answer.text
    assert named(company) == before


def test_a_reader_that_comes_too_late_is_told_so(company: Company, service: Service) -> None:
    company.hire()
    [first] = read(company.member)
    company.hire()
    age = "UPDATE events SET occurred_at = now() - interval '91 days' WHERE client_id = $1 AND id = $2"
    service.as_owner(age, company.id, first["id"])
    service.as_owner("SELECT forget_old_events()")
    assert len(read(company.member)) == 1
    assert len(read(company.member, f"/events?after={first['id']}")) == 1
    assert_problem(company.member.get(f"/events?after={first['id'] - 1}"), 410)


def test_other_parameters_of_the_law_are_an_event_for_every_client(company: Company, service: Service) -> None:
    for version in ("one", "two", "two"):
        service.as_owner("SELECT announce_law($1)", version)
    # The first version is an event only if the worker has recorded another one before.
    assert set(named(company)) == {("law.updated", "client", company.id)}
    assert len(named(company)) in (1, 2)
