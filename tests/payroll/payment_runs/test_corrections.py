"""Correction runs: payslips that have only the differences of a finalised run."""

from datetime import date
from typing import Any

import httpx
import pytest

from tests.documents import ezpay_reader
from tests.documents.tax_certificates import certificate_client as certificates
from tests.payroll.payment_runs.crowd import crowded
from tests.payroll.payment_runs.runs import (
    FEBRUARY,
    JANUARY,
    MARCH,
    act,
    done,
    hired,
    opened,
    paid,
    payslips,
    read,
    until_ready,
)
from tests.payroll.payslips.slips import detail, draft, enter, slips
from tests.payroll.retro_proposals import proposals
from tests.support.company import TWICE_A_MONTH, Company
from tests.support.problems import assert_problem, field_errors
from tests.support.running import Member, created

NUMBER = "202699999EPTE01"


@pytest.fixture
def company(account: Member) -> Company:
    """A company that can file."""
    return Company.of(account, cpf_submission_number=NUMBER)


def ask(company: Company, run_id: int, **given: Any) -> httpx.Response:
    """Ask for a correction of a run."""
    return company.member.post(f"/clients/{company.id}/payment_runs", {"corrects": run_id, **given})


def correction(company: Company, run_id: int, **given: Any) -> int:
    """An open correction of a run."""
    return created(ask(company, run_id, **given))


def corrected(company: Company, run_id: int, **given: Any) -> int:
    """A finalised correction of a run."""
    correction_id = correction(company, run_id, **given)
    done(company, correction_id, "finalise")
    return correction_id


def change_salary(company: Company, employee_id: int, amount: str, since: str = "2026-01-01") -> None:
    """Record a salary from a date on."""
    body = {"calc_type": "basic_salary", "calculation_details": {"fixed_amount": amount}, "valid_from": since}
    answer = company.member.post(f"/employees/{employee_id}/calculations", body)
    assert answer.status_code == 200, answer.text


def lines(company: Company, payslip_id: int) -> dict[str, str]:
    """The amounts of a payslip by item, with the nett pay."""
    payslip = detail(company, payslip_id)
    groups = [
        payslip["income"],
        payslip["deduction"],
        payslip["grand_total"],
        *(group for _, group in payslip["sideline"]),
    ]
    return {item: amount for group in groups for item, amount in group if item != "total"}


def only_payslip(company: Company, run_id: int) -> int:
    """The id of the only payslip of a run."""
    [payslip] = payslips(company, run_id)
    payslip_id: int = payslip["id"]
    return payslip_id


def cpf_file(company: Company, month: str) -> list[tuple[int, int]]:
    """The CPF and the ordinary wages of members in the next CPF file of a month, in cents."""
    answer = company.member.get(f"/clients/{company.id}/filings/{month}/cpf")
    assert answer.status_code == 200, answer.text
    records = ezpay_reader.read(answer.content).details_of("01").values()
    return [(int(record["amount"]), int(record["ordinary"])) for record in records]


def filing(company: Company, month: str) -> dict[str, Any]:
    """The CPF filing of a month."""
    answer = company.member.get(f"/clients/{company.id}/filings/{month}")
    assert answer.status_code == 200, answer.text
    element: dict[str, Any] = answer.json()[0]["filing"]
    return element


def test_missed_pay_is_paid_and_filed_for_its_own_month(company: Company) -> None:
    employee_id, other = hired(company, "3000.00"), hired(company, "5000.00")
    january = paid(company, JANUARY)
    [original] = [slip["id"] for slip in slips(company, employee_id) if slip["finalised"]]
    assert sorted(cpf_file(company, "2026-01")) == [(1110_00, 3000_00), (1850_00, 5000_00)]
    change_salary(company, employee_id, "3300.00")
    rows = "SELECT to_jsonb(p)::text AS row FROM payslips p WHERE finalised AND date = $1 ORDER BY id"
    before = company.member.service.as_owner(rows, date(2026, 1, 31))
    run_id = correction(company, january)
    run = read(company, run_id)
    assert (run["corrects"], run["special"], run["period_end_date"]) == (january, True, FEBRUARY)
    assert run["counts"] == {"payslips": 1, "calculated": 1, "dirty": 0, "attention": 0}
    payslip_id = only_payslip(company, run_id)
    assert [slip["corrects"] for slip in slips(company, employee_id) if slip["id"] == payslip_id] == [original]
    # 37 % of 3,300 less 37 % of 3,000, the employee's 20 % and SDL of 0.75.
    assert lines(company, payslip_id) == {
        "corrected_pay": "300.00",
        "cpf_employee": "60.00",
        "cpf_employer": "51.00",
        "sdl": "0.75",
        "nett_pay": "240.00",
    }
    assert_problem(company.member.get(f"/clients/{company.id}/filings/2026-01/cpf"), 409)
    done(company, run_id, "finalise")
    assert filing(company, "2026-01")["state"] == "changed"
    assert cpf_file(company, "2026-01") == [(111_00, 3300_00)]
    assert company.member.service.as_owner(rows, date(2026, 1, 31)) == before
    assert proposals.totals(company, employee_id) == [("missed", "paid", "300.00")]
    done(company, run_id, "release")
    journal = company.member.get(f"/payment_runs/{run_id}/accounting").json()
    assert journal
    # The draft of February is paid as if January had been right.
    assert lines(company, draft(company, employee_id))["cpf_employee"] == "660.00"
    assert draft(company, other)


