"""tracked_balances: inherited balances, and the listed employees."""

from tests.payroll.payment_runs.runs import JANUARY, hired, paid
from tests.payroll.payslips.slips import enter
from tests.reports.report_client import report_rows
from tests.support.company import Company
from tests.support.running import created


def test_balances_are_inherited_from_client_and_profile(company: Company) -> None:
    client = {"calc_type": "loan", "calculation_details": {"balance": "900.00", "instalment": "10.00"}}
    created(company.member.post(f"/clients/{company.id}/calculations", client))
    profile = {"name": "Savers", "calculations": {"savings": {"balance": "5.00", "instalment": "20.00"}}}
    profile_id = created(company.member.post(f"/clients/{company.id}/profiles", profile))
    plain, saver, borrower, without = (hired(company) for _ in range(4))
    for employee_id in (saver, without):
        mapping = {"profile_id": profile_id, "calculations": {"savings": employee_id == saver}}
        created(company.member.post(f"/employees/{employee_id}/profile_mappings", mapping))
    enter(company, f"employees/{borrower}", "loan", balance="100.00")
    paid(company, JANUARY)
    balances = {
        row["employee"]: (row["Loans"], row["Savings"])
        for row in report_rows(company, "tracked_balances", date=JANUARY)
    }
    numbers = [company.employee(employee_id)["number"] for employee_id in (plain, saver, borrower, without)]
    assert [balances[number] for number in numbers] == [(890, 0), (890, 25), (90, 0), (890, 0)]


def test_a_loan_never_becomes_negative(company: Company) -> None:
    employee_id = hired(company)
    enter(company, f"employees/{employee_id}", "loan", balance="50.00", instalment="80.00")
    paid(company, JANUARY)
    [row] = report_rows(company, "tracked_balances", date=JANUARY)
    assert row["Loans"] == 0


def test_leavers_are_listed_while_a_balance_is_outstanding(company: Company) -> None:
    debtor, other = hired(company), hired(company)
    enter(company, f"employees/{debtor}", "loan", balance="9000.00", instalment="80.00")
    for employee_id in (debtor, other):
        company.leave(employee_id, JANUARY)
    paid(company, JANUARY)
    assert len(report_rows(company, "tracked_balances", date=JANUARY)) == 2
    [row] = report_rows(company, "tracked_balances", date="2026-02-28")
    assert row["employee"] == company.employee(debtor)["number"]
    assert row["Loans"] > 0


def test_employees_are_not_listed_before_their_service(company: Company) -> None:
    hired(company)
    assert report_rows(company, "tracked_balances", date="2025-12-31") == []
    assert len(report_rows(company, "tracked_balances", date="2026-01-01")) == 1
