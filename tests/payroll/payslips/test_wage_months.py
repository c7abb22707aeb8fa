"""Wages by calendar month, through the API: weeks that span two months, overtime, additional wages, and leavers."""

from typing import Any

import pytest

from tests.documents import ezpay_reader
from tests.payroll.payment_runs.runs import ask, done, hired, opened, paid
from tests.payroll.payslips.slips import detail, draft, enter, slips
from tests.support.company import Company
from tests.support.problems import field_errors
from tests.support.running import Member, created

NUMBER = "202699999EPTE01"
MONDAY_TO_SUNDAY: dict[str, Any] = {"frequency": "weekly", "first_end_date": "2026-01-04"}
WEEKS = ("2026-03-01", "2026-03-08", "2026-03-15", "2026-03-22", "2026-03-29")
MIDDLE_MONTHS = ("02-28", "03-31", "04-30", "05-31", "06-30", "07-31", "08-31", "09-30", "10-31", "11-30")


@pytest.fixture
def company(account: Member) -> Company:
    """A company that can file."""
    return Company.of(account, cpf_submission_number=NUMBER)


@pytest.fixture
def weekly(account: Member) -> Company:
    """A company that pays by the week, Monday to Sunday."""
    client_id = account.new_client(cpf_submission_number=NUMBER)
    return Company(account, client_id, created(account.post(f"/clients/{client_id}/waves", MONDAY_TO_SUNDAY)))


def lines(company: Company, payslip_id: int) -> dict[str, str]:
    """The amounts of a payslip by item."""
    payslip = detail(company, payslip_id)
    groups = [payslip["income"], payslip["deduction"], *(group for _, group in payslip["sideline"])]
    return {item: amount for group in groups for item, amount in group if item != "total"}


def cpf_details(company: Company, month: str) -> list[tuple[int, int, int]]:
    """The CPF, ordinary and additional wages of the members in the CPF file of a month, in cents."""
    answer = company.member.get(f"/clients/{company.id}/filings/{month}/cpf")
    assert answer.status_code == 200, answer.text
    records = ezpay_reader.read(answer.content).details_of("01").values()
    return [(int(record["amount"]), int(record["ordinary"]), int(record["additional"])) for record in records]


def test_the_cpf_file_of_a_month_has_the_wages_of_its_own_days(weekly: Company) -> None:
    hired(weekly, "600.00", appointment_date="2026-02-23")
    for week in WEEKS:
        paid(weekly, week)
    assert cpf_details(weekly, "2026-02") == [(162_00, 600_00, 0)]
    run_id = opened(weekly, "2026-04-05")
    refused = weekly.member.get(f"/clients/{weekly.id}/filings/2026-03")
    assert refused.status_code == 409
    assert list(refused.json()["errors"]) == [f"payment_runs.{run_id}"]
    done(weekly, run_id, "finalise")
    assert cpf_details(weekly, "2026-03") == [(977_00, 2640_00, 0)]
    assert cpf_details(weekly, "2026-04") == [(61_00, 360_00, 0)]


def test_a_week_of_the_new_year_continues_from_the_last_one_of_the_old(weekly: Company) -> None:
    employee_id = hired(weekly, "1500.00", appointment_date="2026-12-21", birthdate="1965-06-15")
    paid(weekly, "2026-12-27")
    payslip_id = draft(weekly, employee_id)
    # December: 1,500 + 1,200 at 12.5 % and 25 %: 337 of 675, less the first week's 187 of 375. January: 300 at 13 %.
    assert lines(weekly, payslip_id)["cpf_employee"] == "150.00"
    assert lines(weekly, payslip_id)["cpf_employer"] == "189.00"
    [explanation] = [
        line
        for line in weekly.member.get(f"/payslips/{payslip_id}/explanation").json()["explanation"]
        if line["item"] == "cpf_employee"
    ]
    assert "round_cents(1500.00 × 4 ÷ 5) = 1200.00" in explanation["arithmetic"]
    assert explanation["inputs"]["2026-12: ordinary wages of the month to date"] == "2700.00"
    assert explanation["inputs"]["2027-01: ordinary wages of the month to date"] == "300.00"


