"""Journals of pay runs."""

from tests.console.console_user import ConsoleUser, page_text
from tests.payroll.payment_runs.runs import hired, opened, paid
from tests.support.company import Company


def test_the_journal_can_be_downloaded_for_accounting_programs(owner: ConsoleUser, company: Company) -> None:
    hired(company)
    run = f"/payment_runs/{paid(company)}/accounting"
    page = owner.get(run)
    assert "Basic salary, debited to Salaries and wages, has no account code" in page_text(page)
    assert "Accounts are missing for Xero" in page_text(page)
    assert page.text.index("Enter accounts") < page.text.index("<details><summary>")
    answer = owner.get(f"{run}?download=journal.csv")
    assert answer.headers["content-type"].startswith("text/csv")
    assert answer.text.startswith("date,narration,account,")
    assert ",Salaries and wages,Salaries and wages,,4200.00,,Basic salary" in answer.text
    assert owner.get(f"{run}?download=xero.csv").status_code == 422
    assert owner.get(f"{run}?download=sage.csv").status_code == 404


def test_the_journal_explains_cents_of_the_skills_development_levy(owner: ConsoleUser, company: Company) -> None:
    hired(company, "2000.00")
    note = "The CPF Board is paid whole dollars"
    path = f"/payment_runs/{opened(company)}"
    assert note not in page_text(owner.get(f"{path}/accounting"))
    hired(company, "2100.00", appointment_date="2026-01-01")
    assert owner.post(f"{path}/calculate", page=path).status_code == 303
    assert note in page_text(owner.get(f"{path}/accounting"))


def test_a_draft_journal_has_no_files(owner: ConsoleUser, company: Company) -> None:
    hired(company)
    page = owner.get(f"/payment_runs/{opened(company)}/accounting")
    assert page.status_code == 200
    assert "Files for your accounting program" not in page_text(page)
