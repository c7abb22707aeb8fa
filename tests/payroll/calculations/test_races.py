"""Concurrent changes of calculations and what they refer to."""

import pytest

from tests.payroll.calculations.requests import (
    create_item,
    create_profile,
    draft_id,
    list_calculations,
    post_calculation,
)
from tests.support.company import Company
from tests.support.problems import assert_problem, field_errors
from tests.support.races import while_changing


def test_a_concurrently_finalised_payslip_cannot_change(company: Company) -> None:
    employee_id = company.hire()
    payslip_id = draft_id(company, employee_id)
    answer = while_changing(
        company.member.service,
        "UPDATE payslips SET finalised = true, dirty = false WHERE id = $1",
        payslip_id,
        request=lambda: post_calculation(company, f"payslips/{payslip_id}", "bonus", amount=5),
    )
    assert "is finalised and cannot change" in assert_problem(answer, 409)["message"]
    assert list_calculations(company, f"payslips/{payslip_id}") == []


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ("UPDATE calculation_definitions SET input = 'rate_quantity' WHERE id = $1", "calculation_details.amount"),
        ("DELETE FROM calculation_definitions WHERE id = $1", "calc_type"),
    ],
)
def test_inputs_are_validated_against_a_concurrently_changed_custom_item(
    company: Company, change: str, path: str
) -> None:
    employee_id = company.hire()
    night = create_item(company, name="Night", kind="income", input="per_employee")
    answer = while_changing(
        company.member.service,
        change,
        night,
        request=lambda: post_calculation(company, f"employees/{employee_id}", night, amount=5),
    )
    assert list(field_errors(answer)) == [path]


def test_a_concurrently_deleted_profile_is_not_assigned(company: Company) -> None:
    employee_id = company.hire()
    drivers = create_profile(company, bonus={"amount": 5})
    answer = while_changing(
        company.member.service,
        "DELETE FROM profiles WHERE id = $1",
        drivers,
        request=lambda: company.member.post(f"/employees/{employee_id}/profile_mappings", {"profile_id": drivers}),
    )
    assert field_errors(answer) == {"profile_id": "was deleted by another request"}
