"""Mistakes that are found out after the month was closed: their wages and contributions belong to their own month."""

from typing import Any

import pytest

from tests.documents import ezpay_reader
from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY, MARCH, done, hired, opened, paid
from tests.payroll.payslips.slips import detail, draft, slips
from tests.payroll.retro_proposals.proposals import accepted, act, listed, path, propose, totals
from tests.support.company import Company
from tests.support.problems import assert_problem, field_errors
from tests.support.running import Member

NUMBER = "202699999EPTE01"
PR = {"legal_status": "PR", "nric": "S9012345I", "pr_date": "2023-01-10", "nationality": "MY"}
FOREIGNER = {"legal_status": "FOREIGNER", "fin": "F1234567N", "nric": None, "nationality": "MY", "race": "OTHER"}


@pytest.fixture
def company(account: Member) -> Company:
    """A company that can file."""
    return Company.of(account, cpf_submission_number=NUMBER)


def lines(company: Company, payslip_id: int) -> dict[str, str]:
    """The amounts of a payslip by item."""
    payslip = detail(company, payslip_id)
    groups = [payslip["income"], payslip["deduction"], *(group for _, group in payslip["sideline"])]
    return {item: amount for group in groups for item, amount in group if item != "total"}


def cpf_of(company: Company, month: str) -> list[tuple[int, int]]:
    """The CPF and the ordinary wages of the members in the CPF file of a month, in cents."""
    answer = company.member.get(f"/clients/{company.id}/filings/{month}/cpf")
    assert answer.status_code == 200, answer.text
    records = ezpay_reader.read(answer.content).details_of("01").values()
    return [(int(record["amount"]), int(record["ordinary"])) for record in records]


def became_resident(company: Company, employee_id: int) -> None:
    """Record that the employee has been a permanent resident since 2023."""
    answer = company.patch(employee_id, **PR)
    assert answer.status_code == 200, answer.text


def test_nothing_is_proposed_if_nothing_changed(company: Company) -> None:
    employee_id = hired(company, "3000.00")
    paid(company, JANUARY)
    assert listed(company, employee_id) == []
    assert company.patch(employee_id, first_name="Changed", employment_act_group="workman").status_code == 200
    assert listed(company, employee_id) == []


def test_permanent_residence_found_out_late_is_contributed_for_the_past_months(company: Company) -> None:
    employee_id = hired(company, "3000.00", **FOREIGNER)
    paid(company, JANUARY)
    paid(company, FEBRUARY)
    became_resident(company, employee_id)
    [proposal] = listed(company, employee_id)
    assert (proposal["id"], proposal["treatment"], proposal["status"]) == (None, "missed", "open")
    assert proposal["total"] == "0.00"
    january = proposal["differences"][0]["months"]["2026-01"]
    assert january["cpf_employee"] == {"paid": "0.00", "due": "600.00", "difference": "600.00"}
    assert january["cpf_employer"]["difference"] == "510.00"
    assert january["ordinary"]["difference"] == "3000.00"
    payslip_id = draft(company, employee_id)
    before = lines(company, payslip_id)
    proposal_id = accepted(company, employee_id, treatment="missed")
    assert totals(company, employee_id) == [("missed", "accepted", "0.00")]
    # The employer pays both shares of January and February.
    after = lines(company, payslip_id)
    assert after["cpf_employee"] == before["cpf_employee"] == "600.00"
    assert after["cpf_employer"] == "2730.00"
    paid(company, MARCH)
    assert totals(company, employee_id) == [("missed", "paid", "0.00")]
    assert_problem(act(company, employee_id, proposal_id, "decline"), 409)
    for month in ("2026-01", "2026-02", "2026-03"):
        assert cpf_of(company, month) == [(1110_00, 3000_00)]
    assert "cpf_employer" in lines(company, draft(company, employee_id))
    assert lines(company, draft(company, employee_id))["cpf_employer"] == "510.00"


def test_the_employee_can_agree_to_pay_the_share(company: Company) -> None:
    employee_id = hired(company, "3000.00", **FOREIGNER)
    paid(company, JANUARY)
    became_resident(company, employee_id)
    accepted(company, employee_id, treatment="missed", recover_employee_share=True)
    amounts = lines(company, draft(company, employee_id))
    assert (amounts["cpf_employee"], amounts["cpf_employer"]) == ("1200.00", "1020.00")


def test_doing_and_undoing_leaves_no_trace(company: Company) -> None:
    employee_id = hired(company, "3000.00", **FOREIGNER)
    paid(company, JANUARY)
    payslip_id = draft(company, employee_id)
    before = company.member.get(f"/payslips/{payslip_id}/explanation").json()
    became_resident(company, employee_id)
    proposal_id = accepted(company, employee_id, treatment="missed")
    answer = company.member.delete(f"{path(employee_id)}/{proposal_id}")
    assert answer.status_code == 200, answer.text
    assert company.patch(employee_id, **FOREIGNER, pr_date=None).status_code == 200
    assert listed(company, employee_id) == []
    assert company.member.get(f"/payslips/{payslip_id}/explanation").json() == before


