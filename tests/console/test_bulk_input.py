"""The bulk input page of the console: what it refuses and points out."""

from typing import Any

import pytest

from gaji.console.glossary import FORMS
from tests.console.console_user import ConsoleUser, page_text
from tests.payroll.payment_runs.runs import JANUARY, hired
from tests.payroll.payslips.slips import enter
from tests.support.company import Company

HOURS, DAYS, OVERTIME, RATE = (
    f"calc.basic_salary.{name}" for name in ("hours_input", "days_input", "overtime_hours_input", "hourly_rate")
)


def saved_rows(owner: ConsoleUser, company: Company, rows: dict[int, dict[str, str]]) -> list[dict[str, Any]]:
    """Save rows of the grid, and return the result of each."""
    page = f"/companies/{company.id}/bulk_input"
    entities = [
        {"id": str(employee_id), "payslip_date": JANUARY, "attributes": attributes}
        for employee_id, attributes in rows.items()
    ]
    headers = {"X-Form-Token": owner.token(page), "Accept": "application/json"}
    answer = owner.browser.post(page, json={"entities": entities}, headers=headers)
    assert answer.status_code == 200, answer.text
    result: list[dict[str, Any]] = answer.json()
    return result


def draft_id(company: Company, employee_id: int) -> int:
    """The draft of January."""
    payslips = company.member.get(f"/employees/{employee_id}/payslips").json()
    [payslip_id] = [item["payslip"]["id"] for item in payslips if item["payslip"]["date"] == JANUARY]
    return int(payslip_id)


def test_inputs_of_another_pay_type_are_refused_in_the_grid(owner: ConsoleUser, company: Company) -> None:
    monthly, hourly, daily = (hired(company) for _ in range(3))
    enter(company, f"employees/{hourly}", "basic_salary", pay_type="hourly", hourly_rate="12.50")
    enter(company, f"employees/{daily}", "basic_salary", pay_type="daily", daily_rate="120.00")
    rows = {monthly: {HOURS: "10", OVERTIME: "2"}, hourly: {HOURS: "150"}, daily: {RATE: "15", HOURS: "8"}}
    results = saved_rows(owner, company, rows)
    assert results[0]["errors"] == {HOURS: "has no effect: this employee is paid monthly. Did you mean overtime hours?"}
    assert results[1]["errors"] == {}
    assert results[2]["errors"] == {
        HOURS: "has no effect: this employee is paid daily. Did you mean overtime hours?",
        RATE: "has no effect on daily pay",
    }
    assert "10" not in page_text(owner.get(f"/payslips/{draft_id(company, monthly)}")).split()
    assert saved_rows(owner, company, {monthly: {HOURS: "", OVERTIME: "2"}})[0]["errors"] == {}


def test_hours_count_if_the_pay_type_changes_on_the_same_row_or_within_the_period(
    owner: ConsoleUser, company: Company
) -> None:
    employee_id = hired(company)
    enter(company, f"employees/{employee_id}", "basic_salary", pay_type="hourly", hourly_rate="12.50")
    row = {"calc.basic_salary.pay_type": "daily", "calc.basic_salary.daily_rate": "100", DAYS: "20"}
    assert saved_rows(owner, company, {employee_id: row})[0]["errors"] == {}
    changed = hired(company, "3000.00")
    body = {
        "calc_type": "basic_salary",
        "calculation_details": {"pay_type": "hourly", "hourly_rate": "12.50"},
        "valid_from": "2026-01-12",
    }
    answer = company.member.post(f"/employees/{changed}/calculations", {"calculation": body})
    assert answer.status_code == 200, answer.text
    body |= {"calculation_details": {"pay_type": "monthly", "fixed_amount": "3100.00"}, "valid_from": "2026-01-19"}
    answer = company.member.post(f"/employees/{changed}/calculations", {"calculation": body})
    assert answer.status_code == 200, answer.text
    assert saved_rows(owner, company, {changed: {HOURS: "40"}})[0]["errors"] == {}
    errors = saved_rows(owner, company, {changed: {DAYS: "4"}})[0]["errors"]
    assert errors == {DAYS: "has no effect on hourly and monthly pay"}


