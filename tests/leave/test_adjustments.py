"""GET and POST /employees/:id/leave_adjustments, PATCH and DELETE /leave_adjustments/:id."""

from datetime import date, timedelta
from typing import Any

import pytest

from gaji.core import clock
from tests.leave.people import OnLeave
from tests.support.problems import assert_problem, field_errors


def test_it_works(someone: OnLeave) -> None:
    adjustment_id = someone.adjust("2026-01-05", 6, "childcare_leave", "A citizen child under 7")
    assert someone.listed("leave_adjustments") == [
        {
            "id": adjustment_id,
            "employee_id": someone.id,
            "type_id": someone.types["childcare_leave"],
            "type": "childcare_leave",
            "date": "2026-01-05",
            "days": 6,
            "reason": "A citizen child under 7",
        }
    ]
    assert someone.balance("2026-01-04", "childcare_leave") == 0
    assert someone.balance("2026-01-05", "childcare_leave") == 6
    someone.take("2026-01-06", "childcare_leave")
    assert someone.balance("2026-01-06", "childcare_leave") == 5


def test_an_adjustment_can_go_below_zero(someone: OnLeave) -> None:
    someone.adjust("2026-01-05", -2.5, "childcare_leave")
    assert someone.balance("2026-01-05", "childcare_leave") == -2.5


def test_an_adjustment_can_be_changed_and_deleted(someone: OnLeave) -> None:
    adjustment_id = someone.adjust("2026-01-05", 6, "childcare_leave")
    path = f"/leave_adjustments/{adjustment_id}"
    answer = someone.member.patch(path, {"days": "2.5", "reason": "Another child"})
    assert answer.json() == {"message": "The leave adjustment has been updated", "id": adjustment_id}
    [adjustment] = someone.listed("leave_adjustments")
    assert (adjustment["days"], adjustment["reason"], adjustment["date"]) == (2.5, "Another child", "2026-01-05")
    assert someone.balance("2026-01-05", "childcare_leave") == 2.5
    assert someone.member.delete(path).json() == {"message": "The leave adjustment has been deleted"}
    assert someone.listed("leave_adjustments") == []
    assert someone.balance("2026-01-05", "childcare_leave") == 0


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            {},
            {"type_id": "is required", "date": "is required", "days": "is required", "reason": "is required"},
        ),
        (
            {"type_id": 999_999_999, "date": "2024-01-31", "days": 0, "reason": " "},
            {
                "type_id": "leave type 999999999 does not exist in this client",
                "date": "2024-01-31 is outside the service of this employee",
                "days": "must not be zero",
                "reason": "is required",
            },
        ),
        (
            {"type_id": 999_999_999, "date": "2026-05-04", "days": 1.2345, "reason": "x"},
            {"type_id": "leave type 999999999 does not exist in this client", "days": "must have at most 3 decimals"},
        ),
        (
            {"type_id": 999_999_999, "date": "2026-05-04", "days": 1001, "reason": "x"},
            {"type_id": "leave type 999999999 does not exist in this client", "days": "must be from -1000 to 1000"},
        ),
        (
            {"type_id": 999_999_999, "date": "2026-05-04", "days": "1e5", "reason": "x"},
            {
                "type_id": "leave type 999999999 does not exist in this client",
                "days": "must be a number of days such as 4.5",
            },
        ),
    ],
)
def test_every_error_is_reported(someone: OnLeave, given: dict[str, Any], expected: dict[str, str]) -> None:
    before = someone.member.service.fingerprint()
    assert field_errors(someone.member.post(someone.path("leave_adjustments"), given)) == expected
    assert someone.member.service.fingerprint() == before


def test_an_adjustment_is_at_most_five_years_ahead(someone: OnLeave) -> None:
    today = clock.today()
    latest = today.replace(year=today.year + 5) if (today.month, today.day) != (2, 29) else date(today.year + 5, 2, 28)
    body = {"type_id": someone.types["childcare_leave"], "days": 1, "reason": "Agreed"}
    for text in ("9999-12-31", "1899-12-31"):
        answer = someone.member.post(someone.path("leave_adjustments"), {**body, "date": text})
        assert field_errors(answer) == {"date": "must be from 1900-01-01 to 2199-12-31"}
    for day in (latest + timedelta(days=1), date(2199, 12, 31)):
        answer = someone.member.post(someone.path("leave_adjustments"), {**body, "date": str(day)})
        assert field_errors(answer) == {"date": f"must not be after {latest}"}
    adjustment_id = someone.adjust(str(latest), 1, "childcare_leave")
    answer = someone.member.patch(f"/leave_adjustments/{adjustment_id}", {"date": str(latest + timedelta(days=1))})
    assert field_errors(answer) == {"date": f"must not be after {latest}"}


def test_a_stored_adjustment_far_ahead_blocks_nothing(someone: OnLeave) -> None:
    service, type_id = someone.member.service, someone.types["annual_leave"]
    [row] = service.as_owner(
        "INSERT INTO leave_adjustments (client_id, employee_id, leave_type_id, date, millidays, reason) "
        "VALUES ($1, $2, $3, '9999-12-31', 1000, 'x') RETURNING id",
        someone.company.id,
        someone.id,
        type_id,
    )
    someone.take("2026-05-04")
    assert someone.movements("2026-12-31")
    assert someone.balance("2026-12-31")
    path = f"/leave_adjustments/{row['id']}"
    assert someone.member.patch(path, {"reason": "Still there"}).status_code == 200
    assert someone.listed("leave_adjustments")[0]["reason"] == "Still there"
    assert someone.member.patch(path, {"date": "2026-05-05"}).status_code == 200
    assert someone.member.delete(path).status_code == 200


def test_records_that_do_not_exist_are_a_404_and_viewers_do_not_write(someone: OnLeave) -> None:
    assert_problem(someone.member.get("/employees/999999999/leave_adjustments"), 404)
    assert_problem(someone.member.post("/employees/999999999/leave_adjustments", {}), 404)
    assert_problem(someone.member.patch("/leave_adjustments/999999999", {}), 404)
    assert_problem(someone.member.delete("/leave_adjustments/999999999"), 404)
    adjustment_id = someone.adjust("2026-01-05", 6)
    viewer = someone.member.colleague(someone.company.id, "viewer")
    assert len(viewer.get(someone.path("leave_adjustments")).json()) == 1
    assert_problem(viewer.post(someone.path("leave_adjustments"), {}), 403)
    assert_problem(viewer.patch(f"/leave_adjustments/{adjustment_id}", {"days": 1}), 403)
    assert_problem(viewer.delete(f"/leave_adjustments/{adjustment_id}"), 403)
