"""Effects of leave on payslips."""

from typing import Any

import pytest

from tests.leave.people import OnLeave
from tests.support.company import Company
from tests.support.problems import assert_problem
from tests.support.running import created

JANUARY = {"frequency": "monthly", "last_day_of_month": 31, "first_end_date": "2026-01-31"}
# January 2026 has 22 working days, from Monday to Friday: a day is 100 dollars.
SALARY = {"calc_type": "basic_salary", "calculation_details": {"pay_type": "monthly", "fixed_amount": "2200.00"}}


@pytest.fixture
def paid(company: Company) -> OnLeave:
    """An employee since 1 January 2025 whose first payslip is that of January 2026."""
    someone = OnLeave.hired(company, wave_id=company.wave(**JANUARY), appointment_date="2025-01-01")
    created(someone.member.post(someone.path("calculations"), SALARY))
    return someone


def payslip(someone: OnLeave) -> dict[str, Any]:
    """The draft, in its detail form."""
    drafts = [one["payslip"] for one in someone.member.get(someone.path("payslips")).json()]
    [draft] = [one for one in drafts if not one["finalised"]]
    found: dict[str, Any] = someone.member.get(f"/payslips/{draft['id']}").json()["payslip"]
    return found


def deduction(someone: OnLeave, item: str = "unpaid_leave") -> str | None:
    return dict(payslip(someone)["deduction"]).get(item)


def income(someone: OnLeave, item: str = "leave_encashment") -> str | None:
    return dict(payslip(someone)["income"]).get(item)


def enter(someone: OnLeave, calc_type: str, **given: Any) -> None:
    answer = someone.member.post(f"/payslips/{payslip(someone)['id']}/calculations", {"calc_type": calc_type, **given})
    assert answer.status_code == 200, answer.text


def run_of(someone: OnLeave, end: str = "2026-01-31") -> int:
    """A finalised run with the payslip."""
    wave_id = someone.company.employee(someone.id)["wave_id"]
    body = {"wave_id": wave_id, "period_end_date": end}
    run_id = created(someone.member.post(f"/clients/{someone.company.id}/payment_runs", body))
    answer = someone.member.post(f"/payment_runs/{run_id}/finalise")
    assert answer.status_code == 200, answer.text
    return run_id


def test_unpaid_leave_reduces_pay_by_the_formula_of_the_law(paid: OnLeave) -> None:
    before = payslip(paid)
    day_id = paid.take("2026-01-12", "unpaid_leave")
    assert deduction(paid) == "100.00"
    [day] = paid.listed()
    assert day["payslip_id"] == before["id"]
    paid.take("2026-01-13", "unpaid_leave", hours=4)
    assert deduction(paid) == "150.00"
    assert paid.member.patch(f"/leave_days/{day_id}", {"hours": 2}).status_code == 200
    assert deduction(paid) == "75.00"
    for day in paid.listed():
        assert paid.member.delete(f"/leave_days/{day['id']}").status_code == 200
    assert payslip(paid) == before


def test_infant_care_leave_is_not_paid_either(paid: OnLeave) -> None:
    paid.adjust("2026-01-05", 12, "infant_care_leave")
    paid.take("2026-01-12", "infant_care_leave")
    assert deduction(paid) == "100.00"


def test_leave_of_another_month_does_not_count(paid: OnLeave) -> None:
    paid.take("2026-02-02", "unpaid_leave")
    assert deduction(paid) is None


def test_a_public_holiday_inside_unpaid_leave_is_unpaid(company: Company) -> None:
    wave = JANUARY | {"first_end_date": "2026-02-28"}
    someone = OnLeave.hired(company, wave_id=company.wave(**wave), appointment_date="2025-01-01")
    created(someone.member.post(someone.path("calculations"), SALARY))
    for day in ("2026-02-16", "2026-02-19"):
        someone.take(day, "unpaid_leave")
    # Two days of leave and the two days of Chinese New Year between them, of 20 working days.
    assert deduction(someone) == "440.00"


def test_manual_entries_on_the_payslip_take_precedence(paid: OnLeave) -> None:
    paid.take("2026-01-12", "unpaid_leave")
    enter(paid, "unpaid_leave", calculation_details={"days": "3"})
    assert deduction(paid) == "300.00"
    paid.take("2026-01-13", "unpaid_leave")
    assert deduction(paid) == "300.00"


def test_entries_suppressed_on_the_payslip_are_not_added(paid: OnLeave) -> None:
    paid.take("2026-01-12", "unpaid_leave")
    enter(paid, "unpaid_leave", deleted=True)
    assert deduction(paid) is None
    paid.take("2026-01-13", "unpaid_leave")
    assert deduction(paid) is None