@pytest.mark.parametrize("page", ["employee", "payslip"])
def test_forms_refuse_new_inputs_of_another_pay_type(owner: ConsoleUser, company: Company, page: str) -> None:
    employee_id = hired(company)
    payslip_id = draft_id(company, employee_id)
    path = f"/employees/{employee_id}/calculations" if page == "employee" else f"/payslips/{payslip_id}/calculations"
    details = "calculation_details."
    data = {"calc_type": "basic_salary", f"{details}fixed_amount": "4200.00", f"{details}hours_input": "10"}
    refused = owner.post(path, data, page=f"/employees/{employee_id}")
    assert refused.status_code == 422
    assert "Has no effect on monthly pay" in page_text(refused)
    hourly = {**data, f"{details}pay_type": "hourly", f"{details}hourly_rate": "20.00", f"{details}fixed_amount": ""}
    assert owner.post(path, hourly, page=f"/employees/{employee_id}").status_code == 303
    # Values of the earlier pay type that are still recorded may stay.
    monthly = {**hourly, f"{details}pay_type": "monthly", f"{details}fixed_amount": "4300.00"}
    assert owner.post(path, monthly, page=f"/employees/{employee_id}").status_code == 303


def test_hours_and_days_say_which_public_holidays_to_include(owner: ConsoleUser, company: Company) -> None:
    include = "Include paid public holidays: 1 Jan 2026."
    page = f"/companies/{company.id}/bulk_input"
    hired(company)
    assert include not in page_text(owner.get(f"{page}?input={HOURS}"))
    hourly = hired(company)
    enter(company, f"employees/{hourly}", "basic_salary", pay_type="hourly", hourly_rate="12.50")
    assert include in page_text(owner.get(page))
    assert include not in page_text(owner.get(f"{page}?input={OVERTIME}"))
    payslip_id = draft_id(company, hourly)
    for form in (f"/payslips/{payslip_id}?enter=basic_salary", f"/employees/{hourly}?tab=pay&once_off=basic_salary"):
        text = page_text(owner.get(form))
        assert include in text
        assert "with the hours of paid public holidays on working days" in text
    assert "Include paid" not in page_text(owner.get(f"/payslips/{payslip_id}?enter=bonus"))
    later = hired(company, appointment_date="2026-01-05")
    enter(company, f"employees/{later}", "basic_salary", pay_type="hourly", hourly_rate="12.50")
    assert include not in page_text(owner.get(f"/payslips/{draft_id(company, later)}?enter=basic_salary"))


def test_the_grid_has_the_hints_of_the_form_for_hours_and_days(owner: ConsoleUser, company: Company) -> None:
    hired(company)
    page, days = f"/companies/{company.id}/bulk_input", "calc.basic_salary.days_input"
    hints = {name: FORMS["pay_item"][name].hint or "" for name in ("hours_input", "days_input")}
    for columns in ([HOURS], [days], [HOURS, days], [OVERTIME]):
        text = page_text(owner.get(f"{page}?{'&'.join(f'input={column}' for column in columns)}"))
        for name, hint in hints.items():
            assert (hint in text) is (f"calc.basic_salary.{name}" in columns), (name, columns)


def test_a_cleared_cell_leaves_no_pay_item_on_the_payslip(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company)
    bonus, hours = "calc.bonus.amount", "calc.basic_salary.overtime_hours_input"
    tab, payslip = f"/employees/{employee_id}?tab=pay", f"/payslips/{draft_id(company, employee_id)}"
    assert saved_rows(owner, company, {employee_id: {bonus: "500", hours: "3"}})[0]["errors"] == {}
    assert "No once-off pay items" not in page_text(owner.get(tab))
    assert saved_rows(owner, company, {employee_id: {bonus: "", hours: ""}})[0]["errors"] == {}
    for page in (tab, payslip):
        assert "Instead of the recurring values" not in page_text(owner.get(page))
    assert "No once-off pay items" in page_text(owner.get(tab))
    assert saved_rows(owner, company, {employee_id: {bonus: "700"}})[0]["errors"] == {}
    assert "Bonus Amount $700.00" in page_text(owner.get(tab))
