"""Increments that are dated back: arrears on the next draft, as additional wages of the month that pays them."""

from typing import Any

import pytest

from tests.payroll.calculations.requests import assign_profile, create_profile
from tests.payroll.payment_runs.runs import done, hired, opened, paid
from tests.payroll.payslips.slips import draft, slips
from tests.payroll.retro_proposals.proposals import accepted, act, listed, path, propose, totals
from tests.payroll.retro_proposals.test_missed import cpf_of, lines
from tests.support.company import Company
from tests.support.problems import assert_problem
from tests.support.running import Member

NUMBER = "202699999EPTE01"
NOVEMBER, DECEMBER, JANUARY, FEBRUARY = "2025-11-30", "2025-12-31", "2026-01-31", "2026-02-28"


@pytest.fixture
def company(account: Member) -> Company:
    """A company that can file, with a monthly wave that began in 2025."""
    return Company.of(account, cpf_submission_number=NUMBER)


def hired_in_2025(company: Company, **given: Any) -> int:
    """An employee with 3,000 a month since November 2025."""
    return hired(company, "3000.00", appointment_date="2025-11-01", **given)


def raised(company: Company, employee_id: int, amount: str, valid_from: str, calc_type: str = "basic_salary") -> None:
    """Raise the salary from a date on."""
    name = "fixed_amount" if calc_type == "basic_salary" else "amount"
    body = {"calc_type": calc_type, "valid_from": valid_from, "calculation_details": {name: amount}}
    answer = company.member.post(f"/employees/{employee_id}/calculations", body)
    assert answer.status_code == 200, answer.text


def test_an_increment_dated_back_three_months_over_new_year_and_a_55th_birthday(company: Company) -> None:
    employee_id = hired_in_2025(company, birthdate="1971-01-20")
    for end in (NOVEMBER, DECEMBER, JANUARY):
        paid(company, end)
    raised(company, employee_id, "3300.00", "2025-11-01")
    [proposal] = listed(company, employee_id)
    assert (proposal["treatment"], proposal["total"]) == ("decided_later", "900.00")
    assert [difference["end_date"] for difference in proposal["differences"]] == [NOVEMBER, DECEMBER, JANUARY]
    assert proposal["differences"][0]["arithmetic"] == ["3300.00 − 3000.00 = 300.00"]
    accepted(company, employee_id, treatment="decided_later")
    payslip_id = draft(company, employee_id)
    amounts = lines(company, payslip_id)
    assert (amounts["basic_salary"], amounts["back_pay"]) == ("3300.00", "900.00")
    assert (amounts["cpf_employee"], amounts["cpf_employer"]) == ("756.00", "672.00")
    explanation = company.member.get(f"/payslips/{payslip_id}/explanation").json()["explanation"]
    [back_pay] = [line for line in explanation if line["item"] == "back_pay"]
    assert back_pay["arithmetic"][-1] == "300.00 + 300.00 + 300.00 = 900.00"
    assert back_pay["inputs"]["2025-11-01 to 2025-11-30: Basic salary paid"] == "3000.00"
    paid(company, FEBRUARY)
    assert totals(company, employee_id) == [("decided_later", "paid", "900.00")]
    assert cpf_of(company, "2026-01") == [(1110_00, 3000_00)]


def test_the_arrears_are_income_of_the_years_they_are_for(company: Company) -> None:
    employee_id = hired_in_2025(company)
    for end in (NOVEMBER, DECEMBER, JANUARY):
        paid(company, end)
    raised(company, employee_id, "3300.00", "2025-11-01")
    accepted(company, employee_id, treatment="decided_later")
    paid(company, FEBRUARY)
    for year, income in ((2025, "6600.00"), (2026, "6600.00")):
        answer = company.member.post(f"/clients/{company.id}/tax_certificates", {"year": year})
        assert answer.status_code == 200, answer.text
        [certificate] = company.member.get(f"/clients/{company.id}/tax_certificates?year={year}").json()
        boxes = company.member.get(f"/tax_certificates/{certificate['id']}/explanation").json()
        [salary] = [box for box in boxes["boxes"] if box["box"] == "a"]
        assert salary["amount"] == income


