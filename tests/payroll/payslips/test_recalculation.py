"""Changes that affect many drafts: the drafts are marked as dirty, and a job calculates them."""

import time
from typing import Any

import pytest

from gaji.payroll.payslips.calculation import THREAD_THRESHOLD
from tests.payroll.calculations.requests import create_item
from tests.payroll.payslips.slips import detail, draft, enter, slips
from tests.support.company import Company

WAIT_S = 60


def calculated(company: Company, employee_id: int) -> dict[str, Any]:
    """The one payslip of an employee once it is calculated."""
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        [found] = slips(company, employee_id)
        if not found["dirty"]:
            return found
        time.sleep(0.05)
    raise AssertionError("the draft still waits for calculation")


def pay_later(company: Company, days: int) -> None:
    """Let the company's wave pay some days after its periods, which all drafts go by."""
    pay_dates = {"enabled": True, "type": "relative", "days_offset": days, "when": "after"}
    answer = company.member.patch(f"/waves/{company.wave_id}", {"pay_dates": pay_dates})
    assert answer.status_code == 200, answer.text


@pytest.fixture
def large(company: Company) -> tuple[Company, list[int]]:
    """A company with more drafts than are calculated at once."""
    company.member.patch(f"/clients/{company.id}", {"features": {"pay_dates": True}})
    return company, [company.hire(appointment_date="2026-01-01") for _ in range(THREAD_THRESHOLD + 1)]


def test_it_works(large: tuple[Company, list[int]]) -> None:
    company, people = large
    enter(company, f"employees/{people[0]}", "basic_salary", fixed_amount="4200.00")
    pay_later(company, 3)
    assert calculated(company, people[0])["nett_pay"] == 3358.50
    for employee_id in people:
        calculated(company, employee_id)
    rows = company.member.service.as_owner(
        "SELECT DISTINCT pay_date::text FROM payslips WHERE client_id = $1", company.id
    )
    assert rows == [{"pay_date": "2026-02-03"}]


def test_a_dirty_draft_shows_no_nett_pay_and_is_calculated_when_it_is_read(company: Company) -> None:
    employee_id = company.hire(appointment_date="2026-01-01")
    enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount="4200.00")
    payslip_id = draft(company, employee_id)
    make_wait(company, payslip_id)
    [found] = slips(company, employee_id)
    assert found["dirty"]
    assert "nett_pay" not in found
    answer = company.member.get(f"/payslips/{payslip_id}")
    assert answer.json()["payslip"]["grand_total"] == [["nett_pay", "3358.50"]]
    assert answer.headers["X-Rules-Version"]
    told = company.member.get(f"/payslips/{payslip_id}/explanation").json()["explanation"]
    assert told[-1]["amount"] == "3358.50"


def test_inputs_are_validated_with_the_current_custom_items(company: Company) -> None:
    employee_id = company.hire(appointment_date="2026-01-01")
    where = f"employees/{employee_id}"
    enter(company, where, "basic_salary", fixed_amount="4000.00")
    rule = {"kind": "allowance", "input": "formula", "cpf": "none", "taxable": True}
    tenth = str(create_item(company, name="Tenth", **rule, formula="basic_salary * 0.1"))
    enter(company, where, tenth)  # the draft was calculated before there was such an item
    assert lines(company, employee_id)[tenth] == "400.00"
    changed = company.member.patch(f"/calculation_definitions/{tenth}", {"formula": "basic_salary * 0.2"})
    assert changed.status_code == 200, changed.text
    enter(company, where, "basic_salary", fixed_amount="5000.00")
    assert lines(company, employee_id)[tenth] == "1000.00"


def lines(company: Company, employee_id: int) -> dict[str, str]:
    """The income of an employee's draft by item."""
    return {str(name): amount for name, amount in detail(company, draft(company, employee_id))["income"]}


def test_the_employees_with_payslip_data_are_not_answered_while_some_wait(company: Company) -> None:
    employee_id = company.hire(appointment_date="2026-01-01")
    make_wait(company, draft(company, employee_id))
    answer = company.member.get(f"{company.people}?include=recent_payslips_with_data")
    assert answer.status_code == 202
    assert answer.json() == {"message": "Some payslips are still being calculated; try again shortly"}
    answer = company.member.get(f"{company.people}?include=recent_payslips")
    assert answer.status_code == 200
    [element] = answer.json()[0]["employee"]["recent_payslips"]
    assert element["payslip"]["dirty"]
    assert "nett_pay" not in element["payslip"]


def make_wait(company: Company, payslip_id: int) -> None:
    """Mark a draft behind the API, as a change of the client does."""
    company.member.service.as_owner("UPDATE payslips SET dirty = true, lines = '{}' WHERE id = $1", payslip_id)


def test_an_allowance_of_the_gross_rate_is_prorated_unless_the_client_pays_it_in_full(company: Company) -> None:
    employee_id = company.hire(appointment_date="2026-06-15")
    enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount="3000.00")
    enter(company, f"employees/{employee_id}", "other_allowance", amount="300.00")
    payslip_id = draft(company, employee_id)
    assert detail(company, payslip_id)["income"] == [
        ["basic_salary", "1636.36"],
        ["other_allowance", "163.64"],
        ["total", "1800.00"],
    ]
    company.member.patch(f"/clients/{company.id}", {"prorate_allowances": False})
    assert ["other_allowance", "300.00"] in detail(company, payslip_id)["income"]
    company.member.patch(f"/clients/{company.id}", {"prorate_allowances": True})
    assert ["other_allowance", "163.64"] in detail(company, payslip_id)["income"]


def test_a_preview_follows_the_clients_proration(company: Company) -> None:
    body = {
        "employee": {"birthdate": "1990-01-01", "legal_status": "CITIZEN"},
        "period_end_date": "2026-06-30",
        "service": {"start_date": "2026-06-15"},
        "calculations": [{"calc_type": "other_allowance", "calculation_details": {"amount": "300.00"}}],
    }
    for prorated, amount in ((True, "163.64"), (False, "300.00")):
        company.member.patch(f"/clients/{company.id}", {"prorate_allowances": prorated})
        answer = company.member.post(f"/clients/{company.id}/payslip_preview", body).json()
        assert ["other_allowance", amount] in answer["payslip"]["income"]
