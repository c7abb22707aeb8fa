"""Totals from earlier payslips: month, year, tracked balances, and amounts carried forward."""

from typing import Any

import msgspec

from gaji.engine.payslip_input import PayslipInput
from tests.payroll.payslips.slips import detail, draft, enter, finalise, slips
from tests.support.company import TWICE_A_MONTH, WEEKLY, Company

YEAR = {
    "year": 2026,
    "ordinary_wages": "60000.00",
    "ordinary_wages_subject": "56000.00",
    "additional_wages": "1000.00",
    "additional_wages_subject": "900.00",
}


def case(company: Company, payslip_id: int) -> PayslipInput:
    """The case that is kept with a payslip."""
    [row] = company.member.service.as_owner("SELECT inputs FROM payslips WHERE id = $1", payslip_id)
    return msgspec.json.decode(row["inputs"], type=PayslipInput)


def hired(company: Company, appointed: str = "2026-01-01", wave_id: int | None = None, **salary: Any) -> int:
    employee_id = company.hire(appointment_date=appointed, wave_id=wave_id or company.wave_id)
    enter(company, f"employees/{employee_id}", "basic_salary", **(salary or {"fixed_amount": "4200.00"}))
    return employee_id


def amounts(company: Company, payslip_id: int) -> dict[str, str]:
    slip = detail(company, payslip_id)
    return dict(slip["deduction"]) | dict(slip["sideline"][0][1] if slip["sideline"] else [])


def test_the_payslips_of_a_month_add_up_to_its_liability(company: Company) -> None:
    wave_id = company.wave(**TWICE_A_MONTH)
    employee_id = hired(company, wave_id=wave_id, fixed_amount="2100.00")
    first = finalise(company, employee_id)
    second = draft(company, employee_id)
    assert case(company, second).month_to_date.ordinary == 210_000
    assert case(company, second).month_to_date.cpf_employee == 42_000
    assert amounts(company, first)["cpf_employee"] == "420.00"
    assert amounts(company, second)["cpf_employee"] == "420.00"
    finalise(company, employee_id)
    third = case(company, draft(company, employee_id))
    assert third.month_to_date.ordinary == 0
    assert third.year_to_date.ordinary_subject == 420_000


def test_a_new_month_and_a_new_year_begin_with_nothing(company: Company) -> None:
    employee_id = hired(company, "2025-11-01")
    for _ in range(2):
        finalise(company, employee_id)
    assert [one["date"] for one in slips(company, employee_id)] == ["2025-11-30", "2025-12-31", "2026-01-31"]
    found = case(company, draft(company, employee_id))
    assert (found.year_to_date.ordinary_subject, found.month_to_date.ordinary, found.last_month_ordinary_cents) == (
        0,
        0,
        420_000,
    )


def test_the_months_before_add_up(company: Company) -> None:
    employee_id = hired(company)
    enter(company, f"payslips/{draft(company, employee_id)}", "bonus", amount="1000.00")
    for _ in range(3):
        finalise(company, employee_id)
    year = case(company, draft(company, employee_id)).year_to_date
    assert (year.ordinary_subject, year.additional, year.additional_subject) == (1_260_000, 100_000, 100_000)


def test_take_on_balances_count_in_their_year(company: Company) -> None:
    employee_id = hired(company)
    answer = company.member.call("PUT", f"/employees/{employee_id}/take_on_balances", json=YEAR)
    assert answer.status_code == 200, answer.text
    year = case(company, draft(company, employee_id)).year_to_date
    assert (year.ordinary_subject, year.additional, year.additional_subject) == (5_600_000, 100_000, 90_000)
    company.member.call("PUT", f"/employees/{employee_id}/take_on_balances", json={**YEAR, "year": 2025})
    assert case(company, draft(company, employee_id)).year_to_date.ordinary_subject == 0


def test_the_last_month_counts_when_it_was_served_from_the_first_day_to_the_last(company: Company) -> None:
    employee_id = hired(company, "2026-01-02")
    finalise(company, employee_id)
    assert case(company, draft(company, employee_id)).last_month_ordinary_cents == 0
    finalise(company, employee_id)
    assert case(company, draft(company, employee_id)).last_month_ordinary_cents == 420_000


def test_a_loan_goes_down_with_each_finalised_payslip_and_ends(company: Company) -> None:
    employee_id = hired(company)
    enter(company, f"employees/{employee_id}", "loan", balance="1000.00", instalment="400.00", start_date="2026-01-01")
    taken = []
    for _ in range(4):
        taken.append(amounts(company, draft(company, employee_id)).get("loan"))
        finalise(company, employee_id)
    assert taken == ["400.00", "400.00", "200.00", None]


def test_a_new_start_date_begins_a_new_balance(company: Company) -> None:
    employee_id = hired(company)
    enter(company, f"employees/{employee_id}", "loan", balance="1000.00", instalment="800.00", start_date="2026-01-01")
    finalise(company, employee_id)
    assert amounts(company, draft(company, employee_id))["loan"] == "200.00"
    enter(company, f"employees/{employee_id}", "loan", start_date="2026-02-01")
    assert case(company, draft(company, employee_id)).instalments_cents == {"loan": 0}
    assert amounts(company, draft(company, employee_id))["loan"] == "800.00"


def test_amounts_that_could_not_be_deducted_are_carried_forward(company: Company) -> None:
    employee_id = hired(company, fixed_amount="1000.00")
    enter(company, f"payslips/{draft(company, employee_id)}", "other_deduction", amount="500.00")
    first = finalise(company, employee_id)
    # Half of the salary, less CPF and funds.
    assert amounts(company, first)["other_deduction"] == "299.50"
    second = draft(company, employee_id)
    assert case(company, second).carried_forward_cents == {"other_deduction": 20_050}
    assert amounts(company, second)["other_deduction"] == "200.50"
    told = company.member.get(f"/payslips/{first}/explanation").json()
    assert told["remarks"] == [
        "Other deduction: $200.50 of $500.00 could not be deducted and is carried forward to the next payslip: "
        "deductions, including CPF, are limited to 50% of the salary"
    ]
    finalise(company, employee_id)
    assert case(company, draft(company, employee_id)).carried_forward_cents == {}


def test_a_leaver_is_paid_for_the_days_until_the_last(company: Company) -> None:
    employee_id = hired(company, fixed_amount="2200.00")
    company.leave(employee_id, "2026-01-09")
    found = case(company, draft(company, employee_id))
    assert str(found.last_service_date) == "2026-01-09"
    assert detail(company, draft(company, employee_id))["income"][0] == ["basic_salary", "700.00"]


def test_a_week_that_two_waves_share_is_paid_by_each_for_its_own_days(company: Company) -> None:
    weekly = company.wave(**WEEKLY)
    employee_id = hired(company, "2026-01-01", fixed_amount="2200.00")
    service = company.member.service
    service.as_owner("UPDATE wave_periods SET end_date = '2026-01-31' WHERE employee_id = $1", employee_id)
    service.as_owner(
        "INSERT INTO wave_periods (client_id, employee_id, wave_id, start_date) VALUES ($1, $2, $3, '2026-02-01')",
        company.id,
        employee_id,
        weekly,
    )
    finalise(company, employee_id)
    first, second = slips(company, employee_id)
    assert (first["date"], second["date"]) == ("2026-01-31", "2026-02-06")
    [stretch] = case(company, second["id"]).service
    assert (str(stretch.start), stretch.end) == ("2026-02-01", None)
