"""Pay runs and payment files name the bank details that are missing or wrong."""

import re

from tests.console.console_user import ConsoleUser, page_text
from tests.console.sample_company import FEBRUARY
from tests.documents.payment_files.test_files import PAYER
from tests.payroll.payment_runs.runs import JANUARY, MARCH, done, hired, opened, paid, payslips
from tests.support.company import BANK_ACCOUNT, Company


def test_a_pay_run_says_what_the_file_for_the_bank_lacks(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company)
    run_id = opened(company)
    path, lacking = f"/payment_runs/{run_id}", "The file for the bank cannot be created yet"
    company.member.patch(f"/clients/{company.id}", {"bank_account": BANK_ACCOUNT})
    assert lacking not in page_text(owner.get(path))
    company.hire(appointment_date="2026-03-01", payment_method="eft_manual", bank_account=BANK_ACCOUNT)
    assert lacking not in page_text(owner.get(path))
    company.patch(employee_id, payment_method="eft_manual", bank_account=BANK_ACCOUNT)
    for action in ("", "finalise"):
        if action:
            done(company, run_id, action)
        page = owner.get(path)
        assert f"{lacking}. Complete or correct the bank details of your company." in page_text(page)
        assert "Account name : is required for a DBS file" in page_text(page)
        assert f"/companies/{company.id}/details?return_to=/payment_runs/{run_id}#bank_account-" in page.text
    company.member.patch(f"/clients/{company.id}", {"bank_account": PAYER})
    assert lacking not in page_text(owner.get(path))


def test_a_pay_run_names_employees_whose_bank_account_is_wrong(owner: ConsoleUser, company: Company) -> None:
    company.member.patch(f"/clients/{company.id}", {"bank_account": PAYER})
    payee = {"payment_method": "eft_manual"}
    wrong = {"bank_id": 7339, "branch_code": "999", "account_number": "5011234567"}
    employee_id = hired(company, first_name="Wrong", **payee, bank_account=wrong)
    hired(company, first_name="Right", **payee, bank_account=BANK_ACCOUNT)
    hired(company, first_name="Cash", payment_method="cash")
    run_id = opened(company)
    reason = "Wrong Tan (1) : branch code 999 does not match the account number; it should be"
    path, lacking = f"/payment_runs/{run_id}", "The file for the bank cannot be created yet"
    for page in (owner.get(path), owner.get(f"{path}/finalise")):
        text = page_text(page)
        assert f"{lacking}. A finalised payslip keeps the bank account that the employee has now." in text
        assert reason in text
        assert text.count(lacking) == 1
        assert not re.search(r"(Right|Cash) Tan \([0-9]\) :", text)
    form = f"/employees/{employee_id}/edit?return_to={path}#payment_method"
    assert f'<a href="{form}">' in owner.get(path).text
    assert 'id="payment_method"' in owner.get(form).text
    assert "Save and return to the pay run" in page_text(owner.get(form))
    company.patch(employee_id, bank_account=BANK_ACCOUNT)
    assert lacking not in page_text(owner.get(path))
    company.patch(employee_id, bank_account=wrong)
    done(company, run_id, "finalise")
    assert reason not in page_text(owner.get(path))


def test_a_wrong_bank_account_is_named_if_others_are_paid_to_paynow_numbers(
    owner: ConsoleUser, company: Company
) -> None:
    # UOB takes payments to PayNow numbers in a file of their own, which has no errors here.
    company.member.patch(f"/clients/{company.id}", {"bank_account": {**PAYER, "bank_id": 7375}})
    wrong = {"bank_id": 7339, "branch_code": "999", "account_number": "5011234567"}
    hired(company, first_name="Wrong", payment_method="eft_manual", bank_account=wrong)
    hired(company, payment_method="eft_manual", bank_account=BANK_ACCOUNT, paynow="+6591234567")
    path = f"/payment_runs/{opened(company)}"
    steps = f"/companies/steps?step=finalise&client_id={company.id}"
    for page in (path, f"{path}/finalise", steps):
        assert "branch code 999 does not match the account number" in page_text(owner.get(page)), page


def test_a_file_with_errors_links_to_what_is_missing(owner: ConsoleUser, viewer: ConsoleUser, company: Company) -> None:
    bank = {"bank_id": 7171, "account_number": "0052312891", "branch_code": "005"}
    hired(company, payment_method="eft_manual", bank_account=bank)
    run_id = opened(company)
    done(company, run_id, "finalise")
    page = owner.get(f"/payment_runs/{run_id}/files")
    assert "The bank account of the company is missing. Enter it" in page_text(page)
    link = f"/companies/{company.id}/details?return_to=/payment_runs/{run_id}/files#bank_account"
    assert f'<a href="{link}">Enter it</a>' in page.text
    for_viewer = page_text(viewer.get(f"/payment_runs/{run_id}/files"))
    assert "The bank account of the company is missing" in for_viewer
    assert "Enter it" not in for_viewer
    assert "Finalised payslips keep the bank details" not in page_text(page)
    details = f"/companies/{company.id}/details"
    for path, back in ((f"/payment_runs/{run_id}/files", True), ("//elsewhere.example/files", False)):
        form = owner.get(f"{details}?return_to={path}")
        assert ("Save and return to the pay run" in page_text(form)) == back
        saved = owner.post(details, {"name": "Bakery", "return_to": path})
        assert saved.headers["location"] == (path if back else f"/companies/{company.id}/settings")