def test_nothing_is_paid_twice(company: Company) -> None:
    employee_id = hired(company, "3000.00")
    january = paid(company, JANUARY)
    change_salary(company, employee_id, "3300.00")
    proposal_id = proposals.accepted(company, employee_id, treatment="decided_later")
    assert_problem(ask(company, january), 409)
    assert company.member.delete(f"{proposals.path(employee_id)}/{proposal_id}").status_code == 200
    run_id = correction(company, january)
    assert_problem(ask(company, january), 409)
    [(treatment, status, total)] = proposals.totals(company, employee_id)
    assert (treatment, status, total) == ("missed", "accepted", "300.00")
    for kind in ("missed", "decided_later"):
        answer = company.member.post(proposals.path(employee_id), {"treatment": kind})
        assert_problem(answer, 409)
    [stored] = proposals.listed(company, employee_id)
    for action in ("decline", "accept"):
        assert proposals.act(company, employee_id, stored["id"], action).status_code == 409
    assert company.member.delete(f"/payment_runs/{run_id}").status_code == 200
    assert proposals.totals(company, employee_id) == [("decided_later", "open", "300.00")]


def test_unfinalising_undoes_all_of_it(company: Company) -> None:
    employee_id = hired(company, "3000.00")
    january = paid(company, JANUARY)
    before = lines(company, draft(company, employee_id))
    change_salary(company, employee_id, "2900.00")
    changed = lines(company, draft(company, employee_id))
    run_id = corrected(company, january)
    assert lines(company, only_payslip(company, run_id)) == {"nett_pay": "0.00"}
    assert lines(company, draft(company, employee_id))["overpaid_wages"] == "100.00"
    assert_problem(act(company, january, "unfinalise"), 409)
    done(company, run_id, "unfinalise")
    [regular] = [slip["id"] for slip in slips(company, employee_id) if not slip["finalised"] and not slip["special"]]
    assert lines(company, regular) == changed
    assert_problem(act(company, january, "unfinalise"), 409)
    assert company.member.delete(f"/payment_runs/{run_id}").status_code == 200
    change_salary(company, employee_id, "3000.00")
    assert lines(company, draft(company, employee_id)) == before
    done(company, january, "unfinalise")


def test_bad_requests(company: Company) -> None:
    employee_id, bystander = hired(company, "3000.00"), hired(company, appointment_date="2026-02-10")
    stranger = Company.of(company.member)
    foreign_employee = hired(stranger)
    foreign = paid(stranger)
    january = opened(company)
    assert_problem(ask(company, foreign), 404)
    assert_problem(ask(company, 987654321), 404)
    assert_problem(ask(company, january), 409)
    done(company, january, "finalise")
    answer = ask(company, january)
    assert_problem(answer, 409)
    assert "nothing to correct" in answer.json()["message"]
    assert field_errors(ask(company, january, employee_ids=[employee_id, bystander, foreign_employee])) == {
        "employee_ids.1": f"employee {bystander} has no payslip in payment run {january}",
        "employee_ids.2": f"employee {foreign_employee} does not exist in this client",
    }
    assert list(field_errors(ask(company, january, employee_ids=[]))) == ["employee_ids"]
    assert list(field_errors(company.member.post(f"/clients/{company.id}/payment_runs", {"corrects": "x"}))) == [
        "corrects"
    ]


