"""Facts about finalised periods that are recorded late: the payslip stays, and the difference is proposed once."""

from typing import Any

import httpx
import pytest

from tests.leave.people import OnLeave, leave_types
from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY, MARCH, done, hired, opened, paid
from tests.payroll.payslips.slips import detail, draft, enter, slips
from tests.payroll.retro_proposals.proposals import accepted, act, listed, propose, totals
from tests.payroll.retro_proposals.proposals import path as path_of_proposals
from tests.support.company import Company
from tests.support.problems import assert_problem
from tests.support.running import Member, created

LATE = "?late=true"
HOLIDAYS_PAID: dict[str, Any] = {
    "accrual": "monthly",
    "entitlement": [{"year": 1, "days": 14}],
    "least_months": 3,
    "effective_date": "2026-01-01",
    "public_holidays_off": "pay",
}
FOREIGNER = {"legal_status": "FOREIGNER", "fin": "F1234567N", "nric": None, "nationality": "MY", "race": "OTHER"}


@pytest.fixture
def company(account: Member) -> Company:
    """A company."""
    return Company.of(account)


def first_payslip(company: Company, employee_id: int) -> int:
    """The earliest finalised payslip of an employee."""
    payslip_id: int = next(slip["id"] for slip in reversed(slips(company, employee_id)) if slip["finalised"])
    return payslip_id


def frozen(company: Company, payslip_id: int) -> list[Any]:
    """Everything that is stored about a finalised payslip, and its calculations as the API shows them."""
    rows = "SELECT to_jsonb(p)::text AS row, to_jsonb(s)::text AS snapshot FROM payslips p JOIN payslip_snapshots s "
    stored = company.member.service.as_owner(f"{rows} ON s.payslip_id = p.id WHERE p.id = $1", payslip_id)
    return [stored, company.member.get(f"/payslips/{payslip_id}/calculations").json()]


def items(company: Company, employee_id: int) -> dict[str, str]:
    """The difference of each item of the only open difference of an employee."""
    [proposal] = [proposal for proposal in listed(company, employee_id) if proposal["id"] is None]
    [difference] = proposal["differences"]
    assert proposal["treatment"] == "missed"
    return {item: amounts["difference"] for item, amounts in difference["items"].items()}


def recorded(answer: httpx.Response) -> int:
    """The id of a fact that was recorded late, with a warning."""
    assert answer.status_code == 200, answer.text
    assert "retro proposals" in answer.json()["warnings"]["late"]
    return int(answer.json().get("id", 0))


def unpaid_day(company: Company, employee_id: int, date: str) -> dict[str, Any]:
    """The body of a day of unpaid leave."""
    return {"date": date, "type_id": leave_types(company.member, company.id)["unpaid_leave"]}


def test_unpaid_leave_recorded_late_is_proposed_and_recovered(company: Company) -> None:
    employee_id = hired(company, "3300.00", **FOREIGNER)
    paid(company, JANUARY)
    payslip_id = first_payslip(company, employee_id)
    before = frozen(company, payslip_id)
    path = f"/employees/{employee_id}/leave_days"
    day = unpaid_day(company, employee_id, "2026-01-12")
    assert "or record this as late" in assert_problem(company.member.post(path, day), 409)["message"]
    day_id = recorded(company.member.post(f"{path}{LATE}", day))
    # January 2026 has 22 working days: 3,300 ÷ 22 = 150.
    assert items(company, employee_id) == {"unpaid_leave": "-150.00"}
    assert ["unpaid_leave", "150.00"] not in detail(company, draft(company, employee_id))["deduction"]
    recorded(company.member.patch(f"/leave_days/{day_id}{LATE}", {"hours": 4}))
    assert items(company, employee_id) == {"unpaid_leave": "-75.00"}
    recorded(company.member.delete(f"/leave_days/{day_id}{LATE}"))
    assert listed(company, employee_id) == []
    many = {"dates": [day, unpaid_day(company, employee_id, "2026-01-13")]}
    recorded(company.member.post(f"{path}/create_multiple{LATE}", many))
    accepted(company, employee_id, treatment="missed")
    assert ["overpaid_wages", "300.00"] in detail(company, draft(company, employee_id))["deduction"]
    assert frozen(company, payslip_id) == before
    # A day of an open period needs no flag, and has no warning with it.
    answer = company.member.post(f"{path}{LATE}", unpaid_day(company, employee_id, "2026-02-02"))
    assert "warnings" not in answer.json()


