"""GET and POST /employees/:id/leave_requests, POST /leave_requests/:id/approve, decline, cancel and withdraw."""

from typing import Any

import httpx
import pytest

from tests.leave.people import OnLeave
from tests.support.company import Company
from tests.support.problems import assert_problem, field_errors
from tests.support.running import Member, created

MONDAY, TUESDAY, SATURDAY = "2026-05-04", "2026-05-05", "2026-05-09"


def ask(
    someone: OnLeave, *dates: str, by: Member | None = None, type: str = "annual_leave", **more: Any
) -> httpx.Response:
    asked = [{"date": date, "type_id": someone.types[type]} for date in dates]
    return (by or someone.member).post(someone.path("leave_requests"), {"dates": asked, **more})


def self_service(someone: OnLeave) -> Member:
    return someone.member.colleague(someone.company.id, "employee", someone.id)


def test_it_works(someone: OnLeave) -> None:
    employee = self_service(someone)
    answer = ask(someone, MONDAY, TUESDAY, by=employee, reason="A wedding")
    request_id = answer.json()["id"]
    assert answer.json() == {"message": "The leave request has been created", "id": request_id}
    [request] = [element["leave_request"] for element in employee.get(someone.path("leave_requests")).json()]
    assert request == {
        "id": request_id,
        "employee_id": someone.id,
        "dates": [
            {"date": MONDAY, "hours": None, "type_id": someone.types["annual_leave"], "type": "annual_leave"},
            {"date": TUESDAY, "hours": None, "type_id": someone.types["annual_leave"], "type": "annual_leave"},
        ],
        "reason": "A wedding",
        "part_of_day": None,
        "status": "pending",
        "answer": None,
        "decided_at": None,
        "created_at": request["created_at"],
        "updated_at": request["updated_at"],
    }
    assert someone.listed() == []


def test_half_a_day_has_a_part_of_the_day(someone: OnLeave) -> None:
    path, day = someone.path("leave_requests"), {"date": MONDAY, "type_id": someone.types["annual_leave"]}
    created(someone.member.post(path, {"dates": [{**day, "hours": 4}], "part_of_day": "afternoon"}))
    assert [request["part_of_day"] for request in someone.listed("leave_requests")] == ["afternoon"]
    whole = someone.member.post(path, {"dates": [day], "part_of_day": "morning"})
    assert field_errors(whole) == {"part_of_day": "is only allowed when every date has hours"}
    unknown = someone.member.post(path, {"dates": [{**day, "hours": 4}], "part_of_day": "night"})
    assert field_errors(unknown) == {"part_of_day": "must be one of morning, afternoon"}


def test_approving_creates_the_days(someone: OnLeave) -> None:
    request_id = created(ask(someone, MONDAY, TUESDAY))
    answer = someone.member.post(f"/leave_requests/{request_id}/approve", {})
    days = someone.listed()
    assert answer.json() == {"message": "The leave request has been approved", "ids": [day["id"] for day in days]}
    assert [(day["date"], day["days"]) for day in days] == [(MONDAY, 1), (TUESDAY, 1)]
    [request] = someone.listed("leave_requests")
    assert request["status"] == "approved"
    assert request["decided_at"]


def test_declining_creates_none_and_gives_an_answer(someone: OnLeave) -> None:
    request_id = created(ask(someone, MONDAY))
    answer = someone.member.post(f"/leave_requests/{request_id}/decline", {"answer": "Stocktaking"})
    assert answer.json() == {"message": "The leave request has been declined"}
    assert someone.listed() == []
    [request] = someone.listed("leave_requests")
    assert (request["status"], request["answer"]) == ("declined", "Stocktaking")


def test_a_decision_with_the_reason_under_another_name_has_a_warning(someone: OnLeave) -> None:
    request_id = created(ask(someone, MONDAY))
    answer = someone.member.post(f"/leave_requests/{request_id}/decline", {"reason": "Stocktaking"})
    assert answer.json()["warnings"] == {"reason": "Unknown attribute, ignored."}


def test_the_answer_and_the_body_are_optional(someone: OnLeave) -> None:
    for action in ("approve", "decline"):
        request_id = created(ask(someone, MONDAY if action == "approve" else TUESDAY))
        assert someone.member.call("POST", f"/leave_requests/{request_id}/{action}").status_code == 200


