"""POST /clients/:client_id/payslip_preview"""

from typing import Any

import httpx
import pytest

from tests.payroll.payslips.slips import detail, enter, finalise
from tests.support.company import WEEKLY, Company
from tests.support.problems import field_errors
from tests.support.running import created

CITIZEN = {"birthdate": "1990-04-12", "legal_status": "CITIZEN", "race": "CHINESE"}
SALARY = {"calc_type": "basic_salary", "calculation_details": {"fixed_amount": "4200.00"}}


def ask(company: Company, **given: Any) -> httpx.Response:
    body = {"employee": CITIZEN, "period_end_date": "2026-01-31", "calculations": [SALARY], **given}
    body = {name: value for name, value in body.items() if value is not None}
    return company.member.post(f"/clients/{company.id}/payslip_preview", body)


def previewed(company: Company, **given: Any) -> dict[str, Any]:
    answer = ask(company, **given)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_it_works(company: Company) -> None:
    before = company.member.service.fingerprint()
    answer = ask(company)
    assert answer.status_code == 200, answer.text
    assert answer.json()["payslip"] == {
        "income": [["basic_salary", "4200.00"], ["total", "4200.00"]],
        "deduction": [["cpf_employee", "840.00"], ["cdac", "1.50"], ["total", "841.50"]],
        "grand_total": [["nett_pay", "3358.50"]],
        "sideline": [["employer_contribution", [["cpf_employer", "714.00"], ["sdl", "10.50"]]]],
        "leave": {},
    }
    assert answer.json().keys() == {"payslip", "explanation", "attention", "remarks"}
    assert answer.headers["X-Rules-Version"]
    assert company.member.service.fingerprint() == before


def test_the_explanation_covers_every_line_and_total(company: Company) -> None:
    found = previewed(company)
    slip = found["payslip"]
    lines = [*slip["income"], *slip["deduction"], *slip["sideline"][0][1], *slip["grand_total"]]
    assert [[one["item"], one["amount"]] for one in found["explanation"]] == lines
    for one in found["explanation"]:
        assert one["rule"]
        assert one["arithmetic"]


def test_a_person_requires_only_birthdate_and_legal_status(company: Company) -> None:
    found = previewed(company, employee={"birthdate": "1990-04-12", "legal_status": "CITIZEN"})
    assert found["payslip"]["deduction"] == [["cpf_employee", "840.00"], ["total", "840.00"]]
    assert field_errors(ask(company, employee={})) == {
        "employee.birthdate": "is required",
        "employee.legal_status": "is required",
    }


def test_without_calculations_nothing_is_paid(company: Company) -> None:
    assert previewed(company, calculations=None)["payslip"]["grand_total"] == [["nett_pay", "0.00"]]


def test_service_makes_the_month_incomplete(company: Company) -> None:
    # January 2026 has 22 working days from Monday to Friday, of which 10 are from the 19th on.
    found = previewed(company, service={"start_date": "2026-01-19"})
    assert found["payslip"]["income"][0] == ["basic_salary", "1909.09"]
    assert previewed(company, service={"end_date": "2026-01-18"})["payslip"]["income"][0] == ["basic_salary", "2290.91"]


def test_year_to_date_uses_up_the_ceiling_of_additional_wages(company: Company) -> None:
    bonus = {"calc_type": "bonus", "calculation_details": {"amount": "10000"}}
    given = {"period_end_date": "2026-12-31", "calculations": [SALARY, bonus]}
    whole = previewed(company, **given)["payslip"]
    used = {"ordinary_wages_subject": "88000.00", "additional_wages_subject": "0"}
    less = previewed(company, **given, year_to_date=used)["payslip"]
    # 102,000 less 92,200 of ordinary wages leaves 9,800 of the bonus.
    assert dict(whole["deduction"])["cpf_employee"] == "2840.00"
    assert dict(less["deduction"])["cpf_employee"] == "2800.00"


