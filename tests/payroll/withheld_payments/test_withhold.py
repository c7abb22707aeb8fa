"""POST /payslips/:id/withhold_payment: pay that a finalised run does not withhold for tax clearance (IR21)."""

from datetime import date, timedelta
from typing import Any

import httpx
import pytest

from gaji.core import clock
from tests.company.audit_log.test_audit_log import changes, entries
from tests.payroll.payment_runs.runs import done, hired, opened, paid
from tests.payroll.withheld_payments.test_release import (
    GIRO,
    PAYER,
    files,
    leaver,
    release,
    slip_of,
    trail,
    withheld,
)
from tests.support.company import Company
from tests.support.problems import assert_problem
from tests.support.races import at_once
from tests.support.running import Member

LAST_DAY, NOTICE_DATE = "2026-02-27", "2026-02-19"
FILE = "dbs_giro.csv"


@pytest.fixture
def company(account: Member) -> Company:
    """A company that pays from an account with DBS."""
    return Company.of(account, bank_account=PAYER)


def withhold(company: Company, slip: int) -> httpx.Response:
    return company.member.post(f"/payslips/{slip}/withhold_payment")


def unwithheld(company: Company, **given: Any) -> tuple[int, int, int]:
    """Return a leaver, the run of January, and the payslip in it: notice was given after the run was finalised."""
    employee_id = leaver(company, end_date=None)
    january = paid(company)
    company.leave(employee_id, LAST_DAY, **{"notice_date": NOTICE_DATE, "ir21": True, **given})
    return employee_id, january, slip_of(company, january, employee_id)


def mark_paid(company: Company, run_id: int, day: date) -> None:
    answer = company.member.post(f"/payment_runs/{run_id}/mark_paid", {"payment_date": str(day)})
    assert answer.status_code == 200, answer.text


def refusal(company: Company, slip: int) -> tuple[str, str]:
    """Return the code and the reason with which withholding is rejected."""
    problem = assert_problem(withhold(company, slip), 409)
    [detail] = problem["error_details"]
    assert detail["path"] == "payslip_id"
    assert problem["message"] == f"The payment of payslip {slip} cannot be withheld: {detail['message']}"
    return detail["code"], detail["message"]


def test_pay_that_the_run_does_not_withhold_is_withheld_until_it_is_released(company: Company) -> None:
    hired(company, **GIRO)
    employee_id, january, slip = unwithheld(company)
    company.member.get(f"/payment_runs/{january}/files/{FILE}")
    assert withheld(company, employee_id) == []
    assert withhold(company, slip).json() == {"message": "The payment of the payslip is withheld", "id": slip}
    [payment] = withheld(company, employee_id)
    assert (payment["payslip_id"], payment["withheld"]) == (slip, 5000.0)
    file = files(company, january)[FILE]
    assert file["payments"] == 1
    assert file["withheld"] == [{"payslip_id": slip, "employee_id": employee_id, "amount": 5000.0}]
    [change] = file["changes"]
    assert (change["payslip_id"], change["downloaded"], change["current"]) == (slip, 5000.0, 0.0)
    assert release(company, slip, amount=1000, to="iras").status_code == 200
    assert release(company, slip).status_code == 200
    assert trail(company, slip) == [(1000.0, "iras"), (4000.0, "employee")]
    assert files(company, january)["dbs_giro_released.csv"]["total"] == 4000.0


def test_the_audit_log_says_who_withheld_it_and_reopening_starts_again(company: Company) -> None:
    employee_id, january, slip = unwithheld(company)
    assert withhold(company, slip).status_code == 200
    log = "?record_type=payment_withholdings"
    [entry] = entries(company, log)
    assert (entry["action"], changes(entry)) == ("create", {"payslip_id": (None, slip)})
    for action in ("unfinalise", "finalise"):
        done(company, january, action)
    assert withheld(company, employee_id) == [], "the run was due before the notice date"
    assert [entry["action"] for entry in entries(company, log)] == ["delete", "create"]
    assert withhold(company, slip).status_code == 200


