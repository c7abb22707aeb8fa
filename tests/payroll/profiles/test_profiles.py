"""Profiles: list, create, change, delete."""

from typing import Any

import pytest

from tests.payroll.calculations.entered import entered, item, listed, mapped, profile
from tests.support.company import Company
from tests.support.problems import faults, refused

FIELDS = ["id", "client_id", "name", "calculations", "created_at", "updated_at"]


def where(company: Company) -> str:
    return f"/clients/{company.id}/profiles"


def profiles(company: Company) -> list[dict[str, Any]]:
    return [element["profile"] for element in company.member.get(where(company)).json()]


def test_it_works(company: Company) -> None:
    body = {"name": "Drivers", "calculations": {"transport_allowance": {"amount": 150, "prorate": "true"}}}
    answer = company.member.post(where(company), body)
    assert answer.json() == {"message": "The profile has been created", "id": answer.json()["id"]}
    [element] = company.member.get(where(company)).json()
    assert list(element) == ["profile"]
    assert list(element["profile"]) == FIELDS
    assert element["profile"]["client_id"] == company.id
    assert element["profile"]["name"] == "Drivers"
    assert element["profile"]["calculations"] == {"transport_allowance": {"amount": "150.00", "prorate": True}}


def test_custom_items_are_named_by_their_numbers(company: Company) -> None:
    night = item(company, name="Night", kind="allowance", input="fixed", amount=20)
    profile(company, "Drivers", **{str(night): {}})
    assert profiles(company)[0]["calculations"] == {str(night): {}}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"name": ""}, {"name": "is required"}),
        ({"calculations": 5}, {"calculations": "must be an object from calculations to their inputs"}),
        ({"calculations": {"bonus": 5}}, {"calculations.bonus": "must be an object of inputs"}),
        (
            {"calculations": {"bonsu": {}, "sdl": {}, "bonus": {"amount": -1, "mnths": 2}}},
            {
                "calculations.bonsu": "there is no calculation 'bonsu'; did you mean bonus?",
                "calculations.sdl": "Skills development levy is computed by law; there is nothing to enter for it",
                "calculations.bonus.amount": "must not be negative",
                "calculations.bonus.mnths": "bonus has no such input; did you mean months?",
            },
        ),
        (
            {"calculations": {"basic_salary": {"overtime_hours_input": 2}}},
            {"calculations.basic_salary.overtime_hours_input": "can only be entered for a payslip"},
        ),
        (
            {"calculations": {"bonus": {"amount": 1, "months": 2}}},
            {
                "calculations.bonus.amount": "excludes months; to change over, send months as null",
                "calculations.bonus.months": "excludes amount; to change over, send amount as null",
            },
        ),
        (
            {"calculations": {"week_hours": {"works_mon": True}}},
            {"calculations.week_hours.works_mon": "is only possible when schedule is fixed"},
        ),
    ],
)
def test_every_fault_is_named(company: Company, given: dict[str, Any], expected: dict[str, str]) -> None:
    before = company.member.service.fingerprint()
    assert faults(company.member.post(where(company), {"name": "Drivers", **given})) == expected
    assert company.member.service.fingerprint() == before


def test_names_are_unique_in_a_client_whatever_their_capitals(company: Company) -> None:
    profile(company, "Drivers")
    taken = {"name": "is the name of another profile of this client"}
    assert faults(company.member.post(where(company), {"name": " DRIVERS "})) == taken
    other = profile(company, "Cooks")
    assert faults(company.member.patch(f"/profiles/{other}", {"name": "drivers"})) == taken


def test_an_update_changes_only_what_is_supplied(company: Company) -> None:
    given: dict[str, Any] = {"bonus": {"amount": 1, "declaration_date": "2026-01-31"}, "union_fee": {"amount": 2}}
    profile_id = profile(company, "Drivers", **given)
    change = {"calculations": {"bonus": {"amount": 5}, "union_fee": None, "meal_allowance": {"amount": 3}}}
    answer = company.member.patch(f"/profiles/{profile_id}", change)
    assert answer.json() == {"message": "The profile has been updated", "id": profile_id}
    [shown] = profiles(company)
    assert shown["name"] == "Drivers"
    assert shown["calculations"] == {
        "bonus": {"amount": "5.00", "declaration_date": "2026-01-31"},
        "meal_allowance": {"amount": "3.00"},
    }
    company.member.patch(f"/profiles/{profile_id}", {"calculations": {"bonus": {"amount": None, "months": 2}}})
    assert profiles(company)[0]["calculations"]["bonus"] == {"months": "2", "declaration_date": "2026-01-31"}


def test_what_was_read_can_be_sent_back(company: Company) -> None:
    profile_id = profile(company, bonus={"amount": 1}, week_hours={"schedule": "fixed", "works_mon": True})
    [before] = profiles(company)
    answer = company.member.patch(f"/profiles/{profile_id}", {"profile": before})
    assert set(answer.json()) == {"message", "id"}
    [after] = profiles(company)
    assert {**after, "updated_at": before["updated_at"]} == before


def test_a_profile_that_an_employee_has_cannot_be_deleted(company: Company) -> None:
    profile_id = profile(company, bonus={"amount": 1})
    employee_id = company.hire()
    mapping = mapped(company, employee_id, profile_id)
    before = company.member.service.fingerprint()
    message = refused(company.member.delete(f"/profiles/{profile_id}"), 409)["message"]
    assert message == f"Employees have profile {profile_id}; take it from them first"
    assert company.member.service.fingerprint() == before
    company.member.delete(f"/profile_mappings/{mapping}")
    answer = company.member.delete(f"/profiles/{profile_id}")
    assert answer.json() == {"message": "The profile has been deleted"}
    assert profiles(company) == listed(company, f"employees/{employee_id}") == []


def test_drafts_follow_a_profile(company: Company) -> None:
    employee_id = company.hire()
    entered(company, f"employees/{employee_id}", "basic_salary", fixed_amount=4000)
    profile_id = profile(company, meal_allowance={"amount": 80})
    mapped(company, employee_id, profile_id)
    company.member.patch(f"/profiles/{profile_id}", {"calculations": {"meal_allowance": {"amount": 90}}})
    outputs = {row["system_type"]: row["outputs"] for row in listed(company, f"employees/{employee_id}")}
    assert outputs["meal_allowance"] == {"meal_allowance": "90.00"}


def test_records_that_are_not_there_are_not_found(company: Company) -> None:
    refused(company.member.get("/clients/9999999/profiles"), 404)
    refused(company.member.patch("/profiles/9999999", {"name": "x"}), 404)
    refused(company.member.delete("/profiles/9999999"), 404)