def test_a_client_can_divide_by_calendar_days(weekly: Company) -> None:
    employee_id = hired(weekly, "1000.00", appointment_date="2026-06-29")
    assert lines(weekly, draft(weekly, employee_id))["cpf_employee"] == "60.00"
    changed = weekly.member.patch(f"/clients/{weekly.id}", {"wage_apportionment": "calendar_days"})
    assert changed.status_code == 200, changed.text
    assert lines(weekly, draft(weekly, employee_id))["cpf_employee"] == "128.00"
    refused = weekly.member.patch(f"/clients/{weekly.id}", {"wage_apportionment": "hours"})
    assert list(field_errors(refused)) == ["wage_apportionment"]


def test_a_preview_divides_the_week_as_well(weekly: Company) -> None:
    answer = weekly.member.post(
        f"/clients/{weekly.id}/payslip_preview",
        {
            "employee": {"birthdate": "1990-06-15", "legal_status": "CITIZEN"},
            "wave_id": weekly.wave_id,
            "period_end_date": "2026-07-05",
            "calculations": [{"calc_type": "basic_salary", "calculation_details": {"fixed_amount": "1000.00"}}],
        },
    )
    assert answer.status_code == 200, answer.text
    assert ["cpf_employee", "60.00"] in answer.json()["payslip"]["deduction"]


def test_overtime_of_the_month_before_that_is_payable_by_the_14th_belongs_to_that_month(company: Company) -> None:
    employee_id = hired(company, "2288.00")
    paid(company, "2026-01-31")
    payslip_id = draft(company, employee_id)
    enter(
        company,
        f"payslips/{payslip_id}",
        "basic_salary",
        overtime_hours_previous_input="10",
        overtime_payable_on="2026-02-10",
    )
    # 180 more for January: 493 of 913 instead of 457 of 847. February: 457 of 847.
    assert lines(company, payslip_id)["overtime_previous"] == "180.00"
    assert lines(company, payslip_id)["cpf_employee"] == "493.00"
    paid(company, "2026-02-28")
    assert cpf_details(company, "2026-01") == [(913_00, 2468_00, 0)]
    assert cpf_details(company, "2026-02") == [(847_00, 2288_00, 0)]


def test_overtime_of_the_month_before_that_is_payable_later_is_additional_wages(company: Company) -> None:
    employee_id = hired(company, "2288.00")
    paid(company, "2026-01-31")
    enter(company, f"payslips/{draft(company, employee_id)}", "basic_salary", overtime_hours_previous_input="10")
    paid(company, "2026-02-28")
    assert cpf_details(company, "2026-01") == [(847_00, 2288_00, 0)]
    assert cpf_details(company, "2026-02") == [(913_00, 2288_00, 180_00)]


def test_overtime_of_a_future_month_is_rejected(company: Company) -> None:
    payslip_id = draft(company, hired(company))
    for month in ("2026-02", "January"):
        details = {"overtime_hours_input": "4", "overtime_period": month}
        body = {"calc_type": "basic_salary", "calculation_details": details}
        refused = company.member.post(f"/payslips/{payslip_id}/calculations", body)
        assert list(field_errors(refused)) == ["calculation_details.overtime_period"]
        assert "overtime" not in lines(company, payslip_id)