def test_another_input_does_not_lose_the_unpaid_leave(paid: OnLeave) -> None:
    paid.take("2026-01-12", "unpaid_leave")
    enter(paid, "bonus", calculation_details={"amount": "50.00"})
    assert deduction(paid) == "100.00"
    assert income(paid, "bonus") == "50.00"


def test_unpaid_leave_has_an_explanation(paid: OnLeave) -> None:
    paid.take("2026-01-12", "unpaid_leave")
    told = paid.member.get(f"/payslips/{payslip(paid)['id']}/explanation").json()["explanation"]
    [line] = [one for one in told if one["item"] == "unpaid_leave"]
    assert line["amount"] == "100.00"


def test_a_payslip_shows_leave(paid: OnLeave) -> None:
    paid.take("2026-01-12")
    paid.take("2026-01-13", "sick_leave", hours=4)
    paid.take("2026-01-14", "unpaid_leave")
    paid.adjust("2026-01-15", 6, "childcare_leave")
    assert payslip(paid)["leave"] == {
        "annual_leave": {"accrual": 1, "taken": 1, "balance": 7},
        "sick_leave": {"accrual": 0, "taken": 0.5, "balance": 13.5},
        "hospitalisation_leave": {"accrual": 0, "taken": 0.5, "balance": 59.5},
        "childcare_leave": {"accrual": 6, "taken": 0, "balance": 6},
        "unpaid_leave": {"accrual": 0, "taken": 1, "balance": -1},
    }


def test_paid_leave_shows_what_it_was_paid_for(paid: OnLeave) -> None:
    paid.take("2026-01-12")
    paid.take("2026-01-13", "sick_leave", hours=4)
    paid.take("2026-01-14", "unpaid_leave")
    [found] = [one for one in paid.company.listed("?include=recent_payslips_with_data") if one["id"] == paid.id]
    [slip] = found["recent_payslips_with_data"]
    # A day at the gross rate of pay: 12 × 2,200 ÷ (52 × 5) = 101.538…
    assert slip["payslip"]["data"]["leave_payments"] == {
        "annual_leave": {"days": 1, "amount": "101.54"},
        "sick_leave": {"days": 0.5, "amount": "50.77"},
    }


def test_the_last_payslip_pays_out_annual_leave(paid: OnLeave) -> None:
    before = paid.member.service.client_rows(paid.company.id)
    slip = payslip(paid)
    paid.company.leave(paid.id, "2026-01-16")
    # Seven days of the first year, none of the second yet: 7 × 101.538…
    assert income(paid) == "710.77"
    assert payslip(paid)["leave"]["annual_leave"] == {"accrual": 0, "taken": 7, "balance": 0}
    assert paid.company.act(paid.id, "undo_end_service").status_code == 200
    assert payslip(paid) == slip
    after = paid.member.service.client_rows(paid.company.id)
    for table in ("leave_days", "leave_adjustments", "leave_policies"):
        assert after[table] == before[table]


def test_annual_leave_is_paid_out_to_someone_who_is_reinstated_in_the_same_period(paid: OnLeave) -> None:
    paid.company.leave(paid.id, "2026-01-16")
    assert paid.company.act(paid.id, "reinstate", appointment_date="2026-01-20").status_code == 200
    assert income(paid) == "710.77"
    run_of(paid)
    assert paid.member.get(paid.path("retro_proposals")).json() == []
    assert income(paid) is None


def test_leave_before_the_last_day_is_not_paid_out(paid: OnLeave) -> None:
    paid.take("2026-01-12")
    paid.take("2026-01-20")
    paid.company.leave(paid.id, "2026-01-16")
    assert income(paid) == "609.23"


def test_dismissal_for_misconduct_pays_out_nothing(paid: OnLeave) -> None:
    paid.company.leave(paid.id, "2026-01-16", code=3)
    assert income(paid) is None


def test_manual_entries_are_paid_out_instead(paid: OnLeave) -> None:
    paid.company.leave(paid.id, "2026-01-16")
    enter(paid, "leave_encashment", calculation_details={"amount": "50.00"})
    assert income(paid) == "50.00"


def with_excess_leave(someone: OnLeave) -> None:
    """Twelve days a year, nine of them taken in January; the employee leaves when two have been earned."""
    answer = someone.put_policy(
        accrual="yearly",
        entitlement=[{"year": 1, "days": 12}, {"year": 7, "days": 14}],
        carry_over={"limit": 0},
        effective_date="2025-01-01",
    )
    assert answer.status_code == 200, answer.text
    for day in (5, 6, 7, 8, 9, 12, 13, 14, 15):
        someone.take(f"2026-01-{day:02d}")
    run_of(someone)
    someone.company.leave(someone.id, "2026-02-28")


