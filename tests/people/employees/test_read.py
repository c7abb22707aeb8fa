"""GET /employees/:id: the read form."""

from datetime import datetime

import pytest

from gaji.people.employees.schemas import EMPLOYEE, EmployeeAddress
from tests.support.company import BANK_ACCOUNT, MONTHLY, Company
from tests.support.problems import assert_problem, field_errors

NO_ADDRESS = dict.fromkeys(EmployeeAddress.__struct_fields__)
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
        "tax_resident": True,
        "business_owner": False,
        "enabling_employment_credit_from": None,
        "enabling_new_hire": False,
        "uplifting_employment_credit_from": None,
        "days_in_singapore": {},
        "email": None,
        "job_title": None,
        "pay_point_id": None,
        "wave_id": company.wave_id,
        "appointment_date": "2024-02-01",
        "physical_address": NO_ADDRESS,
        "custom_fields": {},
        "external_id": None,
        "metadata": {},
        "nric": "S1234567D",
        "fin": None,
        "malaysian_ic": None,
        "passport_number": None,
        "bank_account": BANK_ACCOUNT,
        "paynow": None,
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
    answer = company.member.get(f"/employees/{company.hire()}", params={"include": "service_periods"})
    assert list(field_errors(answer)) == ["include"]


@pytest.mark.parametrize("employee_id", ["0", "999999999", "abc", "1.5", "-1", "9" * 30])
def test_an_employee_who_does_not_exist_is_a_404(company: Company, employee_id: str) -> None:
    assert_problem(company.member.get(f"/employees/{employee_id}"), 404)


def test_an_employee_without_an_address_reads_an_object_with_null_fields(company: Company) -> None:
    employee_id = company.hire()
    local = ("block_no", "st_name", "level_no", "unit_no", "postal_code")
    unformatted = ("address_line1", "address_line2", "address_line3", "tx_uf_postal_code", "country_code")
    names = ("type", *local, *unformatted)
    employee = company.employee(employee_id)
    assert employee["physical_address"] == dict.fromkeys(names)
    assert company.listed()[0]["physical_address"] == dict.fromkeys(names)
    # What was read can be sent back.
    assert company.patch(employee_id, **{name: employee[name] for name in ("physical_address", "email")}).json()["id"]
    assert company.employee(employee_id)["physical_address"] == dict.fromkeys(names)
    address = {"type": "L", "st_name": "Bedok North Road"}
    assert company.patch(employee_id, physical_address=address).status_code == 200
    assert company.employee(employee_id)["physical_address"] == {**dict.fromkeys(names), **address}
    assert company.patch(employee_id, physical_address=dict.fromkeys(names)).status_code == 200
    assert company.employee(employee_id)["physical_address"] == dict.fromkeys(names)
    assert field_errors(company.patch(employee_id, physical_address={})) == {"physical_address.type": "is required"}


def test_employees_do_not_see_the_marks_for_wage_offsets(company: Company) -> None:
    employee_id = company.hire(business_owner=True, uplifting_employment_credit_from="2026-01-01")
    own = company.member.colleague(company.id, "employee", employee_id)
    seen = own.get(f"/employees/{employee_id}").json()["employee"]
    full = company.employee(employee_id)
    assert {name for name in full if seen[name] != full[name]} >= {"business_owner", "uplifting_employment_credit_from"}
    assert (seen["business_owner"], seen["uplifting_employment_credit_from"]) == (None, None)
    assert full["business_owner"] is True
