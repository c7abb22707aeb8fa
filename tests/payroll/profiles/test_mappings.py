"""Profile mappings: list, create, replace, update, delete."""

from typing import Any

import pytest

from tests.payroll.calculations.requests import assign_profile, create_profile, list_calculations
from tests.support.company import Company
from tests.support.problems import assert_problem, field_errors

FIELDS = ["id", "client_id", "employee_id", "profile_id", "calculations", "created_at", "updated_at"]


def list_mappings(company: Company, employee_id: int) -> list[dict[str, Any]]:
    elements = company.member.get(f"/employees/{employee_id}/profile_mappings").json()
    assert all(list(element) == ["profile_mapping"] for element in elements)
    return [element["profile_mapping"] for element in elements]


@pytest.fixture
def drivers(company: Company) -> int:
    """Create a profile with two calculations."""
    return create_profile(company, "Drivers", transport_allowance={"amount": 150}, union_fee={"amount": 5})


def test_a_profile_is_assigned_to_an_employee(company: Company, drivers: int) -> None:
    employee_id = company.hire()
    body = {"profile_id": str(drivers), "calculations": {"union_fee": False}}
    answer = company.member.post(f"/employees/{employee_id}/profile_mappings", body)
    assert answer.json() == {"message": "The profile mapping has been created", "id": answer.json()["id"]}
    [mapping] = list_mappings(company, employee_id)
    assert list(mapping) == FIELDS
    assert {name: mapping[name] for name in FIELDS[:5]} == {
        "id": answer.json()["id"],
        "client_id": company.id,
        "employee_id": employee_id,
        "profile_id": drivers,
        "calculations": {"transport_allowance": True, "union_fee": False},
    }
    assert [row["system_type"] for row in list_calculations(company, f"employees/{employee_id}")] == [
        "transport_allowance"
    ]


def test_put_replaces_and_patch_updates(company: Company, drivers: int) -> None:
    employee_id = company.hire()
    path = f"/profile_mappings/{assign_profile(company, employee_id, drivers, union_fee=False)}"
    answer = company.member.patch(path, {"calculations": {"transport_allowance": False}})
    assert answer.json() == {"message": "The profile mapping has been updated", "id": int(path[18:])}
    assert list_mappings(company, employee_id)[0]["calculations"] == {"transport_allowance": False, "union_fee": False}
    company.member.patch(path, {"calculations": {"union_fee": None}})
    assert list_mappings(company, employee_id)[0]["calculations"] == {"transport_allowance": False, "union_fee": True}
    assert company.member.call("PUT", path, json={"profile_id": drivers}).status_code == 200
    assert list_mappings(company, employee_id)[0]["calculations"] == {"transport_allowance": True, "union_fee": True}
    assert field_errors(company.member.call("PUT", path, json={})) == {"profile_id": "is required"}


def test_changing_the_profile_drops_switches_that_it_does_not_have(company: Company, drivers: int) -> None:
    employee_id = company.hire()
    mapping_id = assign_profile(company, employee_id, drivers, union_fee=False, transport_allowance=False)
    cooks = create_profile(company, "Cooks", union_fee={"amount": 9})
    assert company.member.patch(f"/profile_mappings/{mapping_id}", {"profile_id": cooks}).status_code == 200
    [mapping] = list_mappings(company, employee_id)
    assert (mapping["profile_id"], mapping["calculations"]) == (cooks, {"union_fee": False})


def test_every_error_is_reported(company: Company, drivers: int) -> None:
    employee_id = company.hire()
    path = f"/employees/{employee_id}/profile_mappings"
    elsewhere = create_profile(Company.of(company.member), "Elsewhere")
    assign_profile(company, employee_id, drivers)
    before = company.member.service.fingerprint()
    for body, expected in (
        ({}, {"profile_id": "is required"}),
        ({"profile_id": elsewhere}, {"profile_id": f"profile {elsewhere} does not exist in this client"}),
        ({"profile_id": drivers}, {"profile_id": f"the employee already has profile {drivers}"}),
        (
            {"profile_id": drivers, "calculations": 5},
            {
                "profile_id": f"the employee already has profile {drivers}",
                "calculations": "must be an object",
            },
        ),
        (
            {"profile_id": drivers, "calculations": {"union_fees": True, "union_fee": "maybe"}},
            {
                "profile_id": f"the employee already has profile {drivers}",
                "calculations.union_fees": f"is not a calculation of profile {drivers}; did you mean union_fee?",
                "calculations.union_fee": "must be true or false",
            },
        ),
    ):
        assert field_errors(company.member.post(path, body)) == expected
    assert company.member.service.fingerprint() == before


def test_a_listed_mapping_can_be_sent_back(company: Company, drivers: int) -> None:
    employee_id = company.hire()
    assign_profile(company, employee_id, drivers, union_fee=False)
    [before] = list_mappings(company, employee_id)
    answer = company.member.patch(f"/profile_mappings/{before['id']}", {"profile_mapping": before})
    assert set(answer.json()) == {"message", "id"}
    [after] = list_mappings(company, employee_id)
    assert {**after, "updated_at": before["updated_at"]} == before


def test_a_mapping_can_be_deleted(company: Company, drivers: int) -> None:
    employee_id = company.hire()
    mapping_id = assign_profile(company, employee_id, drivers)
    answer = company.member.delete(f"/profile_mappings/{mapping_id}")
    assert answer.json() == {"message": "The profile mapping has been deleted"}
    assert list_mappings(company, employee_id) == list_calculations(company, f"employees/{employee_id}") == []


def test_unknown_records_are_not_found(company: Company) -> None:
    assert_problem(company.member.get("/employees/9999999/profile_mappings"), 404)
    assert_problem(company.member.post("/employees/9999999/profile_mappings", {"profile_id": 1}), 404)
    assert_problem(company.member.call("PUT", "/profile_mappings/9999999", json={"profile_id": 1}), 404)
    assert_problem(company.member.patch("/profile_mappings/9999999", {}), 404)
    assert_problem(company.member.delete("/profile_mappings/9999999"), 404)