@pytest.mark.parametrize("first", ["approve", "decline"])
@pytest.mark.parametrize("second", ["approve", "decline"])
def test_a_request_is_decided_once(someone: OnLeave, first: str, second: str) -> None:
    request_id = created(ask(someone, MONDAY))
    assert someone.member.post(f"/leave_requests/{request_id}/{first}", {}).status_code == 200
    message = assert_problem(someone.member.post(f"/leave_requests/{request_id}/{second}", {}), 409)["message"]
    assert message == f"Leave request {request_id} has already been {'approved' if first == 'approve' else 'declined'}"


def test_a_request_is_checked_as_leave_days_are(someone: OnLeave) -> None:
    someone.take(MONDAY)
    employee = self_service(someone)
    before = someone.member.service.fingerprint()
    answer = ask(someone, MONDAY, SATURDAY, "2024-01-31", by=employee)
    assert field_errors(answer) == {
        "dates.0.date": f"{MONDAY} already has 8 hours of leave and 8 working hours in total",
        "dates.1.date": f"{SATURDAY} is not a working day of this employee",
        "dates.2.date": "2024-01-31 is outside the service of this employee",
    }
    assert field_errors(employee.post(someone.path("leave_requests"), {})) == {"dates": "is required"}
    assert someone.member.service.fingerprint() == before


def test_a_request_beyond_the_balance_is_rejected_at_once(company: Company) -> None:
    someone = OnLeave.hired(company, appointment_date="2026-01-02")
    answer = ask(someone, "2026-04-06", "2026-04-07", "2026-04-08", by=self_service(someone))
    assert field_errors(answer) == {
        "dates.2.date": "the annual_leave balance would be -1 days on 2026-04-08 (2 available)"
    }


def test_pending_requests_count_against_what_can_be_requested(company: Company) -> None:
    someone = OnLeave.hired(company, appointment_date="2026-01-02")
    employee = self_service(someone)
    pending_id = created(ask(someone, "2026-04-06", "2026-04-07", by=employee))
    expected = {
        "dates.0.date": "the annual_leave balance would be -1 days on 2026-04-08 (0 available, 2 in pending requests)"
    }
    day = {"dates": [{"date": "2026-04-08", "type_id": someone.types["annual_leave"]}]}
    assert field_errors(ask(someone, "2026-04-08", by=employee)) == expected
    assert field_errors(employee.post(someone.path("leave_requests/preview"), day)) == expected
    assert ask(someone, "2026-04-02", by=employee).status_code == 422
    assert ask(someone, "2026-04-08", by=employee, type="unpaid_leave").status_code == 200
    assert employee.post(f"/leave_requests/{pending_id}/cancel").status_code == 200
    assert employee.post(someone.path("leave_requests/preview"), day).json()["balances"][0]["after"] == 1
    assert ask(someone, "2026-04-08", by=employee).status_code == 200


def test_pending_requests_do_not_prevent_an_approval(company: Company) -> None:
    someone = OnLeave.hired(company, appointment_date="2026-01-02")
    request_ids = [created(ask(someone, day)) for day in ("2026-04-06", "2026-04-07")]
    for request_id in request_ids:
        assert someone.member.post(f"/leave_requests/{request_id}/approve", {}).status_code == 200
    assert someone.balance("2026-04-07") == 0


def test_a_request_is_checked_again_when_it_is_approved(someone: OnLeave) -> None:
    request_id = created(ask(someone, MONDAY, TUESDAY))
    someone.take(TUESDAY)
    before = someone.member.service.fingerprint()
    answer = someone.member.post(f"/leave_requests/{request_id}/approve", {})
    assert field_errors(answer) == {
        "dates.1.date": f"{TUESDAY} already has 8 hours of leave and 8 working hours in total"
    }
    assert someone.member.service.fingerprint() == before


def test_regular_hours_of_the_company_count_in_self_service_too(someone: OnLeave) -> None:
    someone.member.patch(f"/clients/{someone.company.id}", {"features": {"leave_any_day": True}})
    assert ask(someone, SATURDAY, by=self_service(someone)).status_code == 200


def test_an_employee_cannot_request_leave_for_others(someone: OnLeave) -> None:
    other = OnLeave.hired(someone.company)
    employee = self_service(someone)
    before = someone.member.service.fingerprint()
    assert_problem(ask(other, MONDAY, by=employee), 404)
    assert_problem(employee.get(other.path("leave_requests")), 404)
    assert someone.member.service.fingerprint() == before