def test_a_wave_has_other_periods(company: Company) -> None:
    weekly = company.wave(**WEEKLY)
    found = previewed(company, wave_id=weekly, period_end_date="2026-01-30")
    assert found["payslip"]["income"][0] == ["basic_salary", "4200.00"]
    message = field_errors(ask(company, wave_id=weekly))["period_end_date"]
    assert message == "2026-01-31 is not the end of a period; the nearest end dates are 2026-01-30 and 2026-02-06"


def test_the_default_wave_is_monthly_and_ends_on_the_last_day(company: Company) -> None:
    message = field_errors(ask(company, period_end_date="2026-01-15"))["period_end_date"]
    assert message == "2026-01-15 is not the end of a period; the nearest end dates are 2025-12-31 and 2026-01-31"


@pytest.mark.parametrize("day", ["2015-12-31", "1900-01-31", "2199-12-31"])
def test_a_month_that_the_law_does_not_cover_is_an_error_of_the_date(company: Company, day: str) -> None:
    answer = ask(company, period_end_date=day, employee={**CITIZEN, "birthdate": "1899-12-31"})
    assert answer.status_code == 422
    assert " cannot be calculated: " in answer.json()["errors"]["period_end_date"]


def test_all_errors_are_reported_at_once(company: Company) -> None:
    calculations: list[Any] = [
        {"calc_type": "basic_salery", "calculation_details": {}},
        {"calc_type": "basic_salary", "calculation_details": {"fixed_amount": "-1", "fixed_amont": "1"}},
        {"calc_type": "bonus", "calculation_details": {"amount": "1", "months": "1"}},
        {"calc_type": "basic_salary", "calculation_details": {}},
        {"calc_type": "cpf_employee"},
        {"calculation_details": {}},
        7,
        {"calc_type": "loan", "calculation_details": 7},
    ]
    given = {"calculations": calculations, "wave_id": 999_999, "employee": {"legal_status": "PR"}}
    assert field_errors(
        ask(company, **given, period_end_date="2026-02-30", year_to_date={"ordinary_wages_subject": -1})
    ) == {
        "employee.birthdate": "is required",
        "employee.pr_date": "is required when legal_status is PR",
        "period_end_date": "2026-02-30 is not a valid calendar date",
        "wave_id": "wave 999999 does not exist in this client",
        "calculations.0.calc_type": (
            "calculation 'basic_salery' does not exist in this client; did you mean basic_salary?"
        ),
        "calculations.1.calculation_details.fixed_amount": "must not be negative",
        "calculations.1.calculation_details.fixed_amont": (
            "is not an input of basic_salary; did you mean fixed_amount?"
        ),
        "calculations.2.calculation_details.amount": "cannot be combined with months; to switch, send months as null",
        "calculations.2.calculation_details.months": "cannot be combined with amount; to switch, send amount as null",
        "calculations.3.calc_type": "basic_salary appears twice",
        "calculations.4.calc_type": "CPF, employee's share is calculated by law and has no inputs",
        "calculations.5.calc_type": "is required",
        "calculations.6": "must be an object with calc_type and calculation_details",
        "calculations.7.calculation_details": "must be an object",
        "year_to_date.ordinary_wages_subject": "must not be negative",
    }


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"employee": None}, {"employee_id": "is required unless employee is set"}),
        ({"employee": 7}, {"employee": "must be an object"}),
        (
            {"employee_id": 999_999},
            {
                "employee": "cannot be combined with employee_id",
                "employee_id": "employee 999999 does not exist",
            },
        ),
        ({"employee_id": "x", "employee": None}, {"employee_id": "must be an integer"}),
        ({"period_end_date": None}, {"period_end_date": "is required"}),
        ({"period_end_date": "0001-01-31"}, {"period_end_date": "must be from 1900-01-01 to 2199-12-31"}),
        ({"calculations": {}}, {"calculations": "must be an array"}),
        ({"calculations": [SALARY] * 201}, {"calculations": "must have at most 200 items"}),
        ({"service": {"start_date": "2026-02-01", "end_date": "2026-01-01"}}, {"service.end_date": "must not be"}),
        ({"service": {"start_date": "0001-01-01"}}, {"service.start_date": "must be from"}),
        (
            {"employee": {**CITIZEN, "pr_date": "1980-01-01"}},
            {"employee.pr_date": "must not be before birthdate 1990-04-12"},
        ),
    ],
)
def test_nonsensical_values_are_reported(company: Company, given: dict[str, Any], expected: dict[str, str]) -> None:
    found = field_errors(ask(company, **given))
    assert found.keys() == expected.keys()
    for name, beginning in expected.items():
        assert found[name].startswith(beginning)


