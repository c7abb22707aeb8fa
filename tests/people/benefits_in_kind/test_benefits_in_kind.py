"""GET and POST /employees/:id/benefits_in_kind, PATCH and DELETE /benefits_in_kind/:id."""

from typing import Any

import pytest

from tests.support.company import Company
from tests.support.problems import assert_problem, field_errors
from tests.support.running import Service, created

YEAR = {"provided_from": "2026-01-01", "provided_to": "2026-12-31"}
FLAT: dict[str, Any] = {
    **YEAR,
    "category": "residence",
    "address": "12 Tiong Bahru Road",
    "rent": "50000.00",
    "paid_by_employee": "6000.00",
}
CAR: dict[str, Any] = {**YEAR, "category": "car", "car_type": "new", "cost": "120000.00", "parf_rebate": "24000.00"}
UNSET = {
    "description": None,
    "amount": None,
    "annual_value": None,
    "private_km": None,
    "total_km": None,
    "car_type": None,
    "cost": None,
    "parf_rebate": None,
    "coe_months": None,
    "rental": None,
    "running_costs": None,
}


@pytest.fixture(scope="module")
def company(service: Service) -> Company:
    """One company for all tests here."""
    return Company.of(service.new_account())


@pytest.fixture(scope="module")
def employee_id(company: Company) -> int:
    """An employee without records."""
    return company.hire()


def listed(company: Company, employee_id: int, query: str = "") -> list[dict[str, Any]]:
    answer = company.member.get(f"/employees/{employee_id}/benefits_in_kind{query}")
    assert answer.status_code == 200, answer.text
    assert answer.headers["x-rules-version"]
    return [element["benefit_in_kind"] for element in answer.json()]


def post(company: Company, employee_id: int, body: dict[str, Any]) -> Any:
    return company.member.post(f"/employees/{employee_id}/benefits_in_kind", body)


def test_it_works(company: Company) -> None:
    employee_id = company.hire()
    answer = post(company, employee_id, {"benefit_in_kind": FLAT})
    benefit_id = answer.json()["id"]
    assert answer.json() == {"message": "The benefit in kind has been created", "id": benefit_id}
    [benefit] = listed(company, employee_id)
    shown = {name: value for name, value in benefit.items() if name not in ("created_at", "updated_at")}
    assert shown == {
        "id": benefit_id,
        "employee_id": employee_id,
        **FLAT,
        **UNSET,
        "employees_sharing": 1,
        "furnishing": "none",
        "taxable_value": "44000.00",
        "rule": "A rented residence is taxed at the rent that the employer pays, less what the employee pays.",
        "arithmetic": ["floor_cents(50000.00 ÷ 1) = 50000.00", "max(50000.00 − 6000.00, 0.00) = 44000.00"],
    }
    path = f"/benefits_in_kind/{benefit_id}"
    assert company.member.patch(path, {"employees_sharing": 2}).json()["message"] == (
        "The benefit in kind has been updated"
    )
    assert listed(company, employee_id)[0]["taxable_value"] == "19000.00"
    assert listed(company, employee_id, "?year=2025") == []
    assert len(listed(company, employee_id, "?year=2026&page=1&per_page=1")) == 1
    assert company.member.delete(path).json() == {"message": "The benefit in kind has been deleted"}
    assert listed(company, employee_id) == []


def test_changing_the_category_drops_what_no_longer_applies(company: Company) -> None:
    employee_id = company.hire()
    benefit_id = created(post(company, employee_id, CAR | {"running_costs": "10450.00"}))
    assert listed(company, employee_id)[0]["taxable_value"] == "8592.86"
    answer = company.member.patch(f"/benefits_in_kind/{benefit_id}", {"category": "holiday", "amount": "100.00"})
    assert answer.status_code == 200, answer.text
    [benefit] = listed(company, employee_id)
    assert (benefit["taxable_value"], benefit["car_type"], benefit["cost"]) == ("100.00", None, None)


@pytest.mark.parametrize(
    ("body", "errors"),
    [
        ({}, {"category": "is required", "provided_from": "is required", "provided_to": "is required"}),
        (
            YEAR | {"category": "driver", "private_km": 9, "total_km": 8, "rent": 5},
            {
                "amount": "is required when category is driver",
                "private_km": "must be at most total_km",
                "rent": "is only allowed when category is residence",
            },
        ),
        (YEAR | {"category": "other", "amount": "-1"}, {"amount": "must not be negative", "description": ...}),
        (YEAR | {"category": "residence"}, {"address": ..., "rent": "is required unless annual_value is given"}),
        (FLAT | {"annual_value": 1}, {"annual_value": "must be absent if rent is given"}),
        (
            FLAT | {"provided_from": "2018-01-01", "provided_to": "2018-12-31"},
            {"annual_value": "is required for every residence of 2018"},
        ),
        (
            FLAT | {"provided_to": "2025-12-31"},
            {"provided_to": "must not be before provided_from 2026-01-01"},
        ),
        (FLAT | {"provided_from": "2025-12-31"}, {"provided_to": "must be in the same calendar year as provided_from"}),
        (
            CAR | {"provided_from": "2018-01-01", "provided_to": "2018-12-31"},
            {
                "provided_to": "December 2018 cannot be calculated: the figures of benefits in kind are known from "
                "January 2019 to December 2027"
            },
        ),
        (YEAR | {"category": "car"}, {"car_type": "is required when category is car"}),
        (CAR | {"parf_rebate": "120000.01"}, {"parf_rebate": "must be at most cost"}),
        (
            CAR | {"car_type": "second_hand", "rental": 1},
            {"coe_months": "is required when car_type is second_hand", "rental": ...},
        ),
        (CAR | {"car_type": "leased"}, {"rental": ..., "cost": ..., "parf_rebate": ...}),
        (YEAR | {"category": "yacht", "employees_sharing": 0}, {"category": ..., "employees_sharing": ...}),
    ],
)
def test_every_error_is_reported_and_nothing_is_saved(
    company: Company, employee_id: int, body: dict[str, Any], errors: dict[str, Any]
) -> None:
    reported = field_errors(post(company, employee_id, body))
    assert reported.keys() == errors.keys()
    assert {path: message for path, message in errors.items() if message is not ...}.items() <= reported.items()
    assert listed(company, employee_id) == []


def test_at_most_ten_residences_in_a_year(company: Company) -> None:
    employee_id = company.hire()
    for _ in range(10):
        last = created(post(company, employee_id, FLAT))
    assert field_errors(post(company, employee_id, FLAT)) == {
        "category": "an employee can have at most 10 residences in 2026"
    }
    assert company.member.patch(f"/benefits_in_kind/{last}", {"rent": "1.00"}).status_code == 200
    assert post(company, employee_id, CAR).status_code == 200


def test_unknown_records_and_readers(company: Company, employee_id: int) -> None:
    assert_problem(company.member.get("/employees/999999999/benefits_in_kind"), 404)
    assert_problem(company.member.patch("/benefits_in_kind/999999999", {}), 404)
    assert_problem(company.member.delete("/benefits_in_kind/999999999"), 404)
    viewer = company.member.colleague(company.id, "viewer")
    assert_problem(viewer.post(f"/employees/{employee_id}/benefits_in_kind", FLAT), 403)
