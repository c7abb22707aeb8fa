"""POST /clients/:client_id/payment_runs, for regular runs."""

import pytest

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
from tests.payroll.payslips.slips import draft, enter, slips
from tests.support.company import TWICE_A_MONTH, WEEKLY, Company
from tests.support.problems import assert_problem, field_errors


def test_it_works(company: Company) -> None:
    employee_id = hired(company)
    answer = ask(company)
    assert answer.json() == {"message": "The payment run has been opened", "id": answer.json()["id"]}
    run_id = answer.json()["id"]
    [slip] = payslips(company, run_id)
    assert (slip["employee_id"], slip["date"], slip["dirty"], slip["payment_run_id"]) == (
        employee_id,
        JANUARY,
        False,
        run_id,
    )
    assert slips(company, employee_id)[0]["payment_run_id"] == run_id


def test_only_the_drafts_of_the_wave_and_period_are_in_it(company: Company) -> None:
    here = hired(company)
    hired(company, wave_id=company.wave(**WEEKLY))
    hired(company, appointment_date="2026-02-01")
    run_id = opened(company)
    assert [slip["employee_id"] for slip in payslips(company, run_id)] == [here]


def test_a_draft_is_calculated_with_what_was_entered_for_it(company: Company) -> None:
    employee_id = hired(company, "3000.00")
    enter(company, f"payslips/{draft(company, employee_id)}", "commission", commission_input="500.00")
    [slip] = payslips(company, opened(company))
    assert slip["data"]["income"] == [["Basic salary", "3000.00"], ["Commission", "500.00"], ["Total", "3500.00"]]


def test_the_wrapper_is_accepted_and_unknown_attributes_are_named(company: Company) -> None:
    hired(company)
    run = {"wave_id": str(company.wave_id), "period_end_date": JANUARY, "specal": True}
    answer = company.member.post(f"/clients/{company.id}/payment_runs", {"payment_run": run})
    assert answer.json()["warnings"] == {"specal": "Unknown attribute, ignored. Did you mean special?"}
    assert read(company, answer.json()["id"])["special"] is False


def test_all_errors_are_reported_at_once(company: Company) -> None:
    body = {"wave_id": "x", "period_end_date": "2026-02-30", "special": "perhaps"}
    answer = company.member.post(f"/clients/{company.id}/payment_runs", body)
    assert field_errors(answer) == {
        "wave_id": "must be an integer",
        "period_end_date": "2026-02-30 is not a valid calendar date",
        "special": "must be true or false",
    }
    assert field_errors(company.member.post(f"/clients/{company.id}/payment_runs", {})) == {
        "wave_id": "is required",
        "period_end_date": "is required",
    }


def test_a_wave_of_another_client_is_unknown(company: Company) -> None:
    other = Company.of(company.member)
    assert field_errors(ask(company, wave_id=other.wave_id)) == {
        "wave_id": f"wave {other.wave_id} does not exist in this client"
    }


@pytest.mark.parametrize("day", ["2026-01-30", "2026-02-27"])
def test_a_date_that_ends_no_period_is_rejected_with_those_that_do(company: Company, day: str) -> None:
    hired(company)
    fault = field_errors(ask(company, day))["period_end_date"]
    assert fault.startswith(f"{day} is not the end of a period; the nearest end dates are ")
    assert fault.split()[-1] in (JANUARY, FEBRUARY)


@pytest.mark.parametrize(
    ("day", "message"),
    [
        ("2023-12-31", "must be from 2024-01-31, the end of the first period of this wave, to 2199-12-31"),
        ("0001-01-31", "must be from 1900-01-01 to 2199-12-31"),
        ("2200-01-31", "must be from 1900-01-01 to 2199-12-31"),
        ("9999-12-31", "must be from 1900-01-01 to 2199-12-31"),
    ],
)
def test_a_period_before_the_wave_or_too_far_in_the_future_is_rejected(
    company: Company, day: str, message: str
) -> None:
    assert field_errors(ask(company, day))["period_end_date"] == message


def test_employees_can_only_be_named_for_a_special_run(company: Company) -> None:
    employee_id = hired(company)
    assert field_errors(ask(company, employee_ids=[employee_id])) == {
        "employee_ids": "is only allowed when special is true"
    }


