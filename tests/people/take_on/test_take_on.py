"""GET and PUT /employees/:id/take_on_balances."""

from typing import Any

import pytest

from gaji.core import clock
from gaji.core.constants import CONSTANT_LISTS
from tests.leave.people import leave_types
from tests.support.company import Company
from tests.support.problems import assert_problem, field_errors

AMOUNTS = (
    "ordinary_wages",
    "ordinary_wages_subject",
    "additional_wages",
    "additional_wages_subject",
    "cpf_employee",
    "cpf_employer",
)
BALANCES: dict[str, Any] = {
    "year": 2026,
    "ordinary_wages": "30000.00",
    "ordinary_wages_subject": "28000.50",
    "additional_wages": "5000.00",
    "additional_wages_subject": "5000.00",
    "cpf_employee": "6600.00",
    "cpf_employer": "5610.00",
    "ir8a": {"a": "30000.00", "b": "5000.00", "d1_transport": "0.05"},
}


@pytest.fixture
def employee_id(company: Company) -> int:
    """An employee."""
    return company.hire()


def put(company: Company, employee_id: int, **supplied: Any) -> Any:
    return company.member.call("PUT", f"/employees/{employee_id}/take_on_balances", json=supplied)


def read(company: Company, employee_id: int) -> dict[str, Any]:
    balances: dict[str, Any] = company.member.get(f"/employees/{employee_id}/take_on_balances").json()
    return balances


def test_it_works(company: Company, employee_id: int) -> None:
    types = leave_types(company.member, company.id).values()
    balances = BALANCES | {"leave": dict(zip(map(str, types), ("3.5", "-1", "0"), strict=False))}
    assert put(company, employee_id, **balances).json() == {
        "message": "The take-on balances have been saved",
        "id": employee_id,
    }
    assert read(company, employee_id) == balances


def test_without_any_they_are_zero_for_this_year(company: Company, employee_id: int) -> None:
    assert read(company, employee_id) == {
        "year": clock.today().year,
        **dict.fromkeys(AMOUNTS, "0.00"),
        "ir8a": {},
        "leave": {},
    }


def test_a_put_replaces_all_of_them(company: Company, employee_id: int) -> None:
    put(company, employee_id, **BALANCES)
    put(company, employee_id, year=2025, cpf_employee=12.5)
    assert read(company, employee_id) == {
        "year": 2025,
        **dict.fromkeys(AMOUNTS, "0.00"),
        "cpf_employee": "12.50",
        "ir8a": {},
        "leave": {},
    }


@pytest.mark.parametrize(("supplied", "stored"), [(1, "1.00"), (1.1, "1.10"), ("1.1", "1.10"), ("9999999999.99",) * 2])
def test_amounts_are_numbers_or_decimal_texts(
    company: Company, employee_id: int, supplied: object, stored: str
) -> None:
    put(company, employee_id, year=2026, cpf_employer=supplied)
    assert read(company, employee_id)["cpf_employer"] == stored


@pytest.mark.parametrize("item", [entry.value for entry in CONSTANT_LISTS["ir8a_item"]])
def test_every_item_of_the_ir8a_can_have_an_amount(company: Company, employee_id: int, item: str) -> None:
    put(company, employee_id, year=2026, ir8a={item: "7.00"})
    assert read(company, employee_id)["ir8a"] == {item: "7.00"}


def test_every_error_is_named_and_nothing_is_saved(company: Company, employee_id: int) -> None:
    put(company, employee_id, **BALANCES)
    before = company.member.service.fingerprint()
    answer = put(
        company,
        employee_id,
        year=1999,
        ordinary_wages="100.00",
        ordinary_wages_subject="100.01",
        additional_wages=-1,
        additional_wages_subject="1.005",
        cpf_employee="many",
        cpf_employer="10000000000",
        ir8a={"z": "1.00", "a": "-1.00"},
        leave={"annual": "1", "1": "much", "2": "10001", "3": True, "4": "1e1000000"},
    )
    assert field_errors(answer) == {
        "year": "must be from 2000 to 2199",
        "ordinary_wages_subject": "must be at most ordinary_wages",
        "additional_wages": "must not be negative",
        "additional_wages_subject": "must have at most 2 decimals",
        "cpf_employee": "must be an amount such as 1234.50",
        "cpf_employer": "must be at most 9999999999.99",
        "ir8a.z": "is not in the list /constants/ir8a_item",
        "ir8a.a": "must not be negative",
        "leave.annual": "must be the ID of a leave type",
        "leave.1": "must be a number of days from -10000 to 10000",
        "leave.2": "must be a number of days from -10000 to 10000",
        "leave.3": "must be a number of days from -10000 to 10000",
        "leave.4": "must be a number of days from -10000 to 10000",
    }
    assert company.member.service.fingerprint() == before


def test_leave_is_of_types_that_the_client_has(company: Company, employee_id: int) -> None:
    other = Company.of(company.member)
    foreign = leave_types(other.member, other.id)["annual_leave"]
    known = leave_types(company.member, company.id)["annual_leave"]
    before = company.member.service.fingerprint()
    answer = put(company, employee_id, year=1999, leave={str(known): 1, str(foreign): 2, "99999999999": 3, "x": 4})
    assert field_errors(answer) == {
        "year": "must be from 2000 to 2199",
        f"leave.{foreign}": f"leave type {foreign} does not exist in this client",
        "leave.99999999999": "leave type 99999999999 does not exist in this client",
        "leave.x": "must be the ID of a leave type",
    }
    assert company.member.service.fingerprint() == before


def test_the_year_is_required(company: Company, employee_id: int) -> None:
    assert field_errors(put(company, employee_id)) == {"year": "is required"}


def test_an_unknown_attribute_is_named_and_the_wrapper_is_accepted(company: Company, employee_id: int) -> None:
    answer = put(company, employee_id, take_on_balances={"year": 2026, "bonus": 5})
    assert answer.json()["warnings"] == {"bonus": "Unknown attribute, ignored."}


@pytest.mark.parametrize("value", [[], "a", 5])
def test_ir8a_and_leave_are_objects(company: Company, employee_id: int, value: object) -> None:
    assert field_errors(put(company, employee_id, year=2026, ir8a=value, leave=value)) == {
        "ir8a": "must be an object",
        "leave": "must be an object",
    }


def test_an_employee_who_does_not_exist_is_a_404(company: Company) -> None:
    assert_problem(company.member.get("/employees/999999999/take_on_balances"), 404)
    assert_problem(put(company, 999_999_999, year=2026), 404)


def test_a_viewer_cannot_put(company: Company, employee_id: int) -> None:
    viewer = company.member.colleague(company.id, "viewer")
    before = company.member.service.fingerprint()
    assert_problem(viewer.call("PUT", f"/employees/{employee_id}/take_on_balances", json={"year": 2026}), 403)
    assert company.member.service.fingerprint() == before
