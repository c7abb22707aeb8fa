"""GET and POST /clients/:client_id/leave_types, PATCH and DELETE /leave_types/:id."""

import pytest

from tests.leave.people import OnLeave, leave_types
from tests.support.company import Company
from tests.support.problems import assert_problem, field_errors
from tests.support.running import created

NAMES = [
    "annual_leave",
    "sick_leave",
    "hospitalisation_leave",
    "childcare_leave",
    "extended_childcare_leave",
    "infant_care_leave",
    "maternity_leave",
    "paternity_leave",
    "shared_parental_leave",
    "adoption_leave",
    "national_service_leave",
    "compassionate_leave",
    "unpaid_leave",
]


def test_it_works(company: Company) -> None:
    answer = company.member.get(f"/clients/{company.id}/leave_types")
    assert answer.status_code == 200
    assert list(answer.json().values()) == NAMES
    assert all(key.isdigit() for key in answer.json())


def test_every_client_has_types_of_its_own(company: Company) -> None:
    other = Company.of(company.member)
    first, second = leave_types(company.member, company.id), leave_types(company.member, other.id)
    assert list(first) == list(second)
    assert not set(first.values()) & set(second.values())


def test_a_type_can_be_added_renamed_and_deleted(company: Company) -> None:
    where = f"/clients/{company.id}/leave_types"
    answer = company.member.post(where, {"name": "study_leave"})
    type_id = answer.json()["id"]
    assert answer.json() == {"message": "The leave type has been created", "id": type_id}
    assert leave_types(company.member, company.id)["study_leave"] == type_id
    changed = company.member.patch(f"/leave_types/{type_id}", {"leave_type": {"name": "exam_leave"}})
    assert changed.json() == {"message": "The leave type has been updated", "id": type_id}
    assert leave_types(company.member, company.id)["exam_leave"] == type_id
    assert company.member.delete(f"/leave_types/{type_id}").json() == {"message": "The leave type has been deleted"}
    assert list(leave_types(company.member, company.id)) == NAMES


def test_a_type_that_came_with_the_client_can_be_renamed_but_not_deleted(someone: OnLeave) -> None:
    annual = someone.types["annual_leave"]
    assert someone.member.patch(f"/leave_types/{annual}", {"name": "Annual"}).status_code == 200
    assert leave_types(someone.member, someone.company.id)["Annual"] == annual
    someone.types["Annual"] = someone.types.pop("annual_leave")
    assert someone.balance("2025-01-31", "Annual") == 7
    message = assert_problem(someone.member.delete(f"/leave_types/{annual}"), 409)["message"]
    assert message == f"Leave type {annual} is a default leave type and cannot be deleted"


def test_every_error_is_reported(company: Company) -> None:
    where = f"/clients/{company.id}/leave_types"
    before = company.member.service.fingerprint()
    assert field_errors(company.member.post(where, {})) == {"name": "is required"}
    assert field_errors(company.member.post(where, {"name": " SICK_leave "})) == {
        "name": "is the name of another leave type of this client"
    }
    assert field_errors(company.member.post(where, {"name": 5})) == {"name": "must be a string"}
    assert company.member.service.fingerprint() == before


def test_a_name_that_another_type_has_cannot_be_given(someone: OnLeave) -> None:
    answer = someone.member.patch(f"/leave_types/{someone.types['sick_leave']}", {"name": "unpaid_leave"})
    assert field_errors(answer) == {"name": "is the name of another leave type of this client"}
    same = someone.member.patch(f"/leave_types/{someone.types['sick_leave']}", {"name": "sick_leave"})
    assert same.status_code == 200


@pytest.mark.parametrize("use", ["day", "adjustment", "request", "take_on"])
def test_a_type_in_use_cannot_be_deleted(someone: OnLeave, use: str) -> None:
    type_id = created(someone.member.post(f"/clients/{someone.company.id}/leave_types", {"name": "study_leave"}))
    someone.types["study_leave"] = type_id
    if use != "adjustment":
        given = {"accrual": "none", "below_zero": True, "effective_date": "2024-01-01"}
        assert someone.put_policy("study_leave", **given).status_code == 200
    if use == "day":
        someone.take("2026-05-04", "study_leave")
    elif use == "adjustment":
        someone.adjust("2026-05-04", 2, "study_leave")
    elif use == "request":
        asked = {"dates": [{"date": "2026-05-04", "type_id": type_id}]}
        assert someone.member.post(someone.path("leave_requests"), asked).status_code == 200
    else:
        balances = {"year": 2026, "leave": {str(type_id): 3}}
        assert someone.member.call("PUT", someone.path("take_on_balances"), json=balances).status_code == 200
    message = assert_problem(someone.member.delete(f"/leave_types/{type_id}"), 409)["message"]
    assert message == f"Leave type {type_id} has days, adjustments, requests or take-on balances of employees"


def test_types_that_do_not_exist_are_a_404(company: Company) -> None:
    assert_problem(company.member.get("/clients/999999999/leave_types"), 404)
    assert_problem(company.member.patch("/leave_types/999999999", {"name": "x"}), 404)
    assert_problem(company.member.delete("/leave_types/999999999"), 404)


def test_a_viewer_reads_and_does_not_write(someone: OnLeave) -> None:
    viewer = someone.member.colleague(someone.company.id, "viewer")
    assert leave_types(viewer, someone.company.id) == someone.types
    before = someone.member.service.fingerprint()
    assert_problem(viewer.post(f"/clients/{someone.company.id}/leave_types", {"name": "x"}), 403)
    assert_problem(viewer.patch(f"/leave_types/{someone.types['sick_leave']}", {"name": "x"}), 403)
    assert_problem(viewer.delete(f"/leave_types/{someone.types['sick_leave']}"), 403)
    assert someone.member.service.fingerprint() == before