def test_an_employee_does_not_decide(someone: OnLeave) -> None:
    employee = self_service(someone)
    request_id = created(ask(someone, MONDAY, by=employee))
    before = someone.member.service.fingerprint()
    for action in ("approve", "decline"):
        assert_problem(employee.post(f"/leave_requests/{request_id}/{action}", {}), 403)
    assert someone.member.service.fingerprint() == before


def test_a_viewer_can_neither_request_nor_decide(someone: OnLeave) -> None:
    request_id = created(ask(someone, MONDAY))
    viewer = someone.member.colleague(someone.company.id, "viewer")
    assert len(viewer.get(someone.path("leave_requests")).json()) == 1
    before = someone.member.service.fingerprint()
    assert_problem(ask(someone, TUESDAY, by=viewer), 403)
    for action in ("approve", "decline"):
        assert_problem(viewer.post(f"/leave_requests/{request_id}/{action}", {}), 403)
    assert someone.member.service.fingerprint() == before


def test_requests_that_do_not_exist_are_a_404(someone: OnLeave) -> None:
    assert_problem(someone.member.get("/employees/999999999/leave_requests"), 404)
    assert_problem(someone.member.post("/employees/999999999/leave_requests", {}), 404)
    for action in ("approve", "decline"):
        assert_problem(someone.member.post(f"/leave_requests/999999999/{action}", {}), 404)


def status(someone: OnLeave) -> str:
    """The status of the only request."""
    [request] = someone.listed("leave_requests")
    return str(request["status"])


def test_an_employee_cancels_a_pending_request(someone: OnLeave) -> None:
    employee = self_service(someone)
    request_id = created(ask(someone, MONDAY, by=employee))
    cancel = f"/leave_requests/{request_id}/cancel"
    assert employee.post(cancel).json() == {"message": "The leave request has been cancelled"}
    assert status(someone) == "cancelled"
    assert_problem(employee.post(cancel), 409)
    assert_problem(employee.post(f"/leave_requests/{request_id}/withdraw"), 409)
    assert_problem(someone.member.post(f"/leave_requests/{request_id}/approve", {}), 409)


def test_withdrawing_approved_leave_needs_approval(someone: OnLeave) -> None:
    employee = self_service(someone)
    before = someone.balances(TUESDAY)
    request_id = created(ask(someone, MONDAY, TUESDAY, by=employee))
    path = f"/leave_requests/{request_id}"
    someone.member.post(f"{path}/approve", {})
    assert_problem(employee.post(f"{path}/cancel"), 409)
    assert employee.post(f"{path}/withdraw").json() == {"message": "The withdrawal awaits approval"}
    assert (status(someone), len(someone.listed())) == ("withdrawing", 2)
    declined = someone.member.post(f"{path}/decline", {})
    assert declined.json() == {"message": "The withdrawal has been declined"}
    assert (status(someone), len(someone.listed())) == ("approved", 2)
    assert employee.post(f"{path}/withdraw").status_code == 200
    approved = someone.member.post(f"{path}/approve", {"answer": "Fine"})
    assert approved.json() == {"message": "The withdrawal has been approved", "ids": []}
    assert (status(someone), someone.listed()) == ("withdrawn", [])
    assert someone.balances(TUESDAY) == before


def test_others_neither_cancel_nor_withdraw(someone: OnLeave) -> None:
    request_id = created(ask(someone, MONDAY))
    viewer = someone.member.colleague(someone.company.id, "viewer")
    stranger = self_service(OnLeave.hired(someone.company))
    for action in ("cancel", "withdraw"):
        assert_problem(viewer.post(f"/leave_requests/{request_id}/{action}"), 403)
        assert_problem(stranger.post(f"/leave_requests/{request_id}/{action}"), 404)
    assert status(someone) == "pending"


def test_a_preview_shows_what_a_request_would_leave(someone: OnLeave) -> None:
    employee = self_service(someone)
    before = someone.balance(TUESDAY)
    days = [{"date": MONDAY, "type_id": someone.types["annual_leave"]}]
    days.append({"date": TUESDAY, "type_id": someone.types["annual_leave"], "hours": 4})
    path = someone.path("leave_requests/preview")
    assert employee.post(path, {"dates": days}).json() == {
        "balances": [
            {
                "type_id": someone.types["annual_leave"],
                "type": "annual_leave",
                "date": TUESDAY,
                "before": before,
                "after": before - 1.5,
            }
        ]
    }
    assert field_errors(employee.post(path, {"dates": [{**days[0], "date": SATURDAY}]})).keys() == {"dates.0.date"}
    assert someone.listed("leave_requests") == []