def test_a_preview_and_bulk_input_reject_overtime_of_a_future_month(company: Company) -> None:
    employee_id = hired(company)
    payslip_id = draft(company, employee_id)
    details = {"overtime_hours_input": "4", "overtime_period": "2026-02"}
    preview = {
        "employee_id": employee_id,
        "period_end_date": "2026-01-31",
        "calculations": [{"calc_type": "basic_salary", "calculation_details": details}],
    }
    refused = company.member.post(f"/clients/{company.id}/payslip_preview", preview)
    assert list(field_errors(refused)) == ["calculations.0.calculation_details.overtime_period"]
    attributes = {f"calc.basic_salary.{name}": value for name, value in details.items()}
    entity = {"id": employee_id, "payslip_id": payslip_id, "attributes": attributes}
    answer = company.member.post(f"/clients/{company.id}/bulk_input", {"entities": [entity]})
    assert answer.status_code == 200, answer.text
    assert "is after 2026-01, the month of the payslip" in answer.text
    assert "overtime" not in lines(company, payslip_id)


def test_a_bonus_in_january_for_someone_who_turns_55_in_may_is_completed_in_december(company: Company) -> None:
    employee_id = hired(company, "8000.00", birthdate="1971-05-10")
    enter(company, f"payslips/{draft(company, employee_id)}", "bonus", amount="20000.00")
    paid(company, "2026-01-31")
    enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount="6000.00")
    for end in MIDDLE_MONTHS:
        paid(company, f"2026-{end}")
    # 6,000 at 18 % of 34 %, and 14,000 of January's bonus at 20 % of 37 %.
    december = lines(company, draft(company, employee_id))
    assert (december["cpf_employee"], december["cpf_employer"]) == ("3880.00", "3340.00")


def test_a_refund_of_contributions_above_the_ceiling_is_named(company: Company) -> None:
    employee_id = hired(company, "4000.00", appointment_date="2026-11-01")
    body = {
        "year": 2026,
        "ordinary_wages_subject": "80000.00",
        "ordinary_wages": "80000.00",
        "additional_wages": "20000.00",
        "additional_wages_subject": "20000.00",
    }
    answer = company.member.call("PUT", f"/employees/{employee_id}/take_on_balances", json=body)
    assert answer.status_code == 200, answer.text
    paid(company, "2026-11-30")
    explained = company.member.get(f"/payslips/{draft(company, employee_id)}/explanation").json()
    [remark] = explained["remarks"]
    assert "$6,000.00 of additional wages above the ceiling of 2026" in remark
    assert "refund of $2,220.00, of which $1,200.00 is the employee's share" in remark


def end_service(company: Company, employee_id: int, day: str) -> None:
    """Record the last day of an employee."""
    action = {"termination_date": day, "termination_code": 1}
    answer = company.member.post(f"/employees/{employee_id}/service_periods/end_service", {"employee_action": action})
    assert answer.status_code == 200, answer.text


def test_additional_wages_can_be_paid_after_the_last_day(company: Company) -> None:
    employee_id = hired(company, "10000.00")
    end_service(company, employee_id, "2026-01-31")
    paid(company, "2026-01-31")
    run_id = opened(company, "2026-03-31", special=True, employee_ids=[employee_id])
    [payslip] = [payslip for payslip in slips(company, employee_id) if payslip["date"] == "2026-03-31"]
    enter(company, f"payslips/{payslip['id']}", "bonus", amount="5000.00")
    amounts = lines(company, payslip["id"])
    assert (amounts["bonus"], amounts["cpf_employee"], amounts["cpf_employer"]) == ("5000.00", "1000.00", "850.00")
    done(company, run_id, "finalise")
    assert cpf_details(company, "2026-03") == [(1850_00, 0, 5000_00)]


def test_nobody_is_paid_more_than_six_years_after_leaving(company: Company) -> None:
    employee_id = hired(company)
    end_service(company, employee_id, "2026-01-15")
    paid(company, "2026-01-31")
    assert ask(company, "2027-12-31", special=True, employee_ids=[employee_id]).status_code == 200
    refused = ask(company, "2032-01-31", special=True, employee_ids=[employee_id])
    assert refused.status_code == 422
    assert "2026-01-15" in field_errors(refused)["employee_ids.0"]
