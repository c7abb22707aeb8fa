"""tracked_balances: where balances come from, and whom they are told of."""

from tests.payroll.payment_runs.runs import JANUARY, hired, paid
from tests.payroll.payslips.slips import enter
from tests.reports.asking import rows
from tests.support.company import Company
from tests.support.running import created


def test_what_the_client_and_a_profile_say_counts_as_far_as_the_employee_says_nothing(company: Company) -> None:
    client = {"calc_type": "loan", "calculation_details": {"balance": "900.00", "instalment": "10.00"}}
    created(company.member.post(f"/clients/{company.id}/calculations", client))
    profile = {"name": "Savers", "calculations": {"savings": {"balance": "5.00", "instalment": "20.00"}}}
    profile_id = created(company.member.post(f"/clients/{company.id}/profiles", profile))
    plain, saver, own, without = (hired(company) for _ in range(4))
    for employee_id in (saver, without):
        mapping = {"profile_id": profile_id, "calculations": {"savings": employee_id == saver}}
        created(company.member.post(f"/employees/{employee_id}/profile_mappings", mapping))
    enter(company, f"employees/{own}", "loan", balance="100.00")
    paid(company, JANUARY)
    found = {row["employee"]: (row["Loans"], row["Savings"]) for row in rows(company, "tracked_balances", date=JANUARY)}
    numbers = [company.employee(one)["number"] for one in (plain, saver, own, without)]
    assert [found[number] for number in numbers] == [(890, 0), (890, 25), (90, 0), (890, 0)]


def test_what_is_paid_back_never_goes_below_nothing(company: Company) -> None:
    someone = hired(company)
    enter(company, f"employees/{someone}", "loan", balance="50.00", instalment="80.00")
    paid(company, JANUARY)
    [row] = rows(company, "tracked_balances", date=JANUARY)
    assert row["Loans"] == 0


def test_someone_who_left_is_told_of_as_long_as_something_is_outstanding(company: Company) -> None:
    debtor, other = hired(company), hired(company)
    enter(company, f"employees/{debtor}", "loan", balance="9000.00", instalment="80.00")
    for one in (debtor, other):
        company.leave(one, JANUARY)
    paid(company, JANUARY)
    assert len(rows(company, "tracked_balances", date=JANUARY)) == 2
    [row] = rows(company, "tracked_balances", date="2026-02-28")
    assert row["employee"] == company.employee(debtor)["number"]
    assert row["Loans"] > 0


def test_nobody_is_told_of_before_their_service(company: Company) -> None:
    hired(company)
    assert rows(company, "tracked_balances", date="2025-12-31") == []
    assert len(rows(company, "tracked_balances", date="2026-01-01")) == 1
