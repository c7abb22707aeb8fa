"""POST /payment_runs/:id/unfinalise."""

from datetime import date

import pytest

from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY, act, done, hired, opened, paid, payslips, read
from tests.payroll.payment_runs.test_corrections import change_salary, corrected
from tests.payroll.payslips.slips import dates, detail, draft, enter, slips, touch
from tests.support.company import WEEKLY, Company
from tests.support.problems import assert_problem
from tests.support.running import created


def kept(company: Company) -> list[tuple[object, ...]]:
    """What is kept of all payslips of a company but for when they were finalised."""
    rows = company.member.service.as_owner(
        "SELECT id, employee_id, date, special, payment_run_id, withdrawn, finalised, nett_pay, lines::text, "
        "inputs::text, moved, carried FROM payslips WHERE client_id = $1 ORDER BY id",
        company.id,
    )
    return [tuple(row.values()) for row in rows]


def move(company: Company, employee_id: int, wave_id: int, day: date) -> None:
    """Let another wave pay an employee from a day on, which need not be to come."""
    as_owner = company.member.service.as_owner
    as_owner("UPDATE wave_periods SET end_date = $2::date - 1 WHERE employee_id = $1", employee_id, day)
    as_owner(
        "INSERT INTO wave_periods (client_id, employee_id, wave_id, start_date) VALUES ($1, $2, $3, $4)",
        company.id,
        employee_id,
        wave_id,
        day,
    )
    touch(company, employee_id)


def test_it_works(company: Company) -> None:
    employee_id = hired(company)
    run_id = paid(company)
    answer = act(company, run_id, "unfinalise")
    assert answer.json() == {"message": "The payment run has been unfinalised: 1 payslip", "id": run_id}
    assert dates(company, employee_id) == [JANUARY]
    assert slips(company, employee_id)[0]["payment_run_id"] == run_id
    assert read(company, run_id)["finalised"] is False


def test_unfinalising_and_finalising_again_changes_nothing(company: Company) -> None:
    for salary in ("4200.00", "8100.00", "900.00"):
        employee_id = hired(company, salary)
        enter(
            company,
            f"employees/{employee_id}",
            "loan",
            balance="1000.00",
            instalment="150.00",
            start_date="2026-01-01",
        )
    paid(company)
    run_id = paid(company, FEBRUARY)
    before = kept(company)
    for _ in range(2):
        done(company, run_id, "unfinalise")
        assert kept(company) != before
        done(company, run_id, "finalise")
        assert kept(company) == before


def test_what_was_entered_for_the_next_draft_is_not_lost(company: Company) -> None:
    employee_id = hired(company)
    run_id = paid(company)
    following = draft(company, employee_id)
    enter(company, f"payslips/{following}", "bonus", amount="777.00")
    before = detail(company, following)
    done(company, run_id, "unfinalise")
    assert_problem(company.member.get(f"/payslips/{following}"), 404)
    done(company, run_id, "finalise")
    assert draft(company, employee_id) == following
    assert detail(company, following) == before
    assert ["bonus", "777.00"] in before["income"]


def test_drafts_reflect_later_changes(company: Company) -> None:
    employee_id = hired(company, "4200.00")
    run_id = paid(company)
    body = {"calc_type": "basic_salary", "calculation_details": {"fixed_amount": "5000.00"}, "valid_from": "2026-01-01"}
    created(company.member.post(f"/employees/{employee_id}/calculations", body))
    assert payslips(company, run_id)[0]["data"]["income"][0] == ["Basic salary", "4200.00"]
    done(company, run_id, "unfinalise")
    assert payslips(company, run_id)[0]["data"]["income"][0] == ["Basic salary", "5000.00"]


def test_a_run_that_is_not_finalised_is_not_unfinalised(company: Company) -> None:
    hired(company)
    run_id = opened(company)
    assert assert_problem(act(company, run_id, "unfinalise"), 409)["message"] == (
        f"Payment run {run_id} of {JANUARY} is not finalised and cannot be unfinalised"
    )


def test_a_later_payslip_of_the_same_wave_forbids_it(company: Company) -> None:
    hired(company)
    leaver = hired(company)
    january = paid(company)
    company.leave(leaver, JANUARY)
    february = paid(company, FEBRUARY)
    [later] = payslips(company, february)
    assert assert_problem(act(company, january, "unfinalise"), 409)["message"] == (
        f"Payment run {january} cannot be unfinalised: employee 1 has the later finalised payslip {later['id']} "
        f"of {FEBRUARY} in payment run {february}"
    )
    done(company, february, "unfinalise")
    done(company, january, "unfinalise")


def test_a_later_payslip_of_a_correction_forbids_it_and_names_the_correction(company: Company) -> None:
    employee_id = hired(company)
    january, february = paid(company), paid(company, FEBRUARY)
    change_salary(company, employee_id, "4500.00")
    correction_id = corrected(company, january)
    [later] = payslips(company, correction_id)
    assert assert_problem(act(company, february, "unfinalise"), 409)["message"] == (
        f"Payment run {february} cannot be unfinalised: employee 1 has the later finalised payslip {later['id']} "
        f"of {later['date']} in payment run {correction_id}, which corrects the period that ends on {JANUARY}"
    )
    done(company, correction_id, "unfinalise")
    done(company, february, "unfinalise")


def test_a_later_payslip_of_another_wave_forbids_it(company: Company) -> None:
    weekly = company.wave(**WEEKLY)
    employee_id = hired(company)
    january = paid(company)
    move(company, employee_id, weekly, date(2026, 2, 1))
    week = paid(company, slips(company, employee_id)[1]["date"], wave_id=weekly)
    assert f"in payment run {week}" in assert_problem(act(company, january, "unfinalise"), 409)["message"]
    done(company, week, "unfinalise")
    done(company, january, "unfinalise")


@pytest.mark.parametrize("end", [JANUARY, FEBRUARY])
def test_a_special_payslip_that_was_finalised_later_forbids_it(company: Company, end: str) -> None:
    employee_id = hired(company)
    january = paid(company)
    special = paid(company, end, special=True, employee_ids=[employee_id])
    assert f"in payment run {special}" in assert_problem(act(company, january, "unfinalise"), 409)["message"]
    done(company, special, "unfinalise")
    done(company, january, "unfinalise")


def test_a_special_payslip_of_the_same_day_that_was_finalised_before_does_not(company: Company) -> None:
    employee_id = hired(company)
    special = paid(company, special=True, employee_ids=[employee_id])
    january = paid(company)
    assert f"in payment run {january}" in assert_problem(act(company, special, "unfinalise"), 409)["message"]
    done(company, january, "unfinalise")
    done(company, special, "unfinalise")


def test_a_later_payslip_of_somebody_else_does_not(company: Company) -> None:
    hired(company)
    january = paid(company)
    weekly = company.wave(**WEEKLY)
    other = hired(company, wave_id=weekly, appointment_date="2026-03-01")
    paid(company, slips(company, other)[0]["date"], wave_id=weekly)
    done(company, january, "unfinalise")