def test_a_late_day_that_was_accepted_and_is_deleted_is_paid_back(company: Company) -> None:
    employee_id = hired(company, "3300.00", **FOREIGNER)
    paid(company, JANUARY)
    path = f"/employees/{employee_id}/leave_days{LATE}"
    day_id = recorded(company.member.post(path, unpaid_day(company, employee_id, "2026-01-12")))
    accepted(company, employee_id, treatment="missed")
    recorded(company.member.delete(f"/leave_days/{day_id}{LATE}"))
    assert items(company, employee_id) == {"unpaid_leave": "150.00"}


def test_a_request_that_is_approved_after_the_month_was_closed(company: Company) -> None:
    employee_id = hired(company, "3300.00", **FOREIGNER)
    dates = {"dates": [unpaid_day(company, employee_id, "2026-01-12")]}
    request_id = created(company.member.post(f"/employees/{employee_id}/leave_requests", dates))
    paid(company, JANUARY)
    assert_problem(company.member.post(f"/leave_requests/{request_id}/approve", {}), 409)
    recorded(company.member.post(f"/leave_requests/{request_id}/approve{LATE}", {}))
    assert items(company, employee_id) == {"unpaid_leave": "-150.00"}


def test_leave_balances_count_late_leave_from_its_date(company: Company) -> None:
    someone = OnLeave(company, hired(company), leave_types(company.member, company.id))
    enter(company, f"employees/{someone.id}", "basic_salary", fixed_amount="4200.00")
    someone.adjust("2026-01-02", 10)
    paid(company, JANUARY)
    shown = detail(company, first_payslip(company, someone.id))
    before = [someone.balance(day) for day in ("2026-01-11", "2026-01-12", "2026-02-28")]
    body = {"date": "2026-01-12", "type_id": someone.types["annual_leave"]}
    recorded(company.member.post(someone.path(f"leave_days{LATE}"), body))
    after = [someone.balance(day) for day in ("2026-01-11", "2026-01-12", "2026-02-28")]
    assert after == [before[0], before[1] - 1, before[2] - 1]
    assert detail(company, first_payslip(company, someone.id)) == shown
    assert listed(company, someone.id) == []  # The leave is paid.


def test_reopening_includes_late_leave_once(company: Company) -> None:
    employee_id = hired(company, "3300.00", **FOREIGNER)
    run_id = paid(company, JANUARY)
    day = unpaid_day(company, employee_id, "2026-01-12")
    recorded(company.member.post(f"/employees/{employee_id}/leave_days{LATE}", day))
    accepted(company, employee_id, treatment="missed")
    done(company, run_id, "unfinalise")
    assert ["unpaid_leave", "150.00"] in detail(company, draft(company, employee_id))["deduction"]
    done(company, run_id, "finalise")
    assert listed(company, employee_id) == []
    assert [item for item, _ in detail(company, draft(company, employee_id))["deduction"]] == ["total"]


def test_overtime_reported_late_is_pay_of_its_own_month(company: Company) -> None:
    employee_id = hired(company, "2288.00", **FOREIGNER, employment_act_group="workman")
    payslip_id = draft(company, employee_id)
    enter(company, f"payslips/{payslip_id}", "basic_salary", overtime_hours_input=2)
    run_id = paid(company, JANUARY)
    before = frozen(company, payslip_id)
    path = f"/payslips/{payslip_id}/calculations"
    body = {"calc_type": "basic_salary", "calculation_details": {"overtime_hours_input": 10}}
    assert "or record this as late" in assert_problem(company.member.post(path, body), 409)["message"]
    calculation_id = recorded(company.member.post(f"{path}{LATE}", body))
    # 12 × 2,288 ÷ (52 × 44) = 12 an hour, 18 for overtime: 8 hours more.
    assert items(company, employee_id) == {"overtime": "144.00"}
    assert frozen(company, payslip_id) == before
    [late] = [row for row in company.member.get(f"{path}{LATE}").json() if row["id"] == calculation_id]
    assert late["overrides"]["overtime_hours_input"] == "10"
    bonus = {"calc_type": "bonus", "calculation_details": {"amount": "500.00"}}
    bonus_id = recorded(company.member.post(f"{path}{LATE}", bonus))
    assert company.member.get(f"/calculations/{bonus_id}").json()["inputs"]["amount"] == "500.00"
    assert items(company, employee_id) == {"bonus": "500.00", "overtime": "144.00"}
    recorded(company.member.patch(f"/calculations/{bonus_id}{LATE}", {"calculation_details": {"amount": "300.00"}}))
    assert_problem(company.member.delete(f"/calculations/{bonus_id}"), 409)
    recorded(company.member.delete(f"/calculations/{bonus_id}{LATE}"))
    accepted(company, employee_id, treatment="missed")
    assert ["corrected_pay", "144.00"] in detail(company, draft(company, employee_id))["income"]
    done(company, run_id, "unfinalise")
    assert ["overtime", "180.00"] in detail(company, draft(company, employee_id))["income"]
    done(company, run_id, "finalise")
    assert listed(company, employee_id) == []
    assert "corrected_pay" not in dict(detail(company, draft(company, employee_id))["income"])