def test_pay_of_a_run_that_is_marked_as_paid_on_a_future_day_is_withheld(company: Company) -> None:
    employee_id, january, slip = unwithheld(company)
    today = clock.today()
    mark_paid(company, january, today)
    expected = f"payment run {january} is marked as paid on {today}"
    assert refusal(company, slip) == ("already_paid", expected)
    assert company.member.post(f"/payment_runs/{january}/mark_not_paid").status_code == 200
    mark_paid(company, january, today + timedelta(days=1))
    assert withhold(company, slip).status_code == 200
    assert [payment["withheld"] for payment in withheld(company, employee_id)] == [5000.0]


def test_a_draft_is_not_withheld(company: Company) -> None:
    employee_id = leaver(company)
    slip = slip_of(company, opened(company), employee_id)
    assert refusal(company, slip) == ("payslip_not_finalised", "the payslip is not finalised")


def test_a_payslip_without_nett_pay_is_not_withheld(company: Company) -> None:
    employee_id = leaver(company, salary="0.00", end_date=None)
    hired(company, **GIRO)
    january = paid(company)
    company.leave(employee_id, LAST_DAY, notice_date=NOTICE_DATE, ir21=True)
    slip = slip_of(company, january, employee_id)
    assert refusal(company, slip) == ("nothing_to_withhold", "the payslip has no nett pay")


def test_pay_of_employees_who_need_no_tax_clearance_is_not_withheld(company: Company) -> None:
    employee_id, _, slip = unwithheld(company, ir21=False)
    expected = (
        "clearance_not_required",
        "the payslip belongs to a service that ended without `ir21`, or that has not ended",
    )
    assert refusal(company, slip) == expected
    assert company.act(employee_id, "undo_end_service").status_code == 200
    assert refusal(company, slip) == expected


def test_pay_of_a_service_without_a_notice_date_is_not_withheld(company: Company) -> None:
    employee_id, _, slip = unwithheld(company)
    company.member.service.as_owner("UPDATE service_periods SET notice_date = NULL WHERE employee_id = $1", employee_id)
    assert refusal(company, slip) == ("no_notice_date", "the service of the payslip has no notice date")


def test_withheld_and_released_pay_is_not_withheld_again(company: Company) -> None:
    _, _, slip = unwithheld(company)
    expected = ("already_withheld", "the payment is withheld, or was withheld and released")
    assert withhold(company, slip).status_code == 200
    assert refusal(company, slip) == expected
    assert release(company, slip).status_code == 200
    assert refusal(company, slip) == expected


def test_of_two_requests_at_once_one_withholds(company: Company) -> None:
    employee_id, _, slip = unwithheld(company)
    answers = at_once([lambda: withhold(company, slip)] * 2)
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    assert len(withheld(company, employee_id)) == 1


def test_an_approved_file_is_approved_again_without_the_payment(company: Company) -> None:
    hired(company, **GIRO)
    _, january, slip = unwithheld(company)
    colleague = company.member.colleague(company.id, "payroll")
    company.member.service.as_owner("UPDATE clients SET requires_approval = true WHERE id = $1", company.id)
    path = f"/payment_runs/{january}/files/{FILE}"
    approval_id = company.member.post(f"{path}/request_approval").json()["approval"]["id"]
    assert colleague.post(f"/approvals/{approval_id}/approve").status_code == 200
    assert company.member.get(path).status_code == 200
    assert withhold(company, slip).status_code == 200
    assert_problem(company.member.get(path), 409)


def test_payslips_say_that_the_pay_is_withheld(company: Company) -> None:
    employee_id, january, slip = unwithheld(company)
    done(company, january, "release")
    employee = company.member.colleague(company.id, "employee", employee_id)
    before = employee.get(f"/payslips/{slip}.pdf").content
    assert withhold(company, slip).status_code == 200
    assert employee.get(f"/payslips/{slip}.pdf").content != before


def test_only_who_may_change_payroll_withholds(company: Company) -> None:
    employee_id, january, slip = unwithheld(company)
    done(company, january, "release")
    path = f"/payslips/{slip}/withhold_payment"
    assert_problem(company.member.colleague(company.id, "viewer").post(path), 403)
    assert_problem(company.member.colleague(company.id, "employee", employee_id).post(path), 404)
    assert_problem(company.member.with_another_key(read_only=True).post(path), 403)
    assert withheld(company, employee_id) == []
    assert company.member.colleague(company.id, "payroll").post(path).status_code == 200


def test_an_unknown_payslip_is_not_found(company: Company) -> None:
    assert_problem(withhold(company, 987_654_321), 404)
