"""Special runs: once-off payslips for some employees."""

import pytest

from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY, act, ask, done, hired, opened, paid, payslips, read
from tests.payroll.payslips.slips import detail, enter, slips
from tests.support.company import WEEKLY, Company
from tests.support.problems import assert_problem, field_errors


def special(company: Company, *employee_ids: int, end: str = JANUARY) -> int:
    return opened(company, end, special=True, employee_ids=list(employee_ids))


def test_it_works(company: Company) -> None:
    employee_id = hired(company)
    hired(company)
    run_id = special(company, employee_id)
    [slip] = payslips(company, run_id)
    assert (slip["employee_id"], slip["special"], slip["date"]) == (employee_id, True, JANUARY)
    assert (slip["nett_pay"], slip["data"]["income"]) == (0, [["Total", "0.00"]])
    assert read(company, run_id)["special"] is True


def test_calculations_of_the_special_payslip_are_paid_by_it(company: Company) -> None:
    employee_id = hired(company)
    run_id = special(company, employee_id)
    [slip] = payslips(company, run_id)
    enter(company, f"payslips/{slip['id']}", "bonus", amount="1000.00")
    [slip] = payslips(company, run_id)
    assert slip["data"]["income"] == [["Bonus", "1000.00"], ["Total", "1000.00"]]
    assert dict(slip["data"]["deduction"])["Total"] == "200.50"
    assert read(company, run_id)["total"] == 799.5
    done(company, run_id, "finalise")
    assert [one["finalised"] for one in slips(company, employee_id)] == [False, True]


def test_several_special_runs_can_exist_in_addition_to_the_regular_run(company: Company) -> None:
    employee_id = hired(company)
    runs = [special(company, employee_id), opened(company), special(company, employee_id)]
    assert len(set(runs)) == 3
    assert [one["payment_run_id"] for one in slips(company, employee_id)] == [runs[1], runs[0], runs[2]]


def test_one_that_is_finalised_changes_the_other_drafts_of_the_month(company: Company) -> None:
    employee_id = hired(company, "6000.00")
    run_id = special(company, employee_id)
    [slip] = payslips(company, run_id)
    enter(company, f"payslips/{slip['id']}", "commission", commission_input="4000.00")
    [regular] = [one for one in slips(company, employee_id) if not one["special"]]
    before = dict(detail(company, regular["id"])["deduction"])["cpf_employee"]
    done(company, run_id, "finalise")
    # The month's ordinary wages are up to the ceiling of $8,000 by now, of which the special run took $4,000.
    after = dict(detail(company, regular["id"])["deduction"])["cpf_employee"]
    assert (before, after) == ("1200.00", "800.00")
    done(company, run_id, "unfinalise")
    assert dict(detail(company, regular["id"])["deduction"])["cpf_employee"] == before


def test_employees_are_required(company: Company) -> None:
    assert field_errors(ask(company, special=True)) == {"employee_ids": "is required when special is true"}
    assert field_errors(ask(company, special=True, employee_ids=[])) == {
        "employee_ids": "must be an array of 1 to 200,000 employee IDs"
    }


def test_each_employee_without_a_payslip_is_reported(company: Company) -> None:
    here, elsewhere = hired(company), hired(company, wave_id=company.wave(**WEEKLY))
    later = hired(company, appointment_date="2026-02-10")
    stranger = hired(Company.of(company.member))
    answer = ask(company, special=True, employee_ids=[here, elsewhere, later, stranger])
    assert field_errors(answer) == {
        "employee_ids.1": f"employee {elsewhere} is paid by another wave in the period that ends on {JANUARY}",
        "employee_ids.2": f"employee {later} is not in service in the period that ends on {JANUARY}",
        "employee_ids.3": f"employee {stranger} does not exist in this client",
    }


@pytest.mark.parametrize(
    ("given", "path"), [(["x", 1], "employee_ids.0"), ([1, "1"], "employee_ids"), ("1", "employee_ids")]
)
def test_ids_are_integers_and_different(company: Company, given: object, path: str) -> None:
    assert list(field_errors(ask(company, special=True, employee_ids=given))) == [path]


def test_it_is_independent_of_the_order_of_regular_runs(company: Company) -> None:
    employee_id = hired(company)
    done(company, special(company, employee_id, end=FEBRUARY), "finalise")


def test_a_run_of_an_earlier_month_can_no_longer_be_finalised(company: Company) -> None:
    employee_id = hired(company)
    paid(company)
    run_id = special(company, employee_id)
    february = paid(company, FEBRUARY)
    problem = assert_problem(act(company, run_id, "finalise"), 409)
    [later] = payslips(company, february)
    assert problem["message"] == (
        f"Payment run {run_id} cannot be finalised: employee 1 has the later finalised payslip {later['id']} "
        f"of {FEBRUARY} in payment run {february}"
    )


def test_deleting_it_removes_its_payslips_and_what_was_entered_for_them(company: Company) -> None:
    employee_id = hired(company)
    run_id = special(company, employee_id)
    [slip] = payslips(company, run_id)
    enter(company, f"payslips/{slip['id']}", "bonus", amount="1000.00")
    assert company.member.delete(f"/payment_runs/{run_id}").json() == {"message": "The payment run has been deleted"}
    assert_problem(company.member.get(f"/payslips/{slip['id']}"), 404)
    assert [one["special"] for one in slips(company, employee_id)] == [False]
    assert_problem(company.member.get(f"/payment_runs/{run_id}"), 404)