def test_a_payslip_of_a_correction_has_no_calculations(company: Company) -> None:
    employee_id = hired(company, "3000.00")
    january = paid(company, JANUARY)
    change_salary(company, employee_id, "3300.00")
    payslip_id = only_payslip(company, correction(company, january))
    body = {"calc_type": "bonus", "calculation_details": {"amount": "100.00"}}
    assert_problem(company.member.post(f"/payslips/{payslip_id}/calculations", body), 409)
    entity = {"id": employee_id, "payslip_id": payslip_id, "attributes": {"calc.bonus.amount": "100.00"}}
    answer = company.member.post(f"/clients/{company.id}/bulk_input", {"entities": [entity]})
    assert "corrects another payslip" in answer.text
    enter(company, f"employees/{employee_id}", "transport_allowance", amount="50.00")
    assert lines(company, payslip_id)["nett_pay"] == "240.00"


def test_a_month_with_two_payslips(company: Company) -> None:
    employee_id = hired(company, "6000.00")
    january = paid(company, JANUARY)
    once_off = opened(company, JANUARY, special=True, employee_ids=[employee_id])
    enter(company, f"payslips/{only_payslip(company, once_off)}", "commission", commission_input="4000.00")
    done(company, once_off, "finalise")
    assert cpf_file(company, "2026-01") == [(2960_00, 10000_00)]
    change_salary(company, employee_id, "7000.00")
    run_id = corrected(company, january)
    # The ceiling of 8,000 was reached before, so the month has no further CPF.
    assert lines(company, only_payslip(company, run_id)) == {"corrected_pay": "1000.00", "nett_pay": "1000.00"}
    assert filing(company, "2026-01")["difference"] == 0
    assert_problem(ask(company, once_off), 409)


@pytest.mark.parametrize("way", ["proposal", "correction run", "neither"])
def test_a_later_payslip_of_the_month_takes_less_if_too_much_was_contributed(company: Company, way: str) -> None:
    wave_id = company.wave(**TWICE_A_MONTH)
    employee_id = hired(company, "2000.00", wave_id=wave_id)
    first = paid(company, "2026-01-15", wave_id=wave_id)
    change_salary(company, employee_id, "1500.00")
    assert company.patch(employee_id, race="OTHER").status_code == 200
    if way == "proposal":
        proposals.accepted(company, employee_id, treatment="missed")
    if way == "correction run":
        corrected(company, first)
    second = draft(company, employee_id)
    taken = {"proposal": ("200.00", "170.00"), "correction run": ("200.00", "170.00"), "neither": ("300.00", "255.00")}
    amounts = lines(company, second)
    # 20 % of 3,000 for January, less the 400.00 of the first payslip. CDAC of the first payslip goes back.
    assert (amounts["cpf_employee"], amounts["cpf_employer"], amounts["cdac"]) == (*taken[way], "-0.50")
    paid(company, JANUARY, wave_id=wave_id)
    if way == "neither":
        assert [proposal["total"] for proposal in proposals.listed(company, employee_id)] == ["-500.00"]
        proposals.accepted(company, employee_id, treatment="missed")
        paid(company, "2026-02-15", wave_id=wave_id)
    assert [proposal["status"] for proposal in proposals.listed(company, employee_id)] == ["paid"]
    assert cpf_file(company, "2026-01") == [(1110_00, 3000_00)]
    assert refunds(filing(company, "2026-01")) == {}


def test_a_correction_of_a_correction(company: Company) -> None:
    employee_id = hired(company, "3000.00")
    january = paid(company, JANUARY)
    change_salary(company, employee_id, "3300.00")
    first = corrected(company, january)
    change_salary(company, employee_id, "3500.00")
    second = corrected(company, first)
    assert lines(company, only_payslip(company, second))["corrected_pay"] == "200.00"
    originals = {slip["corrects"] for run_id in (first, second) for slip in payslips(company, run_id)}
    assert len(originals) == 1
    assert read(company, second)["corrects"] == first
    change_salary(company, employee_id, "3400.00")
    third = corrected(company, january)
    assert lines(company, only_payslip(company, third)) == {"nett_pay": "0.00"}
    amounts = lines(company, draft(company, employee_id))
    assert (amounts["basic_salary"], amounts["overpaid_wages"]) == ("3400.00", "100.00")
    # No file of January was downloaded before, so nothing has to be claimed back: 37 % of 3,400.
    assert cpf_file(company, "2026-01") == [(1258_00, 3400_00)]
    assert_problem(act(company, first, "unfinalise"), 409)


