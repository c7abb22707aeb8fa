"""GET /clients/:client_id/payment_runs, GET and PATCH /payment_runs/:id."""

from datetime import date

import pytest

from gaji.engine.periods import PaySchedule
from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY, done, hired, listed, opened, paid, payslips, read
from tests.payroll.payslips.slips import slips
from tests.support.company import TWICE_A_MONTH, Company
from tests.support.problems import assert_problem, field_errors

FIELDS = {
    "id": int,
    "wave_id": int,
    "period_offset": int,
    "period_end_date": str,
    "total": float,
    "created_at": str,
    "updated_at": str,
    "special": bool,
    "corrects": type(None),
    "posted_to_accounting_system": bool,
    "state": str,
    "finalised_at": type(None),
    "payment_date": str,
    "paid_at": type(None),
    "paid_by": type(None),
    "external_id": type(None),
    "metadata": dict,
}


def test_it_works(company: Company) -> None:
    hired(company, "4200.00")
    hired(company, "3000.00")
    run_id = opened(company)
    [run] = listed(company)
    assert {name: type(value) for name, value in run.items()} == FIELDS
    assert (run["id"], run["wave_id"], run["period_end_date"]) == (run_id, company.wave_id, JANUARY)
    assert run["period_offset"] == PaySchedule("monthly", last_day=31).offset(date(2026, 1, 31))
    assert run["total"] == sum(slip["nett_pay"] for slip in payslips(company, run_id))
    assert run["created_at"].endswith("+08:00")
    assert (run["special"], run["posted_to_accounting_system"]) == (False, False)


def test_a_run_includes_its_state(company: Company) -> None:
    hired(company)
    run_id = opened(company)
    [run] = listed(company)
    assert read(company, run_id) == {
        **run,
        "finalised": False,
        "released": False,
        "counts": {"payslips": 1, "calculated": 1, "dirty": 0, "attention": 0},
        "progress": 100,
        "differences": None,
    }


def test_a_finalised_run_keeps_its_total_and_counts(company: Company) -> None:
    hired(company)
    run_id = opened(company)
    before = read(company, run_id)
    done(company, run_id, "finalise")
    after = read(company, run_id)
    assert after == {
        **before,
        "finalised": True,
        "state": "finalised",
        "finalised_at": after["finalised_at"],
        "updated_at": after["updated_at"],
    }
    assert (listed(company)[0]["state"], listed(company)[0]["finalised_at"]) == ("finalised", after["finalised_at"])
    assert listed(company)[0]["total"] == before["total"]


def test_the_list_is_newest_first(company: Company) -> None:
    employee_id = hired(company)
    runs = [paid(company), paid(company, FEBRUARY), opened(company, JANUARY, special=True, employee_ids=[employee_id])]
    assert [run["id"] for run in listed(company)] == [runs[1], runs[2], runs[0]]


def test_the_list_comes_in_pages(company: Company) -> None:
    hired(company)
    january, february = paid(company), paid(company, FEBRUARY)
    answers = [
        company.member.get(f"/clients/{company.id}/payment_runs?page={page}&per_page=1", follow_redirects=True)
        for page in (1, 2)
    ]
    assert [answer.json()[0]["payment_run"]["id"] for answer in answers] == [february, january]
    assert answers[0].headers["x-total-count"] == "2"


def test_a_company_without_runs_has_an_empty_list(company: Company) -> None:
    assert listed(company) == []


def test_a_draft_that_waits_for_calculation_is_not_in_the_total(company: Company) -> None:
    employee_id = hired(company)
    other = hired(company)
    run_id = opened(company)
    company.member.service.as_owner("UPDATE payslips SET dirty = true WHERE employee_id = $1", employee_id)
    run = read(company, run_id)
    assert run["state"] == "calculating"
    assert run["counts"] == {"payslips": 2, "calculated": 1, "dirty": 1, "attention": 0}
    assert run["progress"] == 50
    assert run["total"] == listed(company)[0]["total"] == slips(company, other)[0]["nett_pay"]


def test_periods_of_a_half_month_count_halves(company: Company) -> None:
    wave_id = company.wave(**TWICE_A_MONTH)
    hired(company, wave_id=wave_id)
    run_id = opened(company, "2026-01-15", wave_id=wave_id)
    assert read(company, run_id)["period_offset"] == PaySchedule("twice_a_month", 31, 15).offset(date(2026, 1, 15))


def test_an_unknown_run_is_not_found(company: Company) -> None:
    for path in ("", "/payslips"):
        assert_problem(company.member.get(f"/payment_runs/999999{path}"), 404)
    for action in ("calculate", "finalise", "unfinalise", "release"):
        assert_problem(company.member.post(f"/payment_runs/999999/{action}"), 404)
    assert_problem(company.member.patch("/payment_runs/999999", {"posted_to_accounting_system": True}), 404)
    assert_problem(company.member.delete("/payment_runs/999999"), 404)


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_run_can_be_noted_as_posted(company: Company, wrapped: bool) -> None:
    hired(company)
    run_id = paid(company)
    for posted in (True, "false", "true"):
        change = {"posted_to_accounting_system": posted}
        answer = company.member.patch(f"/payment_runs/{run_id}", {"payment_run": change} if wrapped else change)
        assert answer.json() == {"message": "The payment run has been updated", "id": run_id}
        assert read(company, run_id)["posted_to_accounting_system"] is (posted in (True, "true"))


def test_only_a_finalised_run_can_be_posted_and_unfinalising_resets_it(company: Company) -> None:
    hired(company)
    run_id = opened(company)
    post = {"posted_to_accounting_system": True}
    problem = assert_problem(company.member.patch(f"/payment_runs/{run_id}", post), 409)
    assert problem["message"] == (
        f"Payment run {run_id} of {JANUARY} is not finalised and cannot be posted to the accounting system"
    )
    done(company, run_id, "finalise")
    assert company.member.patch(f"/payment_runs/{run_id}", post).status_code == 200
    [journal] = company.member.get(f"/payment_runs/{run_id}/accounting").json()
    assert (journal["posted_to_accounting_system"], journal["finalised"]) == (True, True)
    done(company, run_id, "unfinalise")
    run = read(company, run_id)
    assert (run["posted_to_accounting_system"], run["state"], run["finalised_at"]) == (False, "open", None)
    [journal] = company.member.get(f"/payment_runs/{run_id}/accounting").json()
    assert (journal["posted_to_accounting_system"], journal["finalised"]) == (False, False)


def test_nothing_else_of_a_run_can_be_changed(company: Company) -> None:
    hired(company)
    run_id = opened(company)
    before = read(company, run_id)
    assert company.member.patch(f"/payment_runs/{run_id}", {**before, "total": 1}).json().keys() == {"message", "id"}
    assert read(company, run_id) == {**before, "updated_at": read(company, run_id)["updated_at"]}
    assert field_errors(company.member.patch(f"/payment_runs/{run_id}", {"posted_to_accounting_system": "yes"})) == {
        "posted_to_accounting_system": "must be true or false"
    }
    answer = company.member.patch(f"/payment_runs/{run_id}", {"posted": True})
    assert "posted" in answer.json()["warnings"]


def test_an_employee_in_self_service_sees_no_runs(company: Company) -> None:
    employee_id = hired(company)
    run_id = paid(company)
    employee = company.member.colleague(company.id, "employee", employee_id)
    assert_problem(employee.get(f"/payment_runs/{run_id}"), 404)
    assert_problem(employee.get(f"/payment_runs/{run_id}/payslips"), 404)
    assert_problem(employee.get(f"/clients/{company.id}/payment_runs"), 404)
