"""Warnings about clashes of leave requests, and GET /leave_requests/:id/clashes."""

from typing import Any

from tests.leave.people import OnLeave
from tests.leave.test_requests import ask, self_service
from tests.support.company import Company
from tests.support.running import created

MONDAY, TUESDAY, WEDNESDAY = "2026-05-04", "2026-05-05", "2026-05-06"


def clashes(someone: OnLeave, request_id: int) -> list[tuple[str, int, str]]:
    answer = someone.member.get(f"/leave_requests/{request_id}/clashes")
    assert answer.status_code == 200, answer.text
    listed: list[dict[str, Any]] = answer.json()
    return [(clash["date"], clash["employee_id"], clash["status"]) for clash in listed]


def test_others_of_the_same_pay_point_are_named_in_warnings(company: Company) -> None:
    pay_point_id = company.member.new_pay_point(company.id, name="Warehouse")
    ana, ben, eve = (OnLeave.hired(company, pay_point_id=pay_point_id) for _ in range(3))
    elsewhere = OnLeave.hired(company)
    for someone in (ana, elsewhere):
        someone.take(MONDAY, "unpaid_leave")
    pending_id = created(ask(ben, MONDAY, TUESDAY))
    assert clashes(ben, pending_id) == [(MONDAY, ana.id, "away")]
    answer = ask(eve, MONDAY, TUESDAY, WEDNESDAY, by=self_service(eve)).json()
    assert answer["warnings"] == {
        "dates.0": f"{MONDAY}: 1 other of the same group is away; 1 other of the same group has asked for this day",
        "dates.1": f"{TUESDAY}: 1 other of the same group has asked for this day",
    }
    assert clashes(eve, answer["id"]) == [
        (MONDAY, ana.id, "away"),
        (MONDAY, ben.id, "requested"),
        (TUESDAY, ben.id, "requested"),
    ]
    assert ask(elsewhere, TUESDAY).json().keys() == {"message", "id"}


def test_without_a_pay_point_the_wave_is_the_group(company: Company) -> None:
    ana, ben = OnLeave.hired(company), OnLeave.hired(company)
    weekly = OnLeave.hired(company, wave_id=company.wave(frequency="weekly", first_end_date="2024-01-05"))
    for someone in (ana, weekly):
        someone.take(MONDAY, "unpaid_leave")
    request_id = created(ask(ben, MONDAY))
    assert clashes(ben, request_id) == [(MONDAY, ana.id, "away")]


def test_own_leave_and_own_requests_clash(someone: OnLeave) -> None:
    someone.take(MONDAY, "annual_leave", hours=4)
    created(ask(someone, TUESDAY))
    dates = [
        {"date": MONDAY, "type_id": someone.types["annual_leave"], "hours": 4},
        {"date": TUESDAY, "type_id": someone.types["annual_leave"]},
    ]
    answer = someone.member.post(someone.path("leave_requests/preview"), {"dates": dates}).json()
    assert answer["warnings"] == {
        "dates.0": f"{MONDAY}: the employee already has leave on a part of this day",
        "dates.1": f"{TUESDAY}: another request of the employee for this day is pending",
    }


def test_a_request_does_not_clash_with_itself(someone: OnLeave) -> None:
    request_id = created(ask(someone, MONDAY))
    assert clashes(someone, request_id) == []
    assert someone.member.post(f"/leave_requests/{request_id}/approve", {}).status_code == 200
    assert clashes(someone, request_id) == []
