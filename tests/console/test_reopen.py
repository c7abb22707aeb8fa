"""Reopening of finalised pay runs: what is affected, and what has changed afterwards."""

from tests.console.console_user import ConsoleUser, page_text
from tests.console.sample_company import FEBRUARY
from tests.payroll.payment_runs.runs import done, hired, opened, paid, read
from tests.payroll.payslips.slips import enter
from tests.support.company import Company


def test_reopening_warns_if_files_were_downloaded(owner: ConsoleUser, company: Company) -> None:
    hired(company)
    run_id = opened(company)
    done(company, run_id, "finalise")
    path = f"/payment_runs/{run_id}/unfinalise"
    assert "You have downloaded" not in page_text(owner.get(path))
    assert owner.get(f"/payment_runs/{run_id}/files?download=payment_list.csv").status_code == 200
    assert "You have downloaded a payment file." in page_text(owner.get(path))


def test_reopening_says_what_is_affected_and_then_what_changed(owner: ConsoleUser, company: Company) -> None:
    siti = hired(company, first_name="Siti", last_name="Aminah")
    hired(company, first_name="Ravi", last_name="Kumar")
    run_id = paid(company)
    path = f"/payment_runs/{run_id}"
    draft = company.member.get(f"/employees/{siti}/payslips").json()[-1]["payslip"]["id"]
    enter(company, f"payslips/{draft}", "bonus", amount="100.00")
    assert owner.post(f"{path}/release").status_code == 303
    assert owner.post(f"{path}/posted", page=f"{path}/accounting").status_code == 303
    affected = page_text(owner.get(f"{path}/unfinalise"))
    for text in (
        "2 payslips become drafts again and are recalculated",
        "Employees can no longer see their payslips",
        "The journal is no longer marked as posted",
        "2 drafts of the next period disappear",
        "What you entered in 1 of them is kept",
    ):
        assert text in affected, text
    assert owner.post(f"{path}/unfinalise").status_code == 303
    assert not read(company, run_id)["posted_to_accounting_system"]
    enter(company, f"employees/{siti}", "basic_salary", fixed_amount="4500.00")
    assert owner.post(f"{path}/finalise").status_code == 303
    compared = page_text(owner.get(path))
    assert "1 payslip changed since the pay run was last finalised" in compared
    assert "Siti Aminah Basic salary $4,200.00 $4,500.00 +$300.00" in compared
    assert "Siti Aminah Nett pay $3,358.50 $3,598.50 +$240.00" in compared
    paid(company, FEBRUARY)
    blocked = owner.get(f"{path}/unfinalise")
    assert "for 28 Feb 2026 is already finalised" in page_text(blocked)
    assert "Reopen 2 payslips" not in page_text(blocked)
