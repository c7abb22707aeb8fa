"""DELETE /employees/:id."""

import pytest

from tests.support.company import WEEKLY, Company
from tests.support.problems import assert_problem

TABLES = ("employees", "service_periods", "wave_periods", "take_on_balances")


def test_it_works(company: Company) -> None:
    employee_id = company.hire()
    assert company.member.delete(f"/employees/{employee_id}").json() == {"message": "The employee has been deleted"}
    assert_problem(company.member.get(f"/employees/{employee_id}"), 404)
    assert_problem(company.member.delete(f"/employees/{employee_id}"), 404)
    assert company.listed() == []


def test_only_the_records_of_the_employee_are_deleted(company: Company) -> None:
    service = company.member.service
    company.hire()
    before = {table: service.fingerprint()[table] for table in TABLES}
    employee_id = company.hire()
    company.patch(employee_id, wave_id=company.wave(**WEEKLY))
    company.leave(employee_id)
    company.member.call("PUT", f"/employees/{employee_id}/take_on_balances", json={"year": 2026})
    assert {table: service.fingerprint()[table] for table in TABLES} != before
    company.member.delete(f"/employees/{employee_id}")
    assert {table: service.fingerprint()[table] for table in TABLES} == before


def test_an_nric_can_be_used_again(company: Company) -> None:
    employee_id = company.hire(nric="S1234567D")
    company.member.delete(f"/employees/{employee_id}")
    assert company.hire(nric="S1234567D") > employee_id


def test_a_viewer_cannot_delete(company: Company) -> None:
    employee_id = company.hire()
    viewer = company.member.colleague(company.id, "viewer")
    assert_problem(viewer.delete(f"/employees/{employee_id}"), 403)
    assert company.employee(employee_id)


@pytest.mark.parametrize("employee_id", ["0", "999999999", "abc"])
def test_an_employee_who_does_not_exist_is_a_404(company: Company, employee_id: str) -> None:
    assert_problem(company.member.delete(f"/employees/{employee_id}"), 404)