def test_late_hours_do_not_turn_a_raise_into_missed_pay(company: Company) -> None:
    employee_id = hired(company, "2288.00", **FOREIGNER, employment_act_group="workman")
    payslip_id = draft(company, employee_id)
    paid(company, JANUARY)
    body = {"calc_type": "basic_salary", "calculation_details": {"overtime_hours_input": 10}}
    recorded(company.member.post(f"/payslips/{payslip_id}/calculations{LATE}", body))
    raised = {"calc_type": "basic_salary", "calculation_details": {"fixed_amount": "2400.00"}}
    raised["valid_from"] = "2026-01-01"
    created(company.member.post(f"/employees/{employee_id}/calculations", raised))
    missed, later = sorted(listed(company, employee_id), key=lambda proposal: proposal["treatment"], reverse=True)
    assert (missed["treatment"], missed["total"]) == ("missed", "180.00")
    # 112 of salary, and 10 hours at 1.5 × (12 × 2,400 ÷ 2,288), 188.81 instead of 180.
    assert (later["treatment"], later["total"]) == ("decided_later", "120.81")


def test_a_custom_item_that_was_defined_later_can_be_paid_for_an_earlier_month(company: Company) -> None:
    employee_id = hired(company, "3000.00", **FOREIGNER)
    payslip_id = draft(company, employee_id)
    paid(company, JANUARY)
    definition = {"name": "Tool money", "kind": "reimbursement", "input": "per_payslip"}
    item_id = created(company.member.post(f"/clients/{company.id}/calculation_definitions", definition))
    body = {"calc_type": str(item_id), "calculation_details": {"amount": "25.00"}}
    recorded(company.member.post(f"/payslips/{payslip_id}/calculations{LATE}", body))
    assert items(company, employee_id) == {str(item_id): "25.00"}


def test_a_last_day_found_out_late(company: Company) -> None:
    employee_id = hired(company, "3300.00", **FOREIGNER)
    paid(company, JANUARY)
    paid(company, FEBRUARY)
    payslip_id = first_payslip(company, employee_id)
    before = frozen(company, payslip_id)
    action = {"employee_action": {"termination_date": "2026-01-20", "termination_code": 1}}
    path = f"/employees/{employee_id}/service_periods/end_service"
    assert "or record this as late" in assert_problem(company.member.post(path, action), 409)["message"]
    recorded(company.member.post(f"{path}{LATE}", action))
    # 14 of 22 working days until 20 January; nothing in February.
    [proposal] = listed(company, employee_id)
    amounts = [difference["items"]["basic_salary"]["due"] for difference in proposal["differences"]]
    assert amounts == ["2100.00", "0.00"]
    assert frozen(company, payslip_id) == before
    assert [slip for slip in slips(company, employee_id) if not slip["finalised"]] == []
    proposal_id = propose(company, employee_id, treatment="missed")
    message = assert_problem(act(company, employee_id, proposal_id, "accept"), 409)["message"]
    assert "has no draft that could pay the proposal" in message
    assert "correction run" in message
    assert company.member.delete(f"{path_of_proposals(employee_id)}/{proposal_id}").status_code == 200
    assert company.member.delete(f"/employees/{employee_id}/service_periods/undo_end_service").status_code == 200
    assert listed(company, employee_id) == []


def test_annual_leave_of_a_leaver_is_paid_out_although_the_last_month_is_closed(company: Company) -> None:
    someone = OnLeave(company, hired(company, "2200.00", **FOREIGNER), leave_types(company.member, company.id))
    someone.adjust("2026-01-02", 3)
    paid(company, JANUARY)
    company.leave(someone.id, "2026-01-31")
    [proposal] = listed(company, someone.id)
    [difference] = proposal["differences"]
    assert list(difference["items"]) == ["leave_encashment"]
    # 12 × 2,200 ÷ (52 × 5) = 101.54 a day.
    assert difference["items"]["leave_encashment"]["due"] == "304.62"