def test_a_period_cannot_be_skipped(company: Company) -> None:
    hired(company)
    assert assert_problem(ask(company, FEBRUARY), 409)["message"] == (
        f"The payslips of {JANUARY} must be paid first; open the payment run of {JANUARY}"
    )


def test_the_run_before_must_be_finalised(company: Company) -> None:
    hired(company)
    paid(company)
    hired(company, appointment_date="2026-03-01")
    opened(company, FEBRUARY)
    assert assert_problem(ask(company, MARCH), 409)["message"] == (
        f"The payment run of {FEBRUARY} is not finalised yet; finalise the runs of a wave in order"
    )


def test_a_period_without_employees_needs_no_run(company: Company) -> None:
    hired(company, appointment_date="2026-03-15")
    assert assert_problem(ask(company, FEBRUARY), 409)["message"] == (
        f"Wave {company.wave_id} has no employees to pay in the period that ends on {FEBRUARY}"
    )
    assert len(payslips(company, opened(company, MARCH))) == 1


@pytest.mark.parametrize("finalised", [False, True])
def test_a_second_run_of_a_period_is_rejected(company: Company, finalised: bool) -> None:
    hired(company)
    run_id = paid(company) if finalised else opened(company)
    assert assert_problem(ask(company), 409)["message"] == (
        f"Wave {company.wave_id} already has a payment run for {JANUARY}: {run_id}"
    )


def test_each_wave_has_its_own_order(company: Company) -> None:
    hired(company)
    halves = company.wave(**TWICE_A_MONTH)
    hired(company, wave_id=halves)
    for end in ("2026-01-15", JANUARY, "2026-02-15"):
        done(company, opened(company, end, wave_id=halves), "finalise")
    opened(company, JANUARY)


def test_an_employee_hired_while_a_run_is_open_joins_it(company: Company) -> None:
    hired(company)
    run_id = opened(company)
    late = hired(company, "2000.00")
    assert [slip["employee_id"] for slip in payslips(company, run_id)][-1] == late
    done(company, run_id, "finalise")
    assert read(company, run_id)["counts"]["payslips"] == 2
    after = hired(company)
    assert [slip["date"] for slip in slips(company, after)] == [FEBRUARY]


def test_a_leaver_before_the_period_leaves_the_run_and_returns_to_it_when_the_end_is_undone(company: Company) -> None:
    stays, leaves = hired(company), hired(company)
    paid(company)
    run_id = opened(company, FEBRUARY)
    company.leave(leaves, JANUARY)
    assert [slip["employee_id"] for slip in payslips(company, run_id)] == [stays]
    assert company.act(leaves, "undo_end_service").status_code == 200
    assert [slip["employee_id"] for slip in payslips(company, run_id)] == [stays, leaves]


def test_a_rehired_employee_joins_a_finalised_run_when_it_is_unfinalised(company: Company) -> None:
    hired(company)
    returning = hired(company)
    paid(company)
    company.leave(returning, JANUARY)
    february = paid(company, FEBRUARY)
    assert company.act(returning, "undo_end_service").status_code == 200
    assert assert_problem(ask(company, MARCH), 409)["message"] == (
        f"Some payslips of {FEBRUARY} were added after the payment run of {FEBRUARY} was finalised; "
        "unfinalise that run to include them"
    )
    done(company, february, "unfinalise")
    assert len(payslips(company, february)) == 2
    done(company, february, "finalise")
    assert read(company, opened(company, MARCH))["counts"]["payslips"] == 2


def test_a_viewer_cannot_open_a_run(company: Company) -> None:
    hired(company)
    viewer = company.member.colleague(company.id, "viewer")
    body = {"wave_id": company.wave_id, "period_end_date": JANUARY}
    assert_problem(viewer.post(f"/clients/{company.id}/payment_runs", body), 403)
    run_id = opened(company)
    assert_problem(viewer.post(f"/payment_runs/{run_id}/finalise"), 403)
    assert viewer.get(f"/payment_runs/{run_id}").status_code == 200


def test_a_repeated_request_with_its_key_opens_one_run(company: Company) -> None:
    hired(company)
    body = {"wave_id": company.wave_id, "period_end_date": JANUARY}
    answers = [
        company.member.post(f"/clients/{company.id}/payment_runs", body, headers={"Idempotency-Key": "january"})
        for _ in range(2)
    ]
    assert answers[0].json() == answers[1].json()
    assert act(company, answers[0].json()["id"], "finalise").status_code == 200