def test_reopening_a_run_withdraws_the_proposals_about_it(company: Company) -> None:
    employee_id = hired_in_2025(company)
    run_ids = [paid(company, end) for end in (NOVEMBER, DECEMBER, JANUARY)]
    raised(company, employee_id, "3300.00", "2026-01-01")
    accepted(company, employee_id, treatment="decided_later")
    assert lines(company, draft(company, employee_id))["back_pay"] == "300.00"
    done(company, run_ids[-1], "unfinalise")
    done(company, run_ids[-1], "finalise")
    assert listed(company, employee_id) == []
    amounts = lines(company, draft(company, employee_id))
    assert (amounts["basic_salary"], "back_pay" in amounts) == ("3300.00", False)


def test_amounts_of_payslips_that_were_not_chosen_are_rejected(company: Company) -> None:
    employee_id = hired_in_2025(company)
    for end in (NOVEMBER, DECEMBER):
        paid(company, end)
    raised(company, employee_id, "3300.00", "2025-11-01")
    [proposal] = listed(company, employee_id)
    first, second = (difference["payslip_id"] for difference in proposal["differences"])
    body = {"treatment": "decided_later", "payslip_ids": [first], "amounts": {str(second): {"basic_salary": "100.00"}}}
    problem = assert_problem(company.member.post(path(employee_id), body), 422)
    assert list(problem["errors"]) == [f"amounts.{second}.basic_salary"]


def test_increments_in_the_middle_of_a_month_and_after_an_accepted_one(company: Company) -> None:
    employee_id = hired_in_2025(company)
    paid(company, NOVEMBER)
    paid(company, DECEMBER)
    # December 2025 has 23 working days, 12 of them from the 16th on: 12 ÷ 23 of 230.
    raised(company, employee_id, "3230.00", "2025-12-16")
    assert totals(company, employee_id) == [("decided_later", "open", "120.00")]
    accepted(company, employee_id, treatment="decided_later")
    paid(company, JANUARY)
    raised(company, employee_id, "3460.00", "2025-12-16")
    # Another 120 for December and 230 for January.
    assert totals(company, employee_id)[1:] == [("decided_later", "open", "350.00")]
    accepted(company, employee_id, treatment="decided_later")
    assert lines(company, draft(company, employee_id))["back_pay"] == "350.00"
    assert totals(company, employee_id)[1:] == [("decided_later", "accepted", "350.00")]


def test_pay_that_was_agreed_and_forgotten_is_missed(company: Company) -> None:
    employee_id = hired_in_2025(company, birthdate="1971-01-20")
    paid(company, NOVEMBER)
    paid(company, DECEMBER)
    paid(company, JANUARY)
    raised(company, employee_id, "3300.00", "2025-11-01")
    accepted(company, employee_id, treatment="missed", include_pay=True)
    assert totals(company, employee_id) == [("missed", "accepted", "900.00")]
    # February at 18 % and 16 %: 594 and 528. Three months at 20 % and 17 % of 300: 60 and 51 each.
    amounts = lines(company, draft(company, employee_id))
    assert (amounts["corrected_pay"], amounts["cpf_employee"], amounts["cpf_employer"]) == (
        "900.00",
        "774.00",
        "681.00",
    )
    assert "back_pay" not in amounts
    paid(company, FEBRUARY)
    for month in ("2025-11", "2025-12", "2026-01"):
        assert cpf_of(company, month) == [(1221_00, 3300_00)]
    assert totals(company, employee_id) == [("missed", "paid", "900.00")]


def test_a_decrease_dated_back_is_recovered(company: Company) -> None:
    employee_id = hired_in_2025(company)
    paid(company, NOVEMBER)
    raised(company, employee_id, "2000.00", "2025-11-01")
    assert totals(company, employee_id) == [("missed", "open", "-1000.00")]
    accepted(company, employee_id, treatment="missed")
    instalment = {"calc_type": "overpaid_wages", "calculation_details": {"instalment": "400.00"}}
    assert company.member.post(f"/employees/{employee_id}/calculations", instalment).status_code == 200
    for end, deducted in ((DECEMBER, "400.00"), (JANUARY, "400.00"), (FEBRUARY, "200.00")):
        assert lines(company, draft(company, employee_id))["overpaid_wages"] == deducted
        paid(company, end)
    assert "overpaid_wages" not in lines(company, draft(company, employee_id))
    assert [status for _, status, _ in totals(company, employee_id)] == ["paid"]