def test_calculating_takes_in_what_was_recorded_since_the_run_was_opened(company: Company) -> None:
    mei, ravi, ali = (hired(company, "3000.00") for _ in range(3))
    january = paid(company, JANUARY)
    change_salary(company, mei, "3300.00")
    run_id = correction(company, january, employee_ids=[mei, ravi])
    payslip_id = only_payslip(company, run_id)
    for employee_id, amount in ((mei, "3500.00"), (ravi, "3100.00"), (ali, "3900.00")):
        change_salary(company, employee_id, amount)
    assert lines(company, payslip_id)["corrected_pay"] == "300.00"
    done(company, run_id, "calculate")
    rows = (
        "SELECT action, row_id, user_id IS NOT NULL AS by_user, coalesce(before, after) ->> 'employee_id' AS employee "
        "FROM audit_log WHERE client_id = $1 AND action LIKE 'retro_proposals.%' ORDER BY id"
    )
    logged = [(row["action"], int(row["employee"])) for row in company.member.service.as_owner(rows, company.id)]
    insert, delete = "retro_proposals.insert", "retro_proposals.delete"
    assert logged == [(insert, mei), (delete, mei), (insert, mei), (insert, ravi)]
    assert all(row["by_user"] and row["row_id"] for row in company.member.service.as_owner(rows, company.id))
    paid_now = {slip["employee_id"]: lines(company, slip["id"])["corrected_pay"] for slip in payslips(company, run_id)}
    assert paid_now == {mei: "500.00", ravi: "100.00"}
    assert proposals.totals(company, mei) == [("missed", "accepted", "500.00")]
    assert lines(company, payslip_id)["nett_pay"] == "400.00"
    change_salary(company, mei, "3000.00")
    change_salary(company, ravi, "3000.00")
    done(company, run_id, "calculate")
    assert (payslips(company, run_id), read(company, run_id)["state"]) == ([], "open")
    assert_problem(act(company, run_id, "finalise"), 409)
    change_salary(company, ravi, "3200.00")
    done(company, run_id, "calculate")
    done(company, run_id, "finalise")
    assert lines(company, only_payslip(company, run_id))["corrected_pay"] == "200.00"


def test_contributions_to_claim_back_are_refunds_of_the_month(company: Company) -> None:
    employee_id = hired(company, "3300.00")
    january = paid(company, JANUARY)
    assert cpf_file(company, "2026-01") == [(1221_00, 3300_00)]
    change_salary(company, employee_id, "3000.00")
    run_id = correction(company, january)
    done(company, run_id, "finalise")
    # 37 % of 300. The levy of 8.25 was rounded down to 8, and that of 7.50 is 7.
    overpaid = filing(company, "2026-01")
    assert (overpaid["state"], overpaid["difference"]) == ("changed", -112.0)
    assert refunds(overpaid) == {(employee_id, "01"): 111.0, (None, "11"): 1.0}
    assert cpf_file(company, "2026-01") == [(1221_00, 3300_00)]
    change_salary(company, employee_id, "3200.00")
    second = corrected(company, january)
    explained = company.member.get(f"/payslips/{only_payslip(company, second)}/explanation").json()
    [remark] = [remark for remark in explained["remarks"] if "$74.50 less is too much" in remark]
    assert remark.endswith(
        "If you applied for a refund, withdraw the application, or contribute the amount again if it was refunded"
    )
    assert refunds(filing(company, "2026-01")) == {(employee_id, "01"): 37.0}
    change_salary(company, employee_id, "3500.00")
    corrected(company, january)
    assert cpf_file(company, "2026-01") == [(74_00, 3500_00)]
    assert filing(company, "2026-01")["state"] == "submitted"


def test_certificates_have_only_the_compulsory_contributions(company: Company) -> None:
    employee_id = hired(company, "3300.00")
    january = paid(company, JANUARY)
    certificates.generate(company)
    assert certificates.boxes(company, employee_id)["cpf"] == 660
    change_salary(company, employee_id, "3000.00")
    corrected(company, january)
    certificates.generate(company)
    figures = certificates.boxes(company, employee_id)
    assert (figures["a"], figures["cpf"]) == (3000, 600)
    explained = company.member.get(f"/tax_certificates/{certificates.review(company, employee_id)['id']}/explanation")
    [cpf] = [box for box in explained.json()["boxes"] if box["box"] == "cpf"]
    assert [source["amount"] for source in cpf["payslips"]] == ["660.00", "-60.00"]
    change_salary(company, employee_id, "3500.00")
    corrected(company, january)
    certificates.generate(company)
    assert certificates.boxes(company, employee_id)["cpf"] == 700


