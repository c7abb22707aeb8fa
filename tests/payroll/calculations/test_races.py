"""Entering what someone else is changing at the same moment."""

import pytest

from tests.payroll.calculations.entered import draft, enter, item, listed, profile
from tests.support.company import Company
from tests.support.problems import faults, refused
from tests.support.races import while_changing


def test_a_payslip_that_is_just_being_finalised_takes_nothing_more(company: Company) -> None:
    employee_id = company.hire()
    payslip_id = draft(company, employee_id)
    answer = while_changing(
        company.member.service,
        "UPDATE payslips SET finalised = true, dirty = false WHERE id = $1",
        payslip_id,
        request=lambda: enter(company, f"payslips/{payslip_id}", "bonus", amount=5),
    )
    assert "is finalised and cannot change" in refused(answer, 409)["message"]
    assert listed(company, f"payslips/{payslip_id}") == []


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ("UPDATE calculation_definitions SET input = 'rate_quantity' WHERE id = $1", "calculation_details.amount"),
        ("DELETE FROM calculation_definitions WHERE id = $1", "calc_type"),
    ],
)
def test_what_is_entered_for_a_custom_item_fits_what_it_has_just_become(
    company: Company, change: str, path: str
) -> None:
    employee_id = company.hire()
    night = item(company, name="Night", kind="income", input="per_employee")
    answer = while_changing(
        company.member.service,
        change,
        night,
        request=lambda: enter(company, f"employees/{employee_id}", night, amount=5),
    )
    assert list(faults(answer)) == [path]


def test_a_profile_that_is_just_being_deleted_is_given_to_nobody(company: Company) -> None:
    employee_id = company.hire()
    drivers = profile(company, bonus={"amount": 5})
    answer = while_changing(
        company.member.service,
        "DELETE FROM profiles WHERE id = $1",
        drivers,
        request=lambda: company.member.post(f"/employees/{employee_id}/profile_mappings", {"profile_id": drivers}),
    )
    assert faults(answer) == {"profile_id": "has just been deleted from this client"}
