"""GET /clients/:client_id/employees, with included records."""

from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from gaji.core import json_schemas
from gaji.people.employees.schemas import EMPLOYEE_SCHEMA
from tests.support.company import WEEKLY, Company
from tests.support.problems import assert_problem, field_errors

DOCUMENTED = json_schemas.list_schema("employee", EMPLOYEE_SCHEMA)
INCLUDES = ("service_periods", "recent_payslips", "recent_payslips_with_data", "wave_periods")


def test_it_works(company: Company) -> None:
    employee_id = company.hire()
    assert company.member.get(company.people).json() == [company.member.get(f"/employees/{employee_id}").json()]


def test_a_client_without_employees_has_an_empty_list(company: Company) -> None:
    assert company.member.get(company.people).json() == []


def test_the_list_is_complete_in_ascending_id_order_each_element_wrapped(company: Company) -> None:
    ids = [company.hire(first_name=name) for name in "dacb"]
    company.patch(ids[1], first_name="z")
    elements = company.member.get(company.people).json()
    assert [list(element) for element in elements] == [["employee"]] * 4
    assert [element["employee"]["id"] for element in elements] == ids


def test_the_list_is_that_of_one_client(company: Company) -> None:
    mine = company.hire()
    other = Company.of(company.member)
    other.hire()
    assert [employee["id"] for employee in company.listed()] == [mine]


def test_leavers_are_listed_too(company: Company) -> None:
    employee_id = company.hire()
    company.leave(employee_id)
    assert [employee["id"] for employee in company.listed()] == [employee_id]


def test_without_include_no_element_has_any_of_the_arrays(company: Company) -> None:
    company.hire()
    assert not set(company.listed()[0]) & set(INCLUDES)
    assert company.listed("?include=") == company.listed()


def test_include_service_periods_gives_all_of_them_wrapped(company: Company) -> None:
    first, second = company.hire(), company.hire()
    company.leave(first)
    company.act(first, "reinstate", appointment_date="2025-09-01")
    listed = company.listed("?include=service_periods")
    for employee, employee_id in zip(listed, (first, second), strict=True):
        assert employee["service_periods"] == company.member.get(f"/employees/{employee_id}/service_periods").json()
    assert [len(employee["service_periods"]) for employee in listed] == [2, 1]


def test_include_wave_periods_gives_them_wrapped_and_in_chronological_order(company: Company) -> None:
    employee_id = company.hire()
    weekly = company.wave(**WEEKLY)
    company.patch(employee_id, wave_id=weekly)
    [employee] = company.listed("?include=wave_periods")
    first, second = (element["wave_period"] for element in employee["wave_periods"])
    assert set(first) == {"employee_id", "wave_id", "start_date", "end_date"}
    assert (first["employee_id"], first["wave_id"], first["start_date"]) == (employee_id, company.wave_id, "2024-02-01")
    assert (second["employee_id"], second["wave_id"], second["end_date"]) == (employee_id, weekly, None)


@pytest.mark.parametrize("name", ["recent_payslips", "recent_payslips_with_data"])
def test_include_payslips_gives_empty_arrays_where_there_are_none(company: Company, name: str) -> None:
    company.leave(company.hire(appointment_date="2023-01-01"), "2023-06-30")  # before the first period of the wave
    assert company.listed(f"?include={name}")[0][name] == []


@pytest.mark.parametrize(
    "query",
    [
        "?include=service_periods,wave_periods",
        "?include=service_periods,%20wave_periods",
        "?include=wave_periods&include=service_periods",
        "?include=wave_periods,,service_periods,wave_periods",
    ],
)
def test_include_is_a_comma_separated_list(company: Company, query: str) -> None:
    company.hire()
    [employee] = company.listed(query)
    assert set(employee) & set(INCLUDES) == {"service_periods", "wave_periods"}


def test_all_four_can_be_included_at_once(company: Company) -> None:
    company.hire()
    [employee] = company.listed(f"?include={','.join(INCLUDES)}")
    assert set(INCLUDES) <= set(employee)
    assert {name: value for name, value in employee.items() if name not in INCLUDES} == company.listed()[0]


def test_included_records_match_the_documentation(company: Company) -> None:
    employee_id = company.hire()
    company.patch(employee_id, wave_id=company.wave(**WEEKLY))
    company.leave(employee_id)
    jsonschema.validate(company.member.get(f"{company.people}?include={','.join(INCLUDES)}").json(), DOCUMENTED)


def test_an_unknown_include_is_named(company: Company) -> None:
    assert field_errors(company.member.get(f"{company.people}?include=payslips,wave_periods,leave")) == {
        "include": "must be one of service_periods, recent_payslips, recent_payslips_with_data, wave_periods"
    }


def test_employees_are_paged_with_what_is_included(company: Company) -> None:
    ids = [company.hire() for _ in range(5)]
    answer = company.member.get(f"{company.people}?include=service_periods&page=2&per_page=2")
    employees: list[dict[str, Any]] = [element["employee"] for element in answer.json()]
    assert [employee["id"] for employee in employees] == ids[2:4]
    assert [len(employee["service_periods"]) for employee in employees] == [1, 1]
    assert answer.headers["x-total-count"] == "5"
    assert f"{company.people}?include=service_periods&page=3&per_page=2" in answer.headers["link"]


def test_the_list_of_a_client_that_does_not_exist_is_a_404(company: Company) -> None:
    assert_problem(company.member.get("/clients/999999999/employees"), 404)
