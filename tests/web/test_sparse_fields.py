"""Sparse fields: `fields=` limits the attributes of the records in lists and reads of one record."""

import pytest

from gaji.app import OPERATIONS
from tests.support.company import Company
from tests.support.problems import assert_problem

SPARSE = {operation.path for operation in OPERATIONS if operation.record_form}


def test_a_list_has_only_the_selected_attributes_in_their_usual_order(company: Company) -> None:
    employee_id = company.hire()
    employee = company.employee(employee_id)
    response = company.member.get(f"{company.people}?fields=wave_id,number")
    assert response.text == (
        f'[{{"employee":{{"id":{employee_id},"number":"{employee["number"]}","wave_id":{company.wave_id}}}}}]'
    )


def test_values_are_those_of_the_complete_record(company: Company) -> None:
    employee_id = company.hire()
    employee = company.employee(employee_id)
    query = "fields=nric,physical_address&fields=created_at"
    sparse = company.member.get(f"/employees/{employee_id}?{query}").json()["employee"]
    assert sparse == {name: employee[name] for name in ("id", "nric", "physical_address", "created_at")}


def test_included_records_stay(company: Company) -> None:
    company.hire()
    [employee] = company.listed("?fields=number&include=service_periods")
    assert list(employee) == ["id", "number", "service_periods"]


def test_elements_that_are_not_wrapped_are_reduced_too(company: Company) -> None:
    employee_id = company.hire()
    path = f"/employees/{employee_id}/inherited_calculations"
    [hours] = company.member.get(path).json()
    assert company.member.get(f"{path}?fields=inputs").json() == [{"id": hours["id"], "inputs": hours["inputs"]}]
    read = company.member.get(f"/inherited_calculations/{hours['id']}?fields=short_name")
    assert read.json() == {"id": hours["id"], "short_name": "week_hours"}


def test_both_formats_of_waves_are_reduced(company: Company) -> None:
    path, wave = f"/clients/{company.id}/waves?fields=name,frequency,length_months", {"id": company.wave_id}
    full, simplified = (company.member.get(path + extra).json()[0]["wave"] for extra in ("", "&format=simplified"))
    assert full == wave | {"length_months": 1, "name": full["name"]}
    assert simplified == wave | {"frequency": "monthly", "name": full["name"]}


def test_paging_and_filters_apply_as_usual(company: Company) -> None:
    for name in ("Ann", "Bob", "Ann"):
        company.hire(first_name=name)
    response = company.member.get(f"{company.people}?fields=first_name&search=ann&per_page=1")
    assert response.headers["x-total-count"] == "2"
    assert "fields=first_name" in response.headers["link"]
    assert [element["employee"]["first_name"] for element in response.json()] == ["Ann"]


def test_an_unknown_attribute_is_rejected(company: Company) -> None:
    problem = assert_problem(company.member.get(f"{company.people}?fields=number,nubmer"), 422)
    assert [(error["path"], error["code"]) for error in problem["error_details"]] == [("fields", "not_allowed")]


def test_without_names_every_attribute_is_returned(company: Company) -> None:
    company.hire()
    assert company.member.get(f"{company.people}?fields=").json() == company.member.get(company.people).json()


def test_the_entity_tag_is_that_of_the_sparse_record(company: Company) -> None:
    path = f"/employees/{company.hire()}"
    sparse = company.member.get(f"{path}?fields=number")
    assert sparse.headers["etag"] != company.member.get(path).headers["etag"]
    again = company.member.get(f"{path}?fields=number", headers={"If-None-Match": sparse.headers["etag"]})
    assert again.status_code == 304


@pytest.mark.parametrize(
    "path",
    [
        "/clients",
        "/clients/{client_id}",
        "/clients/{client_id}/pay_points",
        "/clients/{client_id}/waves",
        "/clients/{client_id}/payment_runs",
        "/payment_runs/{payment_run_id}",
        "/payslips/{payslip_id}",
        "/employees/{employee_id}/calculations",
        "/employees/{employee_id}/leave_days",
    ],
)
def test_lists_and_reads_of_one_record_have_the_parameter(path: str) -> None:
    assert path in SPARSE