def test_unknown_attributes_are_ignored_and_named(company: Company) -> None:
    found = previewed(company, employe={}, employee={**CITIZEN, "nric": "S1234567D"})
    assert found["warnings"] == {
        "employe": "Unknown attribute, ignored. Did you mean employee?",
        "employee.nric": "Unknown attribute, ignored.",
    }


def test_a_key_that_may_only_read_may_preview(company: Company) -> None:
    member = company.member.with_another_key(read_only=True)
    body = {"employee": CITIZEN, "period_end_date": "2026-01-31"}
    assert member.post(f"/clients/{company.id}/payslip_preview", body).status_code == 200


def custom(company: Company, formula: str) -> int:
    definition = {"name": "Shift money", "kind": "allowance", "input": "formula", "cpf": "none", "taxable": True}
    path = f"/clients/{company.id}/calculation_definitions"
    return created(company.member.post(path, {**definition, "formula": formula}))


def test_custom_items_are_identified_by_number(company: Company) -> None:
    item = custom(company, "basic_salary / 10 + amount")
    given = {"calc_type": item, "calculation_details": {"amount": "5.00"}}
    assert [item, "425.00"] in previewed(company, calculations=[SALARY, given])["payslip"]["income"]


def test_a_formula_that_divides_by_zero_is_an_error_of_its_calculation(company: Company) -> None:
    item = custom(company, "basic_salary / quantity")
    given = {"calc_type": str(item), "calculation_details": {"quantity": 0}}
    message = "the formula of Shift money divides by zero"
    assert field_errors(ask(company, calculations=[SALARY, given])) == {"calculations.1": message}
    employee_id = company.hire(appointment_date="2026-01-01")
    enter(company, f"employees/{employee_id}", str(item), quantity="0")
    assert field_errors(ask(company, employee=None, employee_id=employee_id)) == {"calculations": message}


def test_the_stored_entries_of_the_employee_apply_and_the_body_overrides_them(company: Company) -> None:
    employee_id = company.hire(appointment_date="2026-01-01", race="OTHER", cpf_exempt=True)
    enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount="2200.00")
    enter(company, f"employees/{employee_id}", "bonus", amount="100.00", declaration_date="2026-01-15")
    given = {"employee": None, "employee_id": str(employee_id)}
    assert previewed(company, **given, calculations=None)["payslip"]["income"] == [
        ["basic_salary", "2200.00"],
        ["bonus", "100.00"],
        ["total", "2300.00"],
    ]
    half_a_month = {"calc_type": "bonus", "calculation_details": {"months": "0.5"}}
    assert previewed(company, **given, calculations=[half_a_month])["payslip"]["income"] == [
        ["basic_salary", "2200.00"],
        ["bonus", "1100.00"],
        ["total", "3300.00"],
    ]
    none = {"calc_type": "bonus", "calculation_details": {"amount": None}}
    assert previewed(company, **given, calculations=[none])["payslip"]["income"][-1] == ["total", "2200.00"]