def refunds(filed: dict[str, Any]) -> dict[tuple[int | None, str], float]:
    """The refunds of a filing by employee and payment code."""
    return {(refund["employee_id"], refund["payment_code"]): refund["amount"] for refund in filed["refunds"]}


def test_an_overpayment_is_reclaimed_over_three_months(company: Company) -> None:
    employee_id = hired(company, "3300.00")
    january = paid(company, JANUARY)
    change_salary(company, employee_id, "2400.00")
    enter(company, f"employees/{employee_id}", "overpaid_wages", instalment="300.00")
    run_id = corrected(company, january)
    payslip_id = only_payslip(company, run_id)
    explained = company.member.get(f"/payslips/{payslip_id}/explanation").json()
    assert any("$900.00 of $900.00" in remark for remark in explained["remarks"])
    files = company.member.get(f"/payment_runs/{run_id}/files").json()
    assert all(element["payment_file"]["payments"] == 0 for element in files), files
    for month in (FEBRUARY, MARCH, "2026-04-30"):
        payslip_id = draft(company, employee_id)
        assert lines(company, payslip_id)["overpaid_wages"] == "300.00"
        paid(company, month)
    assert "overpaid_wages" not in lines(company, draft(company, employee_id))


def test_a_leaver_who_was_overpaid(company: Company) -> None:
    employee_id, other = hired(company, "3300.00"), hired(company, "3300.00")
    january = paid(company, JANUARY)
    left = company.act(employee_id, "end_service", termination_date=FEBRUARY, termination_code=1)
    assert left.status_code == 200, left.text
    paid(company, FEBRUARY)
    assert not [slip for slip in slips(company, employee_id) if not slip["finalised"]]
    change_salary(company, employee_id, "3000.00")
    run_id = corrected(company, january, employee_ids=[employee_id, other])
    [slip] = payslips(company, run_id)
    assert (slip["employee_id"], slip["date"], slip["nett_pay"]) == (employee_id, MARCH, 0)
    bonus = opened(company, MARCH, special=True, employee_ids=[employee_id])
    enter(company, f"payslips/{only_payslip(company, bonus)}", "bonus", amount="1000.00")
    assert lines(company, only_payslip(company, bonus))["overpaid_wages"] == "300.00"


def test_permanent_residence_found_out_late(company: Company) -> None:
    foreigner = {"legal_status": "FOREIGNER", "fin": "F1234567N", "nric": None, "nationality": "MY", "race": "OTHER"}
    resident = {"legal_status": "PR", "nric": "S9012345I", "pr_date": "2023-01-10", "nationality": "MY"}
    employee_id = hired(company, "3000.00", **foreigner)
    january = paid(company, JANUARY)
    assert company.patch(employee_id, **resident).status_code == 200
    run_id = corrected(company, january)
    assert lines(company, only_payslip(company, run_id)) == {"cpf_employer": "1110.00", "nett_pay": "0.00"}
    assert cpf_file(company, "2026-01") == [(1110_00, 3000_00)]


def test_a_fund_that_no_pay_covers_stays_open(company: Company) -> None:
    employee_id = hired(company, "3000.00", race="CHINESE")
    january = paid(company, JANUARY)
    assert company.patch(employee_id, race="INDIAN").status_code == 200
    run_id = corrected(company, january)
    assert lines(company, only_payslip(company, run_id)) == {"nett_pay": "0.00"}
    [_, still_open] = proposals.listed(company, employee_id)
    assert still_open["differences"][0]["months"]["2026-01"]["sinda"]["difference"] == "7.00"
    proposals.accepted(company, employee_id, treatment="missed")
    assert lines(company, draft(company, employee_id))["sinda"] == "14.00"


def test_many_employees_are_compared_by_the_worker(company: Company) -> None:
    company = crowded(company, 101)
    january = opened(company)
    until_ready(company, january)
    done(company, january, "finalise")
    employees = [slip["employee_id"] for slip in payslips(company, january)]
    change_salary(company, employees[7], "123456.00")
    run_id = correction(company, january)
    run = until_ready(company, run_id)
    assert (run["counts"]["payslips"], run["state"]) == (1, "open")
    change_salary(company, employees[8], "123456.00")
    done(company, run_id, "calculate")
    assert until_ready(company, run_id)["counts"]["payslips"] == 2
    done(company, run_id, "finalise")
    empty = correction(company, january)
    assert until_ready(company, empty)["counts"]["payslips"] == 0
    answer = act(company, empty, "finalise")
    assert_problem(answer, 409)
    assert "nothing to correct" in answer.json()["message"]