def test_the_last_payslip_deducts_excess_leave_at_the_gross_rate(paid: OnLeave) -> None:
    with_excess_leave(paid)
    # Seven days at 12 × 2,200 ÷ (52 × 5) = 101.538… CPF of February is on 2,200.
    assert deduction(paid, "excess_leave") == "710.77"
    assert deduction(paid, "cpf_employee") == "440.00"
    explained = paid.member.get(f"/payslips/{payslip(paid)['id']}/explanation").json()
    [line] = [line for line in explained["explanation"] if line["item"] == "excess_leave"]
    assert line["inputs"]["taken in January 2026"] == "710.77"
    # CPF of January on 1,489.23 instead of 2,200: 551 instead of 814, of which 297 instead of 440.
    [remark] = explained["remarks"]
    assert "a refund of $263.00, of which $143.00 is the employee's share" in remark


def test_excess_leave_can_be_left_out_or_entered(paid: OnLeave) -> None:
    with_excess_leave(paid)
    enter(paid, "excess_leave", deleted=True)
    assert deduction(paid, "excess_leave") is None
    enter(paid, "excess_leave", deleted=False, calculation_details={"amount": "100.00", "taken_in": "2026-02"})
    assert deduction(paid, "excess_leave") == "100.00"
    assert deduction(paid, "cpf_employee") == "420.00"


def test_excess_leave_of_a_later_month_is_rejected(paid: OnLeave) -> None:
    body = {"calc_type": "excess_leave", "calculation_details": {"days": 1, "taken_in": "2026-02"}}
    path = f"/payslips/{payslip(paid)['id']}/calculations"
    errors = assert_problem(paid.member.post(path, body), 422)["errors"]
    assert errors == {"calculation_details.taken_in": "is after 2026-01, the month of the payslip"}
    assert deduction(paid, "excess_leave") is None


def test_an_employee_who_stays_is_paid_out_nothing(paid: OnLeave) -> None:
    assert income(paid) is None


def test_a_finalised_period_rejects_changes_of_leave(paid: OnLeave) -> None:
    day_id = paid.take("2026-01-12")
    adjustment_id = paid.adjust("2026-01-15", 2)
    later = paid.take("2026-02-02")
    run_id = run_of(paid)
    before = paid.member.service.fingerprint()
    told = "is inside the finalised payslip of 2026-01-31; unfinalise that pay run first"
    refusals = [
        paid.post("2026-01-13", "unpaid_leave"),
        paid.post_many([{"date": "2026-01-13", "type_id": paid.types["unpaid_leave"]}]),
        paid.member.patch(f"/leave_days/{day_id}", {"hours": 2}),
        paid.member.patch(f"/leave_days/{later}", {"date": "2026-01-13"}),
        paid.member.delete(f"/leave_days/{day_id}"),
        paid.member.patch(f"/leave_adjustments/{adjustment_id}", {"days": 3}),
        paid.member.delete(f"/leave_adjustments/{adjustment_id}"),
        paid.member.post(
            paid.path("leave_requests"), {"dates": [{"date": "2026-01-13", "type_id": paid.types["unpaid_leave"]}]}
        ),
    ]
    for answer in refusals:
        assert told in assert_problem(answer, 409)["message"]
    policy = paid.put_policy("unpaid_leave", accrual="none", effective_date="2026-01-31")
    assert "is not after 2026-01-31, the last day of a finalised period" in assert_problem(policy, 409)["message"]
    assert paid.member.service.fingerprint() == before
    assert paid.member.post(f"/payment_runs/{run_id}/unfinalise").status_code == 200
    assert paid.member.delete(f"/leave_days/{day_id}").status_code == 200


def test_a_finalised_payslip_keeps_the_leave_that_it_showed(paid: OnLeave) -> None:
    paid.take("2026-01-12")
    shown = payslip(paid)
    run_of(paid)
    paid.take("2026-02-03")
    answer = paid.put_policy(accrual="yearly", entitlement=[{"year": 1, "days": 21}], effective_date="2026-02-01")
    assert answer.status_code == 200, answer.text
    assert paid.member.get(f"/payslips/{shown['id']}").json()["payslip"] == shown
    assert payslip(paid)["leave"]["annual_leave"]["taken"] == 1


def test_changing_what_a_policy_pays_changes_the_draft(paid: OnLeave) -> None:
    paid.take("2026-01-12", "compassionate_leave")
    assert deduction(paid) is None
    given = {"accrual": "none", "below_zero": True, "paid": False, "effective_date": "2026-01-01"}
    assert paid.put_policy("compassionate_leave", **given).status_code == 200
    assert deduction(paid) == "100.00"