def test_an_employee_is_paid_by_their_own_wave_for_the_days_in_service(company: Company) -> None:
    employee_id = company.hire(appointment_date="2026-01-28", wave_id=company.wave(**WEEKLY), race="OTHER")
    enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount="500.00")
    given = {"employee": None, "employee_id": employee_id, "calculations": None}
    assert previewed(company, **given, period_end_date="2026-01-30")["payslip"]["income"][0] == [
        "basic_salary",
        "300.00",
    ]
    whole = previewed(company, **given, period_end_date="2026-01-30", service={"start_date": "2026-01-01"})
    assert whole["payslip"]["income"][0] == ["basic_salary", "500.00"]
    assert previewed(company, **given, wave_id=company.wave_id)["payslip"]["income"][0] == ["basic_salary", "68.18"]


def test_a_period_that_is_finalised_is_previewed_as_it_was_before(company: Company) -> None:
    employee_id = company.hire(appointment_date="2026-01-01")
    enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount="4200.00")
    kept = detail(company, finalise(company, employee_id))
    found = previewed(company, employee=None, employee_id=employee_id, calculations=None)["payslip"]
    assert found == {name: value for name, value in kept.items() if name != "id"}


def test_an_employee_of_another_client_is_not_found(company: Company) -> None:
    stranger = Company.of(company.member).hire()
    message = field_errors(ask(company, employee=None, employee_id=stranger))["employee_id"]
    assert message == f"employee {stranger} does not exist in this client"


@pytest.mark.parametrize(
    ("end", "cpf_employee", "cpf_employer", "cdac"),
    [
        ("2016-01-31", "840.00", "714.00", "1.50"),
        ("2018-06-30", "840.00", "714.00", "1.50"),
        ("2020-07-31", "840.00", "714.00", "1.50"),
        ("2021-12-31", "840.00", "714.00", "1.50"),
    ],
)
def test_months_since_january_2016_can_be_previewed(
    company: Company, end: str, cpf_employee: str, cpf_employer: str, cdac: str
) -> None:
    slip = previewed(company, period_end_date=end)["payslip"]
    assert slip["deduction"][:2] == [["cpf_employee", cpf_employee], ["cdac", cdac]]
    assert slip["sideline"] == [["employer_contribution", [["cpf_employer", cpf_employer], ["sdl", "10.50"]]]]


def test_a_person_above_60_in_2019_has_the_rates_of_2016(company: Company) -> None:
    older = {"birthdate": "1957-04-12", "legal_status": "CITIZEN"}
    slip = previewed(company, employee=older, period_end_date="2019-06-30")["payslip"]
    # 16.5 % of 4,200 is 693, of which the employee pays 7.5 %, 315.
    assert slip["deduction"][0] == ["cpf_employee", "315.00"]
    assert slip["sideline"][0][1][0] == ["cpf_employer", "378.00"]


@pytest.mark.parametrize(("end", "month"), [("2015-12-31", "December 2015"), ("2028-01-31", "January 2028")])
def test_a_month_outside_the_tables_has_a_sentence_for_payroll_officers(company: Company, end: str, month: str) -> None:
    message = field_errors(ask(company, period_end_date=end))["period_end_date"]
    assert message.startswith(f"{month} cannot be calculated: the figures of ")
    assert message.endswith("are known from January 2016 to December 2027")


def test_mbmf_before_june_2016_needs_an_amount(company: Company) -> None:
    muslim = {**CITIZEN, "race": "MALAY", "religion": "ISLAM"}
    errors = field_errors(ask(company, employee=muslim, period_end_date="2016-05-31"))
    assert errors["period_end_date"] == (
        "May 2016 cannot be calculated: the figures of the Mosque Building and Mendaki Fund, without an amount "
        "entered, are known from June 2016 to December 2027"
    )
    amount = {"calc_type": "mbmf", "calculation_details": {"amount": "16.00"}}
    slip = previewed(company, employee=muslim, period_end_date="2016-05-31", calculations=[SALARY, amount])["payslip"]
    assert ["mbmf", "16.00"] in slip["deduction"]
