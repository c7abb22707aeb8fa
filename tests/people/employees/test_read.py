"""GET /employees/:id: the read form."""

from datetime import datetime

import pytest

from gaji.people.employees.schemas import EMPLOYEE
from tests.support.company import BANK_ACCOUNT, MONTHLY, Company
from tests.support.problems import assert_problem

WRITABLE = {attribute.name for attribute in EMPLOYEE.attributes}


def test_it_works(company: Company) -> None:
    employee_id = company.hire(nric="S1234567D", payment_method="eft_manual", bank_account=BANK_ACCOUNT)
    employee = company.employee(employee_id)
    for name in ("created_at", "updated_at"):
        assert employee.pop(name).endswith("+08:00")
    assert employee == {
        "id": employee_id,
        "client_id": company.id,
        "number": "1",
        "first_name": "Mei Ling",
        "last_name": "Tan",
        "name_format": 1,
        "payment_method": "eft_manual",
        "birthdate": "1990-04-12",
        "legal_status": "CITIZEN",
        "nationality": None,
        "pr_date": None,
        "citizenship_date": None,
        "pr_cpf_rates": "GG",
        "gender": "F",
        "race": "CHINESE",
        "religion": "NONE",
        "sdl_exempt": False,
        "cpf_exempt": False,
        "work_pass": None,
        "pass_from": None,
        "pass_to": None,
        "employment_act_group": "non_workman",
        "email": None,
        "job_title": None,
        "pay_point_id": None,
        "wave_id": company.wave_id,
        "appointment_date": "2024-02-01",
        "physical_address": None,
        "custom_fields": {},
        "nric": "S1234567D",
        "fin": None,
        "malaysian_ic": None,
        "passport_number": None,
        "bank_account": BANK_ACCOUNT,
    }


def test_it_has_every_write_attribute_and_what_the_service_adds(company: Company) -> None:
    assert set(company.employee(company.hire())) == WRITABLE | {"id", "client_id", "created_at", "updated_at"}


def test_timestamps_carry_the_offset_of_singapore(company: Company) -> None:
    employee_id = company.hire()
    first = company.employee(employee_id)
    assert first["created_at"] == first["updated_at"]
    company.patch(employee_id, job_title="Accountant")
    changed = company.employee(employee_id)
    assert changed["created_at"] == first["created_at"]
    assert datetime.fromisoformat(changed["updated_at"]) > datetime.fromisoformat(first["updated_at"])


def test_the_wave_is_that_of_the_open_wave_period_and_the_appointment_that_of_the_latest_service(
    company: Company,
) -> None:
    employee_id = company.hire()
    other = company.wave(**MONTHLY)
    company.patch(employee_id, wave_id=other)
    company.leave(employee_id)
    company.act(employee_id, "reinstate", appointment_date="2025-09-01")
    employee = company.employee(employee_id)
    assert (employee["wave_id"], employee["appointment_date"]) == (other, "2025-09-01")


def test_the_id_is_the_services_own_not_the_payroll_number(company: Company) -> None:
    employee_id = company.hire()
    number = employee_id + 1_000_000
    company.patch(employee_id, number=str(number))
    assert company.employee(employee_id)["number"] == str(number)
    assert_problem(company.member.get(f"/employees/{number}"), 404)


def test_include_is_for_lists_only(company: Company) -> None:
    employee_id = company.hire()
    plain = company.member.get(f"/employees/{employee_id}")
    assert company.member.get(f"/employees/{employee_id}?include=service_periods").content == plain.content


@pytest.mark.parametrize("employee_id", ["0", "999999999", "abc", "1.5", "-1", "9" * 30])
def test_an_employee_who_does_not_exist_is_a_404(company: Company, employee_id: str) -> None:
    assert_problem(company.member.get(f"/employees/{employee_id}"), 404)