def test_renaming_a_type_renames_it_on_the_draft(paid: OnLeave) -> None:
    answer = paid.member.patch(f"/leave_types/{paid.types['annual_leave']}", {"name": "Annual"})
    assert answer.status_code == 200
    assert "Annual" in payslip(paid)["leave"]


def explanation(someone: OnLeave) -> dict[str, Any]:
    """The explanation of the draft, with its remarks."""
    explained: dict[str, Any] = someone.member.get(f"/payslips/{payslip(someone)['id']}/explanation").json()
    return explained


def test_national_service_is_paid_in_full_and_claimed(paid: OnLeave) -> None:
    paid.take("2026-01-12", "national_service_leave")
    paid.take("2026-01-13", "national_service_leave", hours=4)
    assert deduction(paid, "national_service_leave") is None
    [remark] = explanation(paid)["remarks"]
    assert remark.startswith("National service: 1.5 days on full pay, $150.00 of this payslip.")


def test_national_service_is_deducted_outside_the_direct_scheme(paid: OnLeave) -> None:
    client = f"/clients/{paid.company.id}"
    assert paid.member.get(client).json()["client"]["ns_direct_scheme"] is True
    paid.take("2026-01-12", "national_service_leave")
    assert paid.member.patch(client, {"ns_direct_scheme": False}).status_code == 200
    paid.member.service.wait_until_idle()
    # CPF is on 2,200 and the levy on the 2,100 that are paid.
    assert deduction(paid, "national_service_leave") == "100.00"
    assert deduction(paid, "cpf_employee") == "440.00"
    assert dict(dict(payslip(paid)["sideline"])["employer_contribution"])["sdl"] == "5.25"
    enter(paid, "national_service_leave", calculation_details={"usual_wages": "2500.00"})
    assert deduction(paid, "national_service_leave") == "100.00"
    assert deduction(paid, "cpf_employee") == "500.00"
    assert paid.member.patch(client, {"ns_direct_scheme": True}).status_code == 200
    paid.member.service.wait_until_idle()
    assert deduction(paid, "national_service_leave") is None


def test_the_direct_scheme_is_true_or_false(paid: OnLeave) -> None:
    answer = paid.member.patch(f"/clients/{paid.company.id}", {"ns_direct_scheme": "sometimes"})
    assert list(assert_problem(answer, 422)["errors"]) == ["ns_direct_scheme"]


def test_unpaid_leave_belongs_to_the_month_of_its_days(company: Company) -> None:
    wave_id = company.wave(frequency="weekly", first_end_date="2026-04-05")
    someone = OnLeave.hired(company, wave_id=wave_id, appointment_date="2025-01-01")
    details = {"pay_type": "monthly", "fixed_amount": "600.00"}
    created(
        someone.member.post(someone.path("calculations"), {"calc_type": "basic_salary", "calculation_details": details})
    )
    for day in ("2026-03-30", "2026-03-31"):
        someone.take(day, "unpaid_leave")
    # 240 of the 600 are for March, and all of it is unpaid. CPF of April is on 360: 61.20, rounded.
    assert deduction(someone) == "240.00"
    shares = {line["item"]: line for line in explanation(someone)["explanation"]}
    assert "240.00 − 240.00 = 0.00" in shares["cpf_employer"]["arithmetic"]
    assert shares["cpf_employer"]["amount"] == "61.00"


def test_unpaid_leave_takes_off_the_salary_of_its_day(paid: OnLeave) -> None:
    raised = {"calc_type": "basic_salary", "calculation_details": {"fixed_amount": "4400.00"}}
    answer = paid.member.post(paid.path("calculations"), {**raised, "valid_from": "2026-01-19"})
    assert answer.status_code == 200, answer.text
    before = paid.take("2026-01-12", "unpaid_leave")
    assert deduction(paid) == "100.00"
    paid.take("2026-01-26", "unpaid_leave")
    assert deduction(paid) == "300.00"
    assert paid.member.delete(f"/leave_days/{before}").status_code == 200
    assert deduction(paid) == "200.00"


def test_a_payslip_shows_the_leave_that_is_granted_for_a_child(paid: OnLeave) -> None:
    child = {"name": "Tan Wei Ming", "birthdate": "2024-05-15", "citizenship": "CITIZEN"}
    created(paid.member.post(paid.path("children"), child))
    leave = payslip(paid)["leave"]
    assert leave["childcare_leave"] == {"accrual": 0, "taken": 0, "balance": 6}
    assert "maternity_leave" not in leave
