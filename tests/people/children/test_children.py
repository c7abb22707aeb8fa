"""GET and POST /employees/:id/children, PATCH and DELETE /children/:id."""

from typing import Any

import pytest

from tests.leave.people import OnLeave
from tests.support.company import Company
from tests.support.problems import assert_problem, field_errors
from tests.support.running import created

CHILD = {"name": "Tan Wei Ming", "birthdate": "2024-05-15", "citizenship": "CITIZEN"}


@pytest.fixture
def parent(company: Company) -> OnLeave:
    """An employee since 1 February 2024."""
    return OnLeave.hired(company)


def listed(parent: OnLeave) -> list[dict[str, Any]]:
    """The children of an employee, without their wrapper."""
    return [element["child"] for element in parent.member.get(parent.path("children")).json()]


def test_a_child_is_created_changed_and_deleted(parent: OnLeave) -> None:
    answer = parent.member.post(parent.path("children"), {"child": CHILD})
    assert answer.json() == {"message": "The child has been created", "id": answer.json()["id"]}
    [child] = listed(parent)
    assert {name: child[name] for name in CHILD} == CHILD
    assert (child["relationship"], child["adoption_date"], child["leave_from"]) == ("birth_child", None, None)
    path = f"/children/{child['id']}"
    assert parent.member.patch(path, {"citizenship": "PR"}).status_code == 200
    assert listed(parent)[0]["citizenship"] == "PR"
    assert parent.member.delete(path).status_code == 200
    assert listed(parent) == []
    assert_problem(parent.member.delete(path), 404)


def test_all_errors_are_reported_at_once(parent: OnLeave) -> None:
    body = {"name": "", "birthdate": "2199-01-01", "citizenship": "SG", "relationship": "adopted"}
    assert field_errors(parent.member.post(parent.path("children"), body)).keys() == {
        "name",
        "birthdate",
        "citizenship",
        "adoption_date",
    }
    not_adopted = {**CHILD, "adoption_date": "2024-06-01"}
    assert field_errors(parent.member.post(parent.path("children"), not_adopted)).keys() == {"adoption_date"}
    early = {**CHILD, "relationship": "adopted", "adoption_date": "2024-05-14"}
    assert field_errors(parent.member.post(parent.path("children"), early)) == {
        "adoption_date": "must not be before the birthdate"
    }
    too_many = {**CHILD, "birthdate": "2026-04-01", "shared_parental_weeks": 11}
    assert field_errors(parent.member.post(parent.path("children"), too_many)) == {
        "shared_parental_weeks": "must be at most 10"
    }
    assert listed(parent) == []


def test_leave_that_was_granted_by_adjustment_is_not_granted_twice(parent: OnLeave) -> None:
    parent.adjust("2026-01-05", 6, "childcare_leave")
    assert field_errors(parent.member.post(parent.path("children"), CHILD)) == {
        "leave_from": "is required, because leave for children was granted by adjustment on 2026-01-05"
    }
    created(parent.member.post(parent.path("children"), {**CHILD, "leave_from": "2027-01-01"}))
    assert parent.balance("2026-12-31", "childcare_leave") == 6
    assert parent.balance("2027-01-01", "childcare_leave") == 12
