"""GET and POST /employees/:id/leave_adjustments, PATCH and DELETE /leave_adjustments/:id."""

from typing import Any

import pytest

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
    where = f"/leave_adjustments/{adjustment_id}"
    answer = someone.member.patch(where, {"days": "2.5", "reason": "Another child"})
    assert answer.json() == {"message": "The leave adjustment has been updated", "id": adjustment_id}
    [found] = someone.listed("leave_adjustments")
    assert (found["days"], found["reason"], found["date"]) == (2.5, "Another child", "2026-01-05")
    assert someone.balance("2026-01-05", "childcare_leave") == 2.5
    assert someone.member.delete(where).json() == {"message": "The leave adjustment has been deleted"}
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
