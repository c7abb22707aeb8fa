"""Profiles: list, create, update, delete."""

from typing import Any

import pytest

from tests.payroll.calculations.requests import (
    assign_profile,
    create_calculation,
    create_item,
    create_profile,
    list_calculations,
)
from tests.support.company import Company
from tests.support.problems import assert_problem, field_errors

FIELDS = ["id", "client_id", "name", "calculations", "created_at", "updated_at"]


def profiles_path(company: Company) -> str:
    return f"/clients/{company.id}/profiles"


def list_profiles(company: Company) -> list[dict[str, Any]]:
    return [element["profile"] for element in company.member.get(profiles_path(company)).json()]


def test_a_profile_is_created_and_listed(company: Company) -> None:
    body = {"name": "Drivers", "calculations": {"transport_allowance": {"amount": 150, "prorate": "true"}}}
    answer = company.member.post(profiles_path(company), body)
    assert answer.json() == {"message": "The profile has been created", "id": answer.json()["id"]}
    [element] = company.member.get(profiles_path(company)).json()
    assert list(element) == ["profile"]
    assert list(element["profile"]) == FIELDS
    assert element["profile"]["client_id"] == company.id
    assert element["profile"]["name"] == "Drivers"
    assert element["profile"]["calculations"] == {"transport_allowance": {"amount": "150.00", "prorate": "true"}}


def test_custom_items_are_given_by_number(company: Company) -> None:
    night = create_item(company, name="Night", kind="allowance", input="fixed", amount=20)
    create_profile(company, "Drivers", **{str(night): {}})
    assert list_profiles(company)[0]["calculations"] == {str(night): {}}


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"name": ""}, {"name": "is required"}),
        ({"calculations": 5}, {"calculations": "must be an object"}),
        ({"calculations": {"bonus": 5}}, {"calculations.bonus": "must be an object"}),
        (
            {"calculations": {"bonsu": {}, "sdl": {}, "bonus": {"amount": -1, "mnths": 2}}},
            {
                "calculations.bonsu": "calculation 'bonsu' does not exist in this client; did you mean bonus?",
                "calculations.sdl": "Skills development levy is calculated by law and has no inputs",
                "calculations.bonus.amount": "must not be negative",
                "calculations.bonus.mnths": "is not an input of bonus; did you mean months?",
            },
        ),
        (
            {"calculations": {"basic_salary": {"overtime_hours_input": 2}}},
            {"calculations.basic_salary.overtime_hours_input": "can only be entered for a payslip"},
        ),
        (
            {"calculations": {"bonus": {"amount": 1, "months": 2}}},
            {
                "calculations.bonus.amount": "cannot be combined with months; to switch, send months as null",
                "calculations.bonus.months": "cannot be combined with amount; to switch, send amount as null",
            },
        ),
        (
            {"calculations": {"week_hours": {"schedule": "casual", "works_mon": True}}},
            {"calculations.week_hours.works_mon": "is only allowed when schedule is fixed"},
        ),
    ],
)
def test_every_error_is_reported(company: Company, attributes: dict[str, Any], expected: dict[str, str]) -> None:
    before = company.member.service.fingerprint()
    assert field_errors(company.member.post(profiles_path(company), {"name": "Drivers", **attributes})) == expected
    assert company.member.service.fingerprint() == before


def test_names_are_unique_in_a_client_regardless_of_case(company: Company) -> None:
    create_profile(company, "Drivers")
    answer = company.member.post(profiles_path(company), {"name": " DRIVERS "})
    assert field_errors(answer) == {"name": "DRIVERS is already in use"}
    other = create_profile(company, "Cooks")
    assert field_errors(company.member.patch(f"/profiles/{other}", {"name": "drivers"})) == {
        "name": "drivers is already in use"
    }


def test_an_update_changes_only_the_supplied_attributes(company: Company) -> None:
    calculations: dict[str, Any] = {
        "bonus": {"amount": 1, "declaration_date": "2026-01-31"},
        "union_fee": {"amount": 2},
    }
    profile_id = create_profile(company, "Drivers", **calculations)
    change = {"calculations": {"bonus": {"amount": 5}, "union_fee": None, "meal_allowance": {"amount": 3}}}
    answer = company.member.patch(f"/profiles/{profile_id}", change)
    assert answer.json() == {"message": "The profile has been updated", "id": profile_id}
    [profile] = list_profiles(company)
    assert profile["name"] == "Drivers"
    assert profile["calculations"] == {
        "bonus": {"amount": "5.00", "declaration_date": "2026-01-31"},
        "meal_allowance": {"amount": "3.00"},
    }
    company.member.patch(f"/profiles/{profile_id}", {"calculations": {"bonus": {"amount": None, "months": 2}}})
    assert list_profiles(company)[0]["calculations"]["bonus"] == {"months": "2", "declaration_date": "2026-01-31"}


def test_a_listed_profile_can_be_sent_back(company: Company) -> None:
    profile_id = create_profile(company, bonus={"amount": 1}, week_hours={"schedule": "fixed", "works_mon": True})
    [before] = list_profiles(company)
    answer = company.member.patch(f"/profiles/{profile_id}", {"profile": before})
    assert set(answer.json()) == {"message", "id"}
    [after] = list_profiles(company)
    assert {**after, "updated_at": before["updated_at"]} == before


def test_an_assigned_profile_cannot_be_deleted(company: Company) -> None:
    profile_id = create_profile(company, bonus={"amount": 1})
    employee_id = company.hire()
    mapping_id = assign_profile(company, employee_id, profile_id)
    before = company.member.service.fingerprint()
    message = assert_problem(company.member.delete(f"/profiles/{profile_id}"), 409)["message"]
    assert message == f"Profile {profile_id} is assigned to employees; remove it from them first"
    assert company.member.service.fingerprint() == before
    company.member.delete(f"/profile_mappings/{mapping_id}")
    answer = company.member.delete(f"/profiles/{profile_id}")
    assert answer.json() == {"message": "The profile has been deleted"}
    assert list_profiles(company) == list_calculations(company, f"employees/{employee_id}") == []


def test_an_update_recalculates_drafts(company: Company) -> None:
    employee_id = company.hire()
    create_calculation(company, f"employees/{employee_id}", "basic_salary", fixed_amount=4000)
    profile_id = create_profile(company, meal_allowance={"amount": 80})
    assign_profile(company, employee_id, profile_id)
    company.member.patch(f"/profiles/{profile_id}", {"calculations": {"meal_allowance": {"amount": 90}}})
    outputs = {row["system_type"]: row["outputs"] for row in list_calculations(company, f"employees/{employee_id}")}
    assert outputs["meal_allowance"] == {"meal_allowance": "90.00"}


def test_unknown_records_are_not_found(company: Company) -> None:
    assert_problem(company.member.get("/clients/9999999/profiles"), 404)
    assert_problem(company.member.patch("/profiles/9999999", {"name": "x"}), 404)
    assert_problem(company.member.delete("/profiles/9999999"), 404)