def test_what_the_file_for_the_bank_needs_is_named_before_finalising(owner: ConsoleUser, company: Company) -> None:
    bank = {"bank_id": 7171, "account_number": "0052312891", "branch_code": "005"}
    employee_id = hired(company, payment_method="eft_manual", bank_account=bank)
    company.member.patch(f"/clients/{company.id}", {"bank_account": bank})
    path = f"/payment_runs/{opened(company)}/finalise"
    page = owner.get(path)
    assert "Details of your company are missing. You can add them before or after you finalise" in page_text(page)
    link = f"/companies/{company.id}/details?return_to={path}#bank_account-company_id"
    assert f'<a href="{link}">Company ID at the bank</a>' in page.text
    assert "Correct the accounts of these employees" not in page_text(page)
    payer = {**bank, "company_id": "KOPI01", "account_name": "Kopi Trading Pte Ltd"}
    company.member.patch(f"/clients/{company.id}", {"bank_account": payer})
    company.member.patch(f"/employees/{employee_id}", {"bank_account": {**bank, "account_number": "1234567"}})
    text = page_text(owner.get(path))
    assert "Correct the accounts of these employees before you finalise" in text
    assert "Details of your company are missing" not in text


def test_a_file_with_a_wrong_account_says_that_the_pay_run_must_be_reopened(
    owner: ConsoleUser, company: Company
) -> None:
    bank = {"bank_id": 7171, "account_number": "1234567", "branch_code": "005"}
    hired(company, payment_method="eft_manual", bank_account=bank)
    run_id = opened(company)
    done(company, run_id, "finalise")
    page = owner.get(f"/payment_runs/{run_id}/files")
    assert "Finalised payslips keep the bank details they were finalised with" in page_text(page)
    assert f'<a href="/payment_runs/{run_id}/unfinalise">reopen this pay run</a>' in page.text


def test_a_wrong_account_in_an_older_pay_run_is_no_dead_end(owner: ConsoleUser, company: Company) -> None:
    company.member.patch(f"/clients/{company.id}", {"bank_account": PAYER})
    wrong = {"bank_id": 7339, "branch_code": "999", "account_number": "5011234567"}
    employee_id = hired(company, payment_method="eft_manual", bank_account=wrong)
    january, february = paid(company), paid(company, FEBRUARY)
    path = f"/payment_runs/{january}/files"
    done(company, february, "release")
    page = owner.get(path)
    assert "This pay run cannot be reopened, because a later pay run is finalised." in page_text(page)
    assert f'<a href="/payment_runs/{february}">a later pay run</a>' in page.text
    assert "in another way and mark the pay run as paid. Or correct the accounts" in page_text(page)
    assert f"/payment_runs/{january}/unfinalise" not in page.text
    assert owner.post(path, {"action": "mark_paid", "payment_date": JANUARY}).status_code == 303
    text = page_text(owner.get(path))
    assert "If the employee was not paid, correct the account, then choose Pay again" in text
    assert "A payment that the bank returned" in text
    assert "reopen" not in text
    [payslip] = payslips(company, january)
    assert owner.post(path, {"payslip_id": str(payslip["id"])}).status_code == 303
    assert "Correct the employee. The file then has the current account" in page_text(owner.get(path))
    company.patch(employee_id, bank_account=BANK_ACCOUNT)
    assert "Correct the employee" not in page_text(owner.get(path))


def test_later_pay_runs_can_be_reopened_before_one_with_a_wrong_account(
    owner: ConsoleUser, viewer: ConsoleUser, company: Company
) -> None:
    company.member.patch(f"/clients/{company.id}", {"bank_account": PAYER})
    wrong = {"bank_id": 7339, "branch_code": "999", "account_number": "5011234567"}
    hired(company, payment_method="eft_manual", bank_account=wrong)
    january, february = paid(company), paid(company, FEBRUARY)
    path = f"/payment_runs/{january}/files"
    page = owner.get(path)
    assert (
        "Correct the employee, reopen the pay run for 28 Feb 2026 first, then this one, and finalise both again. "
        "Or pay the employees of this file in another way and mark the pay run as paid. Or correct the accounts"
    ) in page_text(page)
    assert f'<a href="/payment_runs/{february}/unfinalise">the pay run for 28 Feb 2026</a>' in page.text
    assert "/unfinalise" not in viewer.get(path).text
    march = paid(company, MARCH)
    page = owner.get(path)
    assert "reopen the 2 later pay runs first, beginning with the pay run for 31 Mar 2026" in page_text(page)
    assert "then this one, and finalise all again, beginning with this one" in page_text(page)
    assert f'<a href="/payment_runs/{march}/unfinalise">' in page.text
    assert f"/payment_runs/{january}/unfinalise" not in page.text
    for run_id in (february, march):
        assert company.member.post(f"/payment_runs/{run_id}/mark_paid").status_code == 200
        page = owner.get(path)
        assert "This pay run cannot be reopened, because a later pay run is finalised." in page_text(page)
        assert "/unfinalise" not in page.text
        assert company.member.post(f"/payment_runs/{run_id}/mark_not_paid").status_code == 200
