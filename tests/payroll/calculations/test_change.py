"""PATCH and DELETE /calculations/:id"""

import pytest

from tests.payroll.calculations.entered import draft, entered, listed, mapped, one, profile
from tests.support.company import Company
from tests.support.problems import faults, refused
from tests.support.races import at_once


@pytest.fixture
def employee(company: Company) -> str:
    """Where the calculations of a fresh employee are."""
    return f"employees/{company.hire()}"


def test_it_works(company: Company, employee: str) -> None:
    calculation_id = entered(company, employee, "transport_allowance", amount=100, prorate=True)
    answer = company.member.patch(f"/calculations/{calculation_id}", {"calculation_details": {"amount": 120}})
    assert answer.json() == {"message": "The calculation has been updated", "id": calculation_id}
    assert one(company, employee, "transport_allowance")["inputs"] == {"amount": "120.00", "prorate": True}


def test_it_does_what_the_post_does(company: Company, employee: str) -> None:
    calculation_id = entered(company, employee, "annual_bonus", amount=100)
    before = company.member.service.fingerprint()
    body = {"calculation_details": {"months": 2, "amuont": 3}, "multiplier": "x"}
    assert faults(company.member.patch(f"/calculations/{calculation_id}", body)) == {
        "calculation_details.months": "excludes amount; to change over, send amount as null",
        "calculation_details.amuont": "annual_bonus has no such input; did you mean amount?",
        "multiplier": "must be a number such as 1.5",
    }
    assert company.member.service.fingerprint() == before


def test_every_level_can_be_changed_and_deleted(company: Company) -> None:
    employee_id = company.hire()
    drivers = profile(company, transport_allowance={"amount": 1})
    [row] = company.member.service.as_owner("SELECT id FROM calculations WHERE profile_id = $1", drivers)
    ids = [row["id"]] + [
        entered(company, where, "transport_allowance", amount=1)
        for where in (f"clients/{company.id}", f"employees/{employee_id}", f"payslips/{draft(company, employee_id)}")
    ]
    for calculation_id in ids:
        where = f"/calculations/{calculation_id}"
        assert company.member.patch(where, {"calculation_details": {"amount": 2}, "multiplier": 2}).status_code == 200
        shown = company.member.get(where).json()
        assert (shown["inputs"], shown["multiplier"]) == ({"amount": "2.00"}, 2)
        assert company.member.delete(where).json() == {"message": "The calculation has been deleted"}
        refused(company.member.get(where), 404)
    assert listed(company, f"payslips/{draft(company, employee_id)}") == []


def test_the_type_stays(company: Company, employee: str) -> None:
    calculation_id = entered(company, employee, "bonus", amount=100)
    path = f"/calculations/{calculation_id}"
    assert faults(company.member.patch(path, {"calc_type": "commission"})) == {
        "calc_type": "must stay bonus; delete the calculation and enter another one"
    }
    assert company.member.patch(path, {"calc_type": "bonus", "skip": True}).status_code == 200


def test_what_was_read_can_be_sent_back(company: Company, employee: str) -> None:
    calculation_id = entered(company, employee, "bonus", amount=100)
    row = company.member.get(f"/calculations/{calculation_id}").json()
    answer = company.member.patch(f"/calculations/{calculation_id}", row)
    assert answer.json()["warnings"] == {"inputs": "Unknown attribute, ignored."}
    after = company.member.get(f"/calculations/{calculation_id}").json()
    assert {**after, "updated_at": row["updated_at"]} == row


def test_a_calculation_that_someone_else_just_deleted_is_not_made_again(company: Company, employee: str) -> None:
    calculation_id = entered(company, employee, "bonus", amount=100)
    path = f"/calculations/{calculation_id}"
    body = {"calculation_details": {"amount": 5}}
    answers = at_once([lambda: company.member.delete(path), lambda: company.member.patch(path, body)])
    assert answers[0].status_code == 200
    assert answers[1].status_code in (200, 404)
    assert listed(company, employee) == []


def test_records_that_are_not_there_are_not_found(company: Company) -> None:
    refused(company.member.patch("/calculations/9999999", {"skip": True}), 404)
    refused(company.member.delete("/calculations/9999999"), 404)


def test_an_employee_is_deleted_with_all_that_was_entered(company: Company) -> None:
    employee_id = company.hire()
    mapped(company, employee_id, profile(company, bonus={"amount": 1}))
    for where in (f"employees/{employee_id}", f"payslips/{draft(company, employee_id)}"):
        entered(company, where, "transport_allowance", amount=1)
    entered(company, f"employees/{employee_id}", "week_hours", schedule="casual")
    assert company.member.delete(f"/employees/{employee_id}").status_code == 200
    left = company.member.service.as_owner("SELECT id FROM calculations WHERE employee_id = $1", employee_id)
    assert left == []
