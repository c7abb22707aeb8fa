"""PATCH and DELETE /calculations/:id."""

import pytest

from tests.payroll.calculations.requests import (
    assign_profile,
    create_calculation,
    create_profile,
    draft_id,
    find_calculation,
    list_calculations,
)
from tests.support.company import Company
from tests.support.problems import assert_problem, field_errors
from tests.support.races import at_once


@pytest.fixture
def employee(company: Company) -> str:
    """The path of a new employee."""
    return f"employees/{company.hire()}"


def test_an_update_changes_only_the_supplied_inputs(company: Company, employee: str) -> None:
    calculation_id = create_calculation(company, employee, "transport_allowance", amount=100, prorate=True)
    answer = company.member.patch(f"/calculations/{calculation_id}", {"calculation_details": {"amount": 120}})
    assert answer.json() == {"message": "The calculation has been updated", "id": calculation_id}
    assert find_calculation(company, employee, "transport_allowance")["inputs"] == {
        "amount": "120.00",
        "prorate": "true",
    }


def test_an_update_is_validated_like_a_create(company: Company, employee: str) -> None:
    calculation_id = create_calculation(company, employee, "annual_bonus", amount=100)
    before = company.member.service.fingerprint()
    body = {"calculation_details": {"months": 2, "amuont": 3}, "multiplier": "x"}
    assert field_errors(company.member.patch(f"/calculations/{calculation_id}", body)) == {
        "calculation_details.months": "cannot be combined with amount; to switch, send amount as null",
        "calculation_details.amuont": "is not an input of annual_bonus; did you mean amount?",
        "multiplier": "must be a number such as 12.5",
    }
    assert company.member.service.fingerprint() == before


def test_calculations_of_every_level_can_be_updated_and_deleted(company: Company) -> None:
    employee_id = company.hire()
    drivers = create_profile(company, transport_allowance={"amount": 1})
    [row] = company.member.service.as_owner("SELECT id FROM calculations WHERE profile_id = $1", drivers)
    ids = [row["id"]] + [
        create_calculation(company, owner, "transport_allowance", amount=1)
        for owner in (f"clients/{company.id}", f"employees/{employee_id}", f"payslips/{draft_id(company, employee_id)}")
    ]
    for calculation_id in ids:
        path = f"/calculations/{calculation_id}"
        assert company.member.patch(path, {"calculation_details": {"amount": 2}, "multiplier": 2}).status_code == 200
        row = company.member.get(path).json()
        assert (row["inputs"], row["multiplier"]) == ({"amount": "2.00"}, 2)
        assert company.member.delete(path).json() == {"message": "The calculation has been deleted"}
        assert_problem(company.member.get(path), 404)
    assert list_calculations(company, f"payslips/{draft_id(company, employee_id)}") == []


def test_the_type_cannot_change(company: Company, employee: str) -> None:
    calculation_id = create_calculation(company, employee, "bonus", amount=100)
    path = f"/calculations/{calculation_id}"
    assert field_errors(company.member.patch(path, {"calc_type": "commission"})) == {
        "calc_type": "must stay bonus; to change it, delete the calculation and create another"
    }
    assert company.member.patch(path, {"calc_type": "bonus", "skip": True}).status_code == 200


def test_a_calculation_can_be_sent_back_as_it_was_read(company: Company, employee: str) -> None:
    calculation_id = create_calculation(company, employee, "bonus", amount=100)
    row = company.member.get(f"/calculations/{calculation_id}").json()
    answer = company.member.patch(f"/calculations/{calculation_id}", row)
    assert answer.json()["warnings"] == {"inputs": "Unknown attribute, ignored."}
    after = company.member.get(f"/calculations/{calculation_id}").json()
    assert {**after, "updated_at": row["updated_at"]} == row


def test_an_update_does_not_recreate_a_concurrently_deleted_calculation(company: Company, employee: str) -> None:
    calculation_id = create_calculation(company, employee, "bonus", amount=100)
    path = f"/calculations/{calculation_id}"
    body = {"calculation_details": {"amount": 5}}
    answers = at_once([lambda: company.member.delete(path), lambda: company.member.patch(path, body)])
    assert answers[0].status_code == 200
    assert answers[1].status_code in (200, 404)
    assert list_calculations(company, employee) == []


def test_unknown_records_are_not_found(company: Company) -> None:
    assert_problem(company.member.patch("/calculations/9999999", {"skip": True}), 404)
    assert_problem(company.member.delete("/calculations/9999999"), 404)


def test_deleting_an_employee_deletes_their_calculations(company: Company) -> None:
    employee_id = company.hire()
    assign_profile(company, employee_id, create_profile(company, bonus={"amount": 1}))
    for owner in (f"employees/{employee_id}", f"payslips/{draft_id(company, employee_id)}"):
        create_calculation(company, owner, "transport_allowance", amount=1)
    create_calculation(company, f"employees/{employee_id}", "week_hours", schedule="casual")
    assert company.member.delete(f"/employees/{employee_id}").status_code == 200
    rows = company.member.service.as_owner("SELECT id FROM calculations WHERE employee_id = $1", employee_id)
    assert rows == []