def test_a_declined_proposal_is_not_proposed_again(company: Company) -> None:
    employee_id = hired(company, "3000.00", **FOREIGNER)
    paid(company, JANUARY)
    became_resident(company, employee_id)
    proposal_id = accepted(company, employee_id, treatment="missed")
    assert act(company, employee_id, proposal_id, "decline").status_code == 200
    assert totals(company, employee_id) == [("missed", "declined", "0.00")]
    assert lines(company, draft(company, employee_id))["cpf_employer"] == "510.00"
    assert act(company, employee_id, proposal_id, "accept").status_code == 200
    assert lines(company, draft(company, employee_id))["cpf_employer"] == "1620.00"


def test_a_finalised_payslip_does_not_change(company: Company) -> None:
    employee_id = hired(company, "3000.00", **FOREIGNER)
    run_id = paid(company, JANUARY)
    [january] = [slip["id"] for slip in slips(company, employee_id) if slip["finalised"]]
    rows = "SELECT to_jsonb(p)::text AS row FROM payslips p WHERE id = $1"
    before = company.member.service.as_owner(rows, january)
    journal = company.member.get(f"/payment_runs/{run_id}/accounting").json()
    became_resident(company, employee_id)
    accepted(company, employee_id, treatment="missed")
    paid(company, FEBRUARY)
    assert company.member.service.as_owner(rows, january) == before
    assert company.member.get(f"/payment_runs/{run_id}/accounting").json() == journal


def test_a_correction_of_a_correction(company: Company) -> None:
    employee_id = hired(company, "3000.00", **FOREIGNER)
    paid(company, JANUARY)
    became_resident(company, employee_id)
    accepted(company, employee_id, treatment="missed")
    paid(company, FEBRUARY)
    # Residence began on 16 January only: 11 of 22 working days. Too much was contributed, which is claimed back.
    assert company.patch(employee_id, pr_date="2026-01-16").status_code == 200
    [_, correction] = listed(company, employee_id)
    january = next(iter(correction["differences"]))["months"]["2026-01"]
    assert january["ordinary"] == {"paid": "3000.00", "due": "1500.00", "difference": "-1500.00"}
    assert january["cpf_employer"]["difference"] == "0.00"
    accepted(company, employee_id, treatment="missed")
    run_id = opened(company, MARCH)
    done(company, run_id, "finalise")
    assert [status for _, status, _ in totals(company, employee_id)] == ["paid", "paid"]


def test_race_recorded_wrongly_moves_the_fund(company: Company) -> None:
    employee_id = hired(company, "3000.00", race="CHINESE")
    paid(company, JANUARY)
    assert company.patch(employee_id, race="INDIAN").status_code == 200
    [proposal] = listed(company, employee_id)
    january = proposal["differences"][0]["months"]["2026-01"]
    assert january["sinda"] == {"paid": "0.00", "due": "7.00", "difference": "7.00"}
    assert january["cdac"] == {"paid": "1.00", "due": "0.00", "difference": "0.00"}
    accepted(company, employee_id, treatment="missed")
    assert lines(company, draft(company, employee_id))["sinda"] == "14.00"


def test_requests_that_are_not_valid(company: Company) -> None:
    employee_id = hired(company, "3000.00", **FOREIGNER)
    paid(company, JANUARY)
    assert_problem(company.member.post(path(employee_id), {"treatment": "missed"}), 409)
    became_resident(company, employee_id)
    [january] = [slip["id"] for slip in slips(company, employee_id) if slip["finalised"]]
    assert list(field_errors(company.member.post(path(employee_id), {}))) == ["treatment"]
    bad: dict[str, Any] = {
        "treatment": "missed",
        "payslip_ids": [january, 987654321],
        "amounts": {str(january): {"bonus": "1.00"}},
    }
    assert sorted(field_errors(company.member.post(path(employee_id), bad))) == ["amounts"]
    bad = {"treatment": "missed", "payslip_ids": [january, 987654321]}
    assert sorted(field_errors(company.member.post(path(employee_id), bad))) == ["payslip_ids.1"]
    bad = {"treatment": "decided_later", "include_pay": True, "recover_employee_share": True}
    assert sorted(field_errors(company.member.post(path(employee_id), bad))) == [
        "include_pay",
        "recover_employee_share",
    ]
    proposal_id = propose(company, employee_id, treatment="missed", payslip_ids=[january])
    assert_problem(act(company, employee_id, proposal_id + 1, "accept"), 404)
    assert_problem(company.member.post(path(employee_id), {"treatment": "missed"}), 409)


def test_a_change_of_race_that_holds_from_a_date_on(company: Company) -> None:
    employee_id = hired(company, "3000.00", race="CHINESE")
    paid(company)
    paid(company, FEBRUARY)
    assert company.patch(employee_id, race="INDIAN").status_code == 200
    [proposal] = listed(company, employee_id)
    january, february = (difference["payslip_id"] for difference in proposal["differences"])
    declined = propose(company, employee_id, treatment="missed", payslip_ids=[january])
    assert act(company, employee_id, declined, "decline").status_code == 200
    [_, proposal] = listed(company, employee_id)
    assert [difference["payslip_id"] for difference in proposal["differences"]] == [february]
