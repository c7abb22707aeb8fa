"""POST /payment_runs/:id/finalise, release and calculate, and DELETE."""

from tests.payroll.calculations.requests import create_item
from tests.payroll.payment_runs.runs import (
    FEBRUARY,
    JANUARY,
    MARCH,
    act,
    ask,
    done,
    hired,
    opened,
    paid,
    payslips,
    read,
)
from tests.payroll.payslips.slips import dates, detail, draft, enter, slips
from tests.support.company import TWICE_A_MONTH, Company
from tests.support.problems import assert_problem


def test_it_works(company: Company) -> None:
    employee_id = hired(company)
    run_id = opened(company)
    answer = act(company, run_id, "finalise")
    assert answer.json() == {"message": "The payment run has been finalised: 1 payslip", "id": run_id}
    [slip] = payslips(company, run_id)
    assert (slip["finalised"], slip["dirty"], slip["ss_released"]) == (True, False, False)
    assert dates(company, employee_id) == [f"{JANUARY}*", FEBRUARY]


def test_the_next_draft_is_there_and_calculated_with_what_was_finalised(company: Company) -> None:
    employee_id = hired(company, "4200.00")
    paid(company)
    following = slips(company, employee_id)[1]
    assert (following["date"], following["dirty"], following["payment_run_id"]) == (FEBRUARY, False, None)
    [row] = company.member.service.as_owner("SELECT inputs FROM payslips WHERE id = $1", following["id"])
    assert '"year":{"ordinary_subject":420000}' in row["inputs"]


def test_a_leaver_gets_no_further_draft(company: Company) -> None:
    employee_id = hired(company)
    company.leave(employee_id, "2026-01-20")
    paid(company)
    assert dates(company, employee_id) == [f"{JANUARY}*"]


def test_a_payslip_that_waits_for_calculation_keeps_the_whole_run(company: Company) -> None:
    employee_id, other = hired(company), hired(company)
    run_id = opened(company)
    slip = draft(company, employee_id)
    company.member.service.as_owner("UPDATE payslips SET dirty = true WHERE id = $1", slip)
    problem = assert_problem(act(company, run_id, "finalise"), 409)
    assert problem["message"] == f"1 payslip is not ready, so payment run {run_id} cannot be finalised"
    assert problem["errors"] == {str(slip): "employee 1: is not calculated yet"}
    assert [one["finalised"] for one in slips(company, other)] == [False]


def test_payslips_that_need_attention_are_named_with_their_reasons(company: Company) -> None:
    ratio = create_item(company, name="Ratio", kind="income", input="formula", formula="basic_salary / quantity")
    employee_ids = [hired(company) for _ in range(3)]
    for employee_id in employee_ids[:2]:
        enter(company, f"employees/{employee_id}", str(ratio), quantity="0")
    run_id = opened(company)
    assert read(company, run_id)["counts"] == {"payslips": 3, "calculated": 3, "dirty": 0, "attention": 2}
    problem = assert_problem(act(company, run_id, "finalise"), 409)
    assert problem["message"] == f"2 payslips are not ready, so payment run {run_id} cannot be finalised"
    assert list(problem["errors"]) == [str(draft(company, employee_id)) for employee_id in employee_ids[:2]]
    assert [fault.split(": ")[0] for fault in problem["errors"].values()] == ["employee 1", "employee 2"]
    for employee_id in employee_ids[:2]:
        enter(company, f"employees/{employee_id}", str(ratio), quantity="10")
    done(company, run_id, "finalise")


def test_a_finalised_run_is_not_finalised_again_nor_calculated_nor_deleted(company: Company) -> None:
    hired(company)
    run_id = paid(company)
    before = company.member.service.fingerprint()
    for answer, wish in (
        (act(company, run_id, "finalise"), "finalised again"),
        (act(company, run_id, "calculate"), "calculated"),
        (company.member.delete(f"/payment_runs/{run_id}"), "deleted"),
    ):
        message = assert_problem(answer, 409)["message"]
        assert message == f"Payment run {run_id} of {JANUARY} is finalised and cannot be {wish}"
    assert company.member.service.fingerprint() == before


def test_a_finalised_payslip_takes_no_input(company: Company) -> None:
    employee_id = hired(company)
    run_id = paid(company)
    [slip] = payslips(company, run_id)
    body = {"calc_type": "bonus", "calculation_details": {"amount": "10.00"}}
    assert_problem(company.member.post(f"/payslips/{slip['id']}/calculations", body), 409)
    enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount="9999.00")
    assert payslips(company, run_id) == [slip]


