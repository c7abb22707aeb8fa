"""GET /payment_runs/:payment_run_id/accounting."""

from decimal import Decimal
from typing import Any

import msgspec

from tests.payroll.accounting.runs import Lines, open_run, put, saved
from tests.support.company import Company
from tests.support.problems import assert_problem
from tests.support.running import created

TAN: Lines = {
    "income": {"basic_salary": "3000.01", "transport_allowance": "150.00"},
    "deduction": {"cpf_employee": "630.00", "cdac": "1.00"},
    "employer_contribution": {"cpf_employer": "535.50", "sdl": "7.88"},
}
RAHMAN: Lines = {
    "income": {"basic_salary": "1800.00"},
    "employer_contribution": {"sdl": "4.50", "foreign_worker_levy": "650.00"},
    "benefit": {"benefit_in_kind": "200.00"},
}


def read_journal(company: Company, run_id: int) -> dict[str, Any]:
    answer = company.member.get(f"/payment_runs/{run_id}/accounting")
    assert answer.status_code == 200, answer.text
    [document] = answer.json()
    assert list(document) == ["posted_to_accounting_system", "finalised", "accounting_splits", "debit", "credit"]
    for posting in (*document["debit"], *document["credit"]):
        assert list(posting) == ["category", "line_item", "label", "amount"]
    return dict(document)


def amounts(document: dict[str, Any], side: str) -> dict[str, dict[str, float]]:
    return {posting["line_item"]: posting["amount"] for posting in document[side]}


def balanced(body: bytes) -> dict[str, Decimal]:
    """Check that debits and credits are equal, and return the total of each split."""
    decoded: Any = msgspec.json.Decoder(float_hook=Decimal).decode(body)
    sums = []
    for side in ("debit", "credit"):
        total: dict[str, Decimal] = {}
        for posting in decoded[0][side]:
            for key, amount in posting["amount"].items():
                total[key] = total.get(key, Decimal()) + amount
        sums.append(total)
    assert sums[0] == sums[1]
    return sums[0]


def test_a_journal_adds_up_the_lines_of_all_payslips(company: Company) -> None:
    run_id = open_run(company, {company.hire(): TAN, company.hire(): RAHMAN})
    answer = company.member.get(f"/payment_runs/{run_id}/accounting")
    assert answer.headers["x-rules-version"] == "abcdefabcdef"
    assert balanced(answer.content) == {"": Decimal("6347.89")}

    def line(category: str, item: str, label: str, amount: float) -> dict[str, Any]:
        return {"category": category, "line_item": item, "label": label, "amount": {"": amount}}

    assert answer.json() == [
        {
            "posted_to_accounting_system": False,
            "finalised": False,
            "accounting_splits": [],
            "debit": [
                line("Earnings", "basic_salary", "Salaries and wages", 4800.01),
                line("Earnings", "transport_allowance", "Allowances", 150.00),
                line("CPF", "cpf_employer", "Employer CPF", 535.50),
                line("Levies", "sdl", "Skills development levy", 12.38),
                line("Levies", "foreign_worker_levy", "Foreign worker levy", 650.00),
                line("Benefits in kind", "benefit_in_kind", "Benefits in kind", 200.00),
            ],
            "credit": [
                line("CPF", "cpf_employee", "CPF payable", 630.00),
                line("Self-help funds", "cdac", "Self-help funds payable", 1.00),
                line("CPF", "cpf_employer", "CPF payable", 535.50),
                line("Levies", "sdl", "Skills development levy payable", 12.38),
                line("Levies", "foreign_worker_levy", "Foreign worker levy payable", 650.00),
                line("Benefits in kind", "benefit_in_kind", "Benefits in kind clearing", 200.00),
                line("Nett pay", "nett_pay", "Salaries payable", 4319.01),
            ],
        }
    ]


def test_a_journal_by_pay_point_uses_the_pay_points_of_the_employees(company: Company) -> None:
    warehouse = company.member.new_pay_point(company.id, name="Warehouse")
    office = company.member.new_pay_point(company.id, name="Office")
    saved(put(company, f"/clients/{company.id}/accounting_splits", {"mode": "pay_point"}))
    run_id = open_run(company, {company.hire(pay_point_id=warehouse): TAN, company.hire(): RAHMAN})
    document = read_journal(company, run_id)
    assert document["accounting_splits"] == [
        {"id": str(warehouse), "name": "Warehouse"},
        {"id": str(office), "name": "Office"},
        {"id": "0", "name": "No pay point"},
    ]
    assert amounts(document, "debit")["basic_salary"] == {str(warehouse): 3000.01, str(office): 0, "0": 1800}
    assert amounts(document, "credit")["nett_pay"] == {str(warehouse): 2519.01, str(office): 0, "0": 1800}
    balanced(company.member.get(f"/payment_runs/{run_id}/accounting").content)


