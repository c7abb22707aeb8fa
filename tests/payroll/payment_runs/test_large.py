"""Runs that are too large to be calculated while the caller waits."""

import time

from tests.payroll.payment_runs.crowd import crowded, standing
from tests.payroll.payment_runs.runs import (
    FEBRUARY,
    JANUARY,
    act,
    ask,
    done,
    hired,
    listed,
    opened,
    payslips,
    read,
    until_ready,
)
from tests.support.company import Company
from tests.support.problems import assert_problem
from tests.support.running import Service

MANY = 300


def test_it_works(company: Company, service: Service) -> None:
    company = crowded(company, MANY)
    run_id = opened(company)
    run = until_ready(company, run_id)
    assert run["counts"] == {"payslips": MANY, "calculated": MANY, "dirty": 0, "attention": 0}
    assert run["progress"] == 100
    assert standing(service, company, run_id) == (MANY, MANY, MANY)
    assert run["total"] == listed(company)[0]["total"]
    assert round(sum(slip["nett_pay"] for slip in payslips(company, run_id)), 2) == run["total"]


def test_its_progress_can_be_followed(company: Company) -> None:
    company = crowded(company, MANY)
    run_id = opened(company)
    seen = [read(company, run_id)]
    while seen[-1]["state"] == "calculating":
        seen.append(read(company, run_id))
    assert {run["counts"]["payslips"] for run in seen} == {MANY}
    assert all(run["counts"]["dirty"] == MANY - run["counts"]["calculated"] for run in seen)
    assert all(run["progress"] == 100 * run["counts"]["calculated"] // MANY for run in seen)
    assert [run["progress"] for run in seen] == sorted(run["progress"] for run in seen)


def test_while_it_is_being_opened_nothing_can_be_done_with_it(company: Company, service: Service) -> None:
    company = crowded(company, MANY)
    run_id = opened(company)
    until_ready(company, run_id)
    service.as_owner("UPDATE payslips SET payment_run_id = NULL WHERE payment_run_id = $1", run_id)
    service.as_owner("UPDATE payment_runs SET state = 'opening' WHERE id = $1", run_id)
    run = read(company, run_id)
    assert (run["state"], run["progress"]) == ("calculating", 0)
    assert run["counts"] == {"payslips": MANY, "calculated": 0, "dirty": MANY, "attention": 0}
    for action in ("calculate", "finalise"):
        problem = assert_problem(act(company, run_id, action), 409)
        assert problem["message"] == f"Payment run {run_id} of {JANUARY} is still being opened; try again shortly"
    with service.holding("SELECT FROM payment_runs WHERE id = $1 FOR UPDATE", run_id):
        for answer in (act(company, run_id, "finalise"), company.member.delete(f"/payment_runs/{run_id}")):
            assert assert_problem(answer, 409)["message"] == (
                f"Payment run {run_id} is being opened or changed by another request; try again shortly"
            )
    assert company.member.delete(f"/payment_runs/{run_id}").status_code == 200


def test_it_is_finalised_immediately_and_the_next_drafts_are_calculated_in_a_job(
    company: Company, service: Service
) -> None:
    company = crowded(company, MANY)
    run_id = opened(company)
    until_ready(company, run_id)
    done(company, run_id, "finalise")
    deadline = time.monotonic() + 60
    query = (
        "SELECT count(*) FILTER (WHERE NOT dirty) AS calculated, count(*) AS drafts FROM payslips "
        "WHERE client_id = $1 AND NOT finalised"
    )
    while time.monotonic() < deadline:
        [row] = service.as_owner(query, company.id)
        if row["calculated"] == row["drafts"]:
            break
        time.sleep(0.05)
    # One in sixty left in January.
    assert row["drafts"] == row["calculated"] == MANY - MANY // 60
    february = opened(company, FEBRUARY)
    assert until_ready(company, february)["counts"]["payslips"] == row["drafts"]
    assert assert_problem(ask(company, FEBRUARY), 409)["message"].endswith(
        f"already has a payment run for {FEBRUARY}: {february}"
    )


def test_all_of_it_can_be_calculated_again(company: Company) -> None:
    company = crowded(company, MANY)
    run_id = opened(company)
    before = until_ready(company, run_id)
    slips = payslips(company, run_id)
    done(company, run_id, "calculate")
    after = until_ready(company, run_id)
    assert (after["total"], after["counts"]) == (before["total"], before["counts"])
    assert payslips(company, run_id) == slips


def test_a_special_run_can_be_as_large(company: Company) -> None:
    company = crowded(company, MANY)
    employee_ids = [one["id"] for one in company.listed()]
    run_id = opened(company, special=True, employee_ids=employee_ids)
    assert until_ready(company, run_id)["counts"]["calculated"] == MANY
    assert [slip["employee_id"] for slip in payslips(company, run_id)] == employee_ids


def test_an_employee_hired_while_it_is_being_opened_is_in_it(company: Company, service: Service) -> None:
    company = crowded(company, MANY)
    run_id = opened(company)
    late = hired(company)
    until_ready(company, run_id)
    assert standing(service, company, run_id) == (MANY + 1, MANY + 1, MANY + 1)
    assert payslips(company, run_id)[-1]["employee_id"] == late