def test_removing_an_increment_that_was_paid_is_recovered(company: Company) -> None:
    employee_id = hired_in_2025(company)
    raised(company, employee_id, "3300.00", "2025-12-01")
    raised(company, employee_id, "100.00", "2025-12-01", "meal_allowance")
    paid(company, NOVEMBER)
    paid(company, DECEMBER)
    assert listed(company, employee_id) == []
    for calculation in company.member.get(f"/employees/{employee_id}/calculations").json():
        if calculation["system_type"] in ("basic_salary", "meal_allowance"):
            answer = company.member.delete(f"/calculations/{calculation['id']}/changes/2025-12-01")
            assert answer.status_code == 200, answer.text
    assert totals(company, employee_id) == [("missed", "open", "-400.00")]
    accepted(company, employee_id, treatment="missed")
    assert lines(company, draft(company, employee_id))["overpaid_wages"] == "400.00"


def test_removing_an_increment_of_a_profile_that_was_paid_is_recovered(company: Company) -> None:
    employee_id = hired_in_2025(company)
    profile_id = create_profile(company, meal_allowance={"amount": 50})
    assign_profile(company, employee_id, profile_id)
    change = {"calculations": {"meal_allowance": {"amount": 80}}, "valid_from": "2025-11-01"}
    assert company.member.patch(f"/profiles/{profile_id}", change).status_code == 200
    paid(company, NOVEMBER)
    [history] = company.member.get(f"/profiles/{profile_id}/calculation_history").json()
    answer = company.member.delete(f"/calculations/{history['calculation_id']}/changes/2025-11-01")
    assert answer.status_code == 200, answer.text
    assert totals(company, employee_id) == [("missed", "open", "-30.00")]


def test_an_agreed_amount_replaces_the_difference(company: Company) -> None:
    employee_id = hired_in_2025(company)
    paid(company, NOVEMBER)
    [november] = [slip["id"] for slip in slips(company, employee_id) if slip["finalised"]]
    raised(company, employee_id, "3300.00", "2025-11-01")
    proposal_id = propose(
        company, employee_id, treatment="decided_later", amounts={str(november): {"basic_salary": "250.00"}}
    )
    assert act(company, employee_id, proposal_id, "accept").status_code == 200
    assert lines(company, draft(company, employee_id))["back_pay"] == "250.00"
    assert totals(company, employee_id) == [
        ("decided_later", "accepted", "250.00"),
        ("decided_later", "open", "50.00"),
    ]


def test_undoing_an_increment_that_was_accepted(company: Company) -> None:
    employee_id = hired_in_2025(company)
    paid(company, NOVEMBER)
    before = lines(company, draft(company, employee_id))
    raised(company, employee_id, "3300.00", "2025-11-01")
    proposal_id = accepted(company, employee_id, treatment="decided_later")
    raised(company, employee_id, "3000.00", "2025-11-01")
    assert totals(company, employee_id) == [
        ("decided_later", "accepted", "300.00"),
        ("decided_later", "open", "-300.00"),
    ]
    counterpart = accepted(company, employee_id, treatment="decided_later")
    assert lines(company, draft(company, employee_id)) == before
    assert_problem(company.member.delete(f"{path(employee_id)}/{proposal_id}"), 409)
    assert company.member.delete(f"{path(employee_id)}/{counterpart}").status_code == 200
    assert company.member.delete(f"{path(employee_id)}/{proposal_id}").status_code == 200
    assert lines(company, draft(company, employee_id)) == before
    assert listed(company, employee_id) == []


def test_an_accepted_proposal_moves_with_a_reopened_run(company: Company) -> None:
    employee_id = hired_in_2025(company)
    paid(company, NOVEMBER)
    raised(company, employee_id, "3300.00", "2025-11-01")
    accepted(company, employee_id, treatment="decided_later")
    run_id = opened(company, DECEMBER)
    done(company, run_id, "finalise")
    assert totals(company, employee_id) == [("decided_later", "paid", "300.00")]
    done(company, run_id, "unfinalise")
    assert totals(company, employee_id) == [("decided_later", "accepted", "300.00")]
    assert lines(company, draft(company, employee_id))["back_pay"] == "300.00"