def test_a_journal_by_employee_uses_their_percentages_and_an_unassigned_split(company: Company) -> None:
    body = {"mode": "employee", "splits": [{"name": "Sales"}, {"name": "Ops"}]}
    splits = saved(put(company, f"/clients/{company.id}/accounting_splits", body))["splits"]
    sales, ops = [split["id"] for split in splits]
    tan, rahman = company.hire(), company.hire()
    saved(put(company, f"/employees/{tan}/accounting_splits", {sales: 60, ops: 40}))
    run_id = open_run(company, {tan: TAN, rahman: RAHMAN})
    document = read_journal(company, run_id)
    assert document["accounting_splits"] == [
        {"id": sales, "name": "Sales"},
        {"id": ops, "name": "Ops"},
        {"id": "0", "name": "Unassigned"},
    ]
    # 60 % of 3,000.01 is 1,800.006 and 40 % is 1,200.004
    assert amounts(document, "debit")["basic_salary"] == {sales: 1800.01, ops: 1200.00, "0": 1800.00}
    # 60 % of 7.88 is 4.728 and 40 % is 3.152
    assert (
        amounts(document, "debit")["sdl"] == amounts(document, "credit")["sdl"] == {sales: 4.73, ops: 3.15, "0": 4.50}
    )
    balanced(company.member.get(f"/payment_runs/{run_id}/accounting").content)
    saved(put(company, f"/employees/{rahman}/accounting_splits", {ops: 100}))
    assert [split["id"] for split in read_journal(company, run_id)["accounting_splits"]] == [sales, ops]


def test_the_accounts_of_the_client_are_used(company: Company) -> None:
    definition = {"name": "Night shift", "kind": "allowance", "input": "per_payslip"}
    item = str(created(company.member.post(f"/clients/{company.id}/calculation_definitions", definition)))
    accounts = [
        {"item": item, "category": "6000 Staff", "debit_account": "6190 Shifts"},
        {"item": "nett_pay", "category": "Payroll", "credit_account": "2100 Wages due"},
    ]
    saved(put(company, f"/clients/{company.id}/accounts", accounts))
    document = read_journal(company, open_run(company, {company.hire(): {"income": {item: "80.00"}}}))
    assert document["debit"] == [
        {"category": "6000 Staff", "line_item": item, "label": "6190 Shifts", "amount": {"": 80}}
    ]
    assert document["credit"] == [
        {"category": "Payroll", "line_item": "nett_pay", "label": "2100 Wages due", "amount": {"": 80}}
    ]


def test_amounts_are_numbers_exact_to_the_cent(company: Company) -> None:
    run_id = open_run(company, {company.hire(): {"income": {"basic_salary": "90071992547409.93"}}})
    text = company.member.get(f"/payment_runs/{run_id}/accounting").text
    assert text.count('{"":90071992547409.93}') == 2


def test_a_journal_shows_whether_it_was_posted(company: Company) -> None:
    run_id = open_run(company, {}, posted=True)
    assert read_journal(company, run_id) == {
        "posted_to_accounting_system": True,
        "finalised": False,
        "accounting_splits": [],
        "debit": [],
        "credit": [],
    }


def test_there_is_no_journal_while_payslips_are_being_calculated(company: Company) -> None:
    run_id = open_run(company, {company.hire(): TAN}, dirty=True)
    answer = company.member.get(f"/payment_runs/{run_id}/accounting")
    assert assert_problem(answer, 409)["message"] == "1 payslip is still being calculated; retry when it has finished"
    assert answer.headers["retry-after"] == "2"
    # Otherwise the worker would calculate the payslip later, during another test.
    company.member.service.as_owner(
        "UPDATE payslips SET dirty = false, finalised = true WHERE payment_run_id = $1", run_id
    )


def test_there_is_no_journal_while_the_run_is_being_opened(company: Company) -> None:
    run_id = open_run(company, {company.hire(): TAN}, state="opening")
    answer = company.member.get(f"/payment_runs/{run_id}/accounting")
    message = f"Payment run {run_id} is still being opened; retry when it has finished"
    assert assert_problem(answer, 409)["message"] == message
    assert answer.headers["retry-after"] == "2"
    # Otherwise the worker would open the run later, during another test.
    company.member.service.as_owner("UPDATE payment_runs SET state = 'ready' WHERE id = $1", run_id)


def test_a_journal_leaves_out_payslips_of_other_runs(company: Company) -> None:
    tan = company.hire()
    open_run(company, {tan: TAN})
    other = Company(company.member, company.id, company.wave(frequency="weekly", first_end_date="2024-01-05"))
    assert read_journal(company, open_run(other, {}))["debit"] == []


def test_a_run_that_does_not_exist_is_a_404(company: Company) -> None:
    assert_problem(company.member.get("/payment_runs/999999999/accounting"), 404)


def test_a_run_of_another_account_is_a_404(company: Company) -> None:
    run_id = open_run(company, {company.hire(): TAN})
    stranger = company.member.service.new_account()
    assert_problem(stranger.get(f"/payment_runs/{run_id}/accounting"), 404)
    viewer = company.member.colleague(company.id, "viewer")
    assert viewer.get(f"/payment_runs/{run_id}/accounting").status_code == 200