def test_months_follow_each_other(company: Company) -> None:
    employee_id = hired(company)
    for end in (JANUARY, FEBRUARY, MARCH):
        paid(company, end)
    assert dates(company, employee_id) == [f"{JANUARY}*", f"{FEBRUARY}*", f"{MARCH}*", "2026-04-30"]


def test_the_halves_of_a_month_add_up_to_the_liability_of_the_month(company: Company) -> None:
    wave_id = company.wave(**TWICE_A_MONTH)
    employee_id = hired(company, "4500.00", wave_id=wave_id)
    for end in ("2026-01-15", JANUARY):
        paid(company, end, wave_id=wave_id)
    taken = [dict(detail(company, one["id"])["deduction"])["cpf_employee"] for one in slips(company, employee_id)[:2]]
    assert taken == ["900.00", "700.00"]


def test_an_earlier_run_that_was_unfinalised_comes_first(company: Company) -> None:
    hired(company)
    january = paid(company)
    hired(company, appointment_date="2026-02-01")
    february = opened(company, FEBRUARY)
    done(company, january, "unfinalise")
    assert len(payslips(company, february)) == 1
    assert assert_problem(act(company, february, "finalise"), 409)["message"].startswith(
        f"The payment run of {JANUARY} is not finalised yet"
    )
    done(company, january, "finalise")
    assert len(payslips(company, february)) == 2
    done(company, february, "finalise")


def test_release_lets_employees_see_their_payslips(company: Company) -> None:
    employee_id = hired(company)
    employee = company.member.colleague(company.id, "employee", employee_id)
    run_id = opened(company)
    assert assert_problem(act(company, run_id, "release"), 409)["message"] == (
        f"Payment run {run_id} of {JANUARY} is not finalised and cannot be released"
    )
    done(company, run_id, "finalise")
    assert employee.get(f"/employees/{employee_id}/payslips").json() == []
    for _ in range(2):
        done(company, run_id, "release")
    assert [one["payslip"]["ss_released"] for one in employee.get(f"/employees/{employee_id}/payslips").json()] == [
        True
    ]
    assert read(company, run_id)["released"] is True
    done(company, run_id, "unfinalise")
    assert employee.get(f"/employees/{employee_id}/payslips").json() == []
    assert read(company, run_id)["released"] is False


def test_deleting_a_run_leaves_its_drafts_for_another(company: Company) -> None:
    employee_id = hired(company)
    enter(company, f"payslips/{draft(company, employee_id)}", "bonus", amount="100.00")
    run_id = opened(company)
    before = payslips(company, run_id)
    assert company.member.delete(f"/payment_runs/{run_id}").status_code == 200
    assert [one["payment_run_id"] for one in slips(company, employee_id)] == [None]
    again = payslips(company, opened(company))
    assert again == [{**before[0], "payment_run_id": again[0]["payment_run_id"]}]


def test_each_action_is_in_the_audit_log_once(company: Company) -> None:
    for _ in range(3):
        hired(company)
    run_id = opened(company)
    for action in ("calculate", "finalise", "release", "unfinalise"):
        done(company, run_id, action)
    company.member.delete(f"/payment_runs/{run_id}")
    rows = company.member.service.as_owner(
        "SELECT action, after FROM audit_log WHERE row_id = $1 AND client_id = $2 AND action ~ 'pay(ment_run|slip)s' "
        "ORDER BY id",
        run_id,
        company.id,
    )
    assert [row["action"] for row in rows] == [
        "payment_runs.insert",
        "payment_runs.update",
        "payment_runs.update",
        "payment_runs.update",
        "payment_runs.delete",
    ]


def test_a_wave_with_a_run_cannot_be_deleted(company: Company) -> None:
    hired(company)
    paid(company)
    assert_problem(company.member.delete(f"/waves/{company.wave_id}"), 409)


def test_an_open_run_without_employees_can_still_be_finalised(company: Company) -> None:
    employee_id = hired(company)
    run_id = opened(company)
    assert company.member.delete(f"/employees/{employee_id}").status_code == 200
    assert read(company, run_id)["counts"]["payslips"] == 0
    done(company, run_id, "finalise")
    assert_problem(ask(company), 409)