@pytest.mark.parametrize(
    ("start", "due", "difference"), [("2026-01-12", "2250.00", "-750.00"), ("2026-01-19", "1500.00", "-1500.00")]
)
def test_a_start_later_than_recorded(company: Company, start: str, due: str, difference: str) -> None:
    employee_id = hired(company, "3300.00", **FOREIGNER, appointment_date="2026-01-05")
    paid(company, JANUARY)
    change = {"employee": {"appointment_date": start}}
    assert_problem(company.patch(employee_id, appointment_date=start), 409)
    recorded(company.member.patch(f"/employees/{employee_id}{LATE}", change))
    [proposal] = listed(company, employee_id)
    [past] = proposal["differences"]
    assert past["items"]["basic_salary"] == {"paid": "3000.00", "due": due, "difference": difference}


def test_a_start_earlier_than_recorded(company: Company) -> None:
    employee_id = hired(company, "3300.00", **FOREIGNER, appointment_date="2026-01-12")
    paid(company, JANUARY)
    recorded(company.member.patch(f"/employees/{employee_id}{LATE}", {"employee": {"appointment_date": "2026-01-05"}}))
    assert items(company, employee_id) == {"basic_salary": "750.00"}
    answer = company.patch(employee_id, appointment_date="2025-12-15")
    assert answer.json()["warnings"] == {
        "appointment_date": "The days before 2026-01-01 have no payslip. Pay them with a once-off payslip."
    }


def test_regular_hours_found_out_late(company: Company) -> None:
    assert company.member.patch(f"/clients/{company.id}", {"regular_hours_v2": True}).status_code == 200
    employee_id = hired(company, "0.00", **FOREIGNER)
    enter(company, f"employees/{employee_id}", "basic_salary", pay_type="daily", daily_rate="100.00")
    paid(company, JANUARY)
    body = {
        "calc_type": "week_hours",
        "effective_date": "2026-01-01",
        "calculation_details": {"schedule": "fixed", "works_fri": False},
    }
    path = f"/employees/{employee_id}/inherited_calculations"
    assert "or record this as late" in assert_problem(company.member.patch(path, body), 409)["message"]
    recorded(company.member.patch(f"{path}{LATE}", body))
    # January 2026 has five Fridays.
    assert items(company, employee_id) == {"basic_salary": "-500.00"}


def test_a_proposal_is_declined_and_the_month_reopened(company: Company) -> None:
    employee_id = hired(company, "3300.00", **FOREIGNER)
    run_id = paid(company, JANUARY)
    day = unpaid_day(company, employee_id, "2026-01-12")
    recorded(company.member.post(f"/employees/{employee_id}/leave_days{LATE}", day))
    proposal_id = accepted(company, employee_id, treatment="missed")
    assert act(company, employee_id, proposal_id, "decline").status_code == 200
    done(company, run_id, "unfinalise")
    done(company, run_id, "finalise")
    assert listed(company, employee_id) == []
    paid(company, FEBRUARY)
    run_id = opened(company, MARCH)
    done(company, run_id, "finalise")
    assert totals(company, employee_id) == []


def work_on_thursdays(someone: OnLeave, works: bool) -> None:
    """Record late whether an employee works on Thursdays since January 2026."""
    details = {"works_thu": works}
    body = {"calc_type": "week_hours", "effective_date": "2026-01-01", "calculation_details": details}
    recorded(someone.member.patch(someone.path(f"inherited_calculations{LATE}"), body))


def test_hours_that_change_late_pay_the_public_holidays_on_days_off(company: Company) -> None:
    someone = OnLeave(company, hired(company, "2600.00", **FOREIGNER), leave_types(company.member, company.id))
    assert someone.put_policy(**HOLIDAYS_PAID).status_code == 200
    paid(company, JANUARY)
    payslip_id = first_payslip(company, someone.id)
    before = frozen(company, payslip_id)
    # New Year's Day of 2026 is a Thursday: 12 × 2,600 ÷ (52 × 4) = 150.
    work_on_thursdays(someone, False)
    assert items(company, someone.id) == {"public_holiday_off_pay": "150.00"}
    accepted(company, someone.id, treatment="missed")
    assert ["corrected_pay", "150.00"] in detail(company, draft(company, someone.id))["income"]
    work_on_thursdays(someone, True)
    assert items(company, someone.id) == {"public_holiday_off_pay": "-150.00"}
    assert frozen(company, payslip_id) == before


def test_days_off_that_were_entered_for_a_payslip_do_not_follow_the_hours(company: Company) -> None:
    someone = OnLeave(company, hired(company, "2600.00", **FOREIGNER), leave_types(company.member, company.id))
    assert someone.put_policy(**HOLIDAYS_PAID).status_code == 200
    enter(company, f"payslips/{draft(company, someone.id)}", "basic_salary", public_holiday_off_days=0)
    paid(company, JANUARY)
    work_on_thursdays(someone, False)
    assert listed(company, someone.id) == []
