"""An earlier pay run without a file for the bank is named before a later one is finalised, which blocks its repair."""

from tests.approvals.second_person import require_approval
from tests.console.company_steps_pages import form_fields, reviewed, rows_of
from tests.console.console_user import ConsoleUser, page_text, signed_in_user
from tests.documents.payment_files.test_files import PAYER
from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY, MARCH, done, hired, opened, paid
from tests.support.company import BANK_ACCOUNT, Company

WRONG_ACCOUNT = {"bank_id": 7339, "branch_code": "999", "account_number": "5011234567"}
CANNOT_BE_REOPENED = (
    "The pay run for 31 Jan 2026 is not marked as paid, and its file for the bank cannot be created because of "
    "employees' accounts. It cannot be reopened after this one is finalised."
)


def wrongly_paid(company: Company) -> tuple[int, int]:
    """Finalise January with a wrong account, which is corrected later. Returns the employee and the run."""
    company.member.patch(f"/clients/{company.id}", {"bank_account": PAYER})
    employee_id = hired(company, payment_method="eft_manual", bank_account=WRONG_ACCOUNT)
    run_id = paid(company)
    company.patch(employee_id, bank_account=BANK_ACCOUNT)
    return employee_id, run_id


def row(user: ConsoleUser, company: Company) -> tuple[str, list[str]]:
    """The row of the company's pay run in the review of several companies, and what is selected."""
    review = reviewed(user, "finalise", company)
    [text] = rows_of(review).values()
    return text, form_fields(review).get("row", [])


def test_a_run_that_blocks_the_repair_of_an_earlier_one_is_not_selected(owner: ConsoleUser, company: Company) -> None:
    _, january = wrongly_paid(company)
    february = opened(company, FEBRUARY)
    user = signed_in_user(company.member)
    text, selected = row(user, company)
    assert CANNOT_BE_REOPENED in text
    assert selected == []
    files = f"/payment_runs/{january}/files"
    assert f'href="{files}?return_to=' in reviewed(user, "finalise", company).text
    page = owner.get(f"/payment_runs/{february}/finalise")
    assert CANNOT_BE_REOPENED in page_text(page)
    assert f'<a href="{files}?return_to=/payment_runs/{february}/finalise">Payment files</a>' in page.text
    assert owner.post(files, {"action": "mark_paid", "payment_date": JANUARY}).status_code == 303
    text, selected = row(user, company)
    assert "cannot be reopened" not in text
    assert selected == [str(february)]
    assert "cannot be reopened" not in page_text(owner.get(f"/payment_runs/{february}/finalise"))


def test_a_request_to_finalise_names_the_earlier_run(company: Company) -> None:
    wrongly_paid(company)
    colleague = require_approval(company)
    assert colleague.post(f"/payment_runs/{opened(company, FEBRUARY)}/finalise").status_code == 202
    page = signed_in_user(company.member).get(f"/companies/{company.id}/approvals")
    assert CANNOT_BE_REOPENED.removesuffix(".") in page_text(page)


def test_only_runs_that_can_be_reopened_now_are_named(owner: ConsoleUser, company: Company) -> None:
    _, january = wrongly_paid(company)
    february = paid(company, FEBRUARY)
    march = opened(company, MARCH)
    assert "cannot be reopened" not in page_text(owner.get(f"/payment_runs/{march}/finalise"))
    for run_id in (february, january):
        done(company, run_id, "unfinalise")
    done(company, january, "finalise")
    assert "cannot be reopened" not in page_text(owner.get(f"/payment_runs/{february}/finalise"))


def test_runs_of_other_employees_do_not_block_the_repair(owner: ConsoleUser, company: Company) -> None:
    employee_id, _ = wrongly_paid(company)
    company.leave(employee_id, JANUARY)
    hired(company, appointment_date=FEBRUARY)
    february = opened(company, FEBRUARY)
    assert "cannot be reopened" not in page_text(owner.get(f"/payment_runs/{february}/finalise"))
