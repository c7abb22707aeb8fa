"""Pay runs, payslips, leave requests, reports and bulk input with plain forms."""

import html
import io
import re
from html.parser import HTMLParser
from urllib.parse import parse_qs, urlencode

import httpx
import openpyxl
import pytest

from gaji.console.explanation_text import formula_text
from gaji.core import clock
from gaji.law import check_letter
from gaji.law.months import Month
from tests.console.console_user import ConsoleUser, page_text
from tests.console.sample_company import FEBRUARY, create_sample_company
from tests.documents.payment_files.test_files import PAYER
from tests.leave.people import leave_types
from tests.payroll.calculations.requests import create_item
from tests.payroll.payment_runs.runs import JANUARY, MARCH, done, hired, opened, paid, payslips, read
from tests.payroll.payslips.slips import enter
from tests.support.company import BANK_ACCOUNT, WEEKLY, Company, of_status


def runs(company: Company) -> str:
    """The page of a company's runs."""
    return f"/companies/{company.id}/payment_runs"


def test_a_pay_run_from_open_to_posted_with_plain_forms(owner: ConsoleUser, company: Company) -> None:
    hired(company, first_name="Siti", last_name="Aminah")
    paid(company)
    page = owner.get(runs(company))
    assert "28 Feb 2026" in page_text(page)
    answer = owner.post(runs(company), {"wave_id": str(company.wave_id), "period_end_date": FEBRUARY})
    run = answer.headers["location"]
    run_id = int(run.rpartition("/")[2])
    checked = page_text(owner.get(run))
    assert "Ready to finalise" in checked
    assert "Siti Aminah" in checked
    requested = page_text(owner.get(f"{run}/finalise"))
    assert "The amounts become final" in requested
    assert "Finalise 1 payslip" in requested
    assert owner.post(f"{run}/finalise").headers["location"] == run
    assert read(company, run_id)["finalised"]
    assert "Send the payment files to your bank" in page_text(owner.get(run))
    assert owner.post(f"{run}/files", {"action": "mark_paid"}).status_code == 303
    assert "Employees cannot see these payslips yet" in page_text(owner.get(run))
    assert owner.post(f"{run}/release").status_code == 303
    assert "Payslips released. Employees with access can see them in the portal" in page_text(owner.get(run))
    assert read(company, run_id)["released"]
    journal = owner.get(f"{run}/accounting")
    assert "Salaries and wages" in page_text(journal)
    assert owner.post(f"{run}/posted", page=f"{run}/accounting").status_code == 303
    assert read(company, run_id)["posted_to_accounting_system"]
    page = owner.get(run)
    assert "Download the CPF file" in page_text(page)
    assert f'href="/companies/{company.id}/filings?month=2026-02"' in page.text
    assert owner.post(f"{run}/mark_not_paid", page=f"{run}/files").status_code == 303
    assert owner.post(f"{run}/unfinalise").status_code == 303
    assert owner.post(f"{run}/delete").headers["location"] == runs(company)
    assert len(company.member.get(f"/clients/{company.id}/payment_runs").json()) == 1


def test_changes_from_the_previous_period_are_shown(owner: ConsoleUser, company: Company) -> None:
    same, more = hired(company, first_name="Same"), hired(company, first_name="More")
    paid(company)
    enter(company, f"employees/{more}", "basic_salary", fixed_amount="5200.00")
    hired(company, first_name="Newly", appointment_date="2026-02-01")
    run_id = opened(company, FEBRUARY)
    page = page_text(owner.get(f"/payment_runs/{run_id}"))
    assert page.index("More Tan") < page.index("+$799.50")
    changed = page_text(owner.get(f"/payment_runs/{run_id}?show=changed&sort=-change"))
    assert changed.index("Newly Tan") < changed.index("More Tan")
    assert "Same Tan" not in changed
    assert same


def test_a_blocked_payslip_is_listed_first_and_blocks_finalising(owner: ConsoleUser, company: Company) -> None:
    hired(company, first_name="Fine")
    ratio = create_item(company, name="Ratio", kind="income", input="formula", formula="basic_salary / quantity")
    enter(company, f"employees/{hired(company, first_name='Lacking')}", str(ratio), quantity="0")
    run_id = opened(company)
    page = page_text(owner.get(f"/payment_runs/{run_id}"))
    assert "1 payslip cannot be finalised yet" in page
    assert "Ready to finalise" not in page
    assert page.index("Lacking Tan 2") < page.index("Fine Tan 1")
    alone = page_text(owner.get(f"/payment_runs/{run_id}?show=attention"))
    assert "Fine Tan 1" not in alone
    refused = owner.post(f"/payment_runs/{run_id}/finalise")
    assert refused.status_code == 409
    assert "1 payslip is not ready" in page_text(refused)
    assert "cannot be finalised yet" in page_text(owner.get(f"/companies/{company.id}"))


def test_a_later_pay_run_says_that_the_earlier_one_comes_first(owner: ConsoleUser, company: Company) -> None:
    hired(company)
    january, february = paid(company), paid(company, FEBRUARY)
    done(company, february, "unfinalise")
    done(company, january, "unfinalise")
    path, first = f"/payment_runs/{february}", "Finalise the pay run for 31 Jan 2026 first."
    for page in (path, f"{path}/finalise"):
        answer = owner.get(page)
        assert first in page_text(answer)
        assert f'href="/payment_runs/{january}">Pay run for 31 Jan 2026</a>' in answer.text
        assert "Finalise 0 payslips" not in page_text(answer)
    page = page_text(owner.get(path))
    assert "Ready to finalise" not in page
    assert "This pay run has no payslips until then" in page
    refused = owner.post(f"{path}/finalise")
    assert refused.status_code == 409
    assert first in page_text(refused)
    assert "wave" not in page_text(refused)
    done(company, january, "finalise")
    assert "Ready to finalise" in page_text(owner.get(path))


def test_a_pay_run_says_that_payslips_were_added_to_an_earlier_one(owner: ConsoleUser, company: Company) -> None:
    hired(company)
    returning = hired(company)
    paid(company)
    company.leave(returning, JANUARY)
    february = paid(company, FEBRUARY)
    path = f"/payment_runs/{opened(company, MARCH)}"
    assert company.act(returning, "undo_end_service").status_code == 200
    page = owner.get(path)
    assert "Payslips for 28 Feb 2026 were added after its pay run was finalised. Reopen it first" in page_text(page)
    assert f'href="/payment_runs/{february}">Pay run for 28 Feb 2026</a>' in page.text
    assert "Ready to finalise" not in page_text(page)


def test_a_payslip_without_nett_pay_is_highlighted(owner: ConsoleUser, company: Company) -> None:
    hired(company, first_name="Paid")
    company.hire(first_name="Forgotten", appointment_date="2026-01-01")
    path = f"/payment_runs/{opened(company)}"
    assert "1 payslip has no nett pay" in page_text(owner.get(f"{path}/finalise"))
    text = page_text(owner.get(path))
    assert "1 payslip has no nett pay" in text
    assert "Review 1 payslip to check" in text
    assert "Check 1 payslip, then finalise" in text
    assert "Ready to finalise" not in text
    assert text.index("Forgotten", text.index("No nett pay") - 100) < text.rindex("Paid")


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


def test_unconfirmed_leave_balances_are_pointed_out_before_payslips_show_them(
    owner: ConsoleUser, company: Company
) -> None:
    wave_id = company.wave(frequency="monthly", last_day_of_month=31, first_end_date=JANUARY)
    hired(company, first_name="New", wave_id=wave_id)
    employee_id = hired(company, first_name="Old", appointment_date="2024-01-01", wave_id=wave_id)
    run_id = opened(company, wave_id=wave_id)
    path, unconfirmed = f"/payment_runs/{run_id}", "Leave balances of 1 employee are not confirmed"
    page = owner.get(path)
    assert f"{unconfirmed}. The payslip shows balances that leave out leave taken before" in page_text(page)
    assert f'href="/companies/{company.id}/settings/take_on#people"' in page.text
    assert f"{unconfirmed}. The payslip shows balances" in page_text(owner.get(f"{path}/finalise"))
    assert "Enter the days left before you finalise." in page_text(owner.get(f"{path}/finalise"))
    done(company, run_id, "finalise")
    release = page_text(owner.get(f"{path}/release"))
    assert unconfirmed in release
    later = "Enter the days left to have the right balances on later payslips. To have them on these payslips too"
    assert later in release
    assert "Leave taken before you started" in page_text(owner.get(f"/employees/{employee_id}?tab=leave"))
    options = f"/clients/{company.id}/payslip_options"
    assert company.member.patch(options, {"leave_balances": False}).status_code == 200
    assert unconfirmed not in page_text(owner.get(f"{path}/release"))
    assert company.member.patch(options, {"leave_balances": True}).status_code == 200
    annual = leave_types(company.member, company.id)["annual_leave"]
    taken = company.member.post(f"/employees/{employee_id}/leave_days", {"date": "2026-02-02", "type_id": annual})
    assert taken.status_code == 200, taken.text
    assert unconfirmed in page_text(owner.get(f"{path}/release"))
    balances = {"year": 2026, "leave": {str(annual): "3.5"}}
    saved = company.member.call("PUT", f"/employees/{employee_id}/take_on_balances", json=balances)
    assert saved.status_code == 200, saved.text
    assert unconfirmed not in page_text(owner.get(f"{path}/release"))
    assert "Leave taken before you started" not in page_text(owner.get(f"/employees/{employee_id}?tab=leave"))


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


def test_conflicts_are_shown_on_the_page_of_the_run(owner: ConsoleUser, company: Company) -> None:
    hired(company)
    first = paid(company)
    paid(company, FEBRUARY)
    refused = owner.post(f"/payment_runs/{first}/unfinalise")
    assert refused.status_code == 409
    assert "cannot be unfinalised: employee 1 has the later finalised payslip" in page_text(refused)
    again = {"wave_id": str(company.wave_id), "period_end_date": JANUARY}
    twice = owner.post(runs(company), again)
    assert twice.status_code == 409
    assert "already has a payment run for 2026-01-31" in page_text(twice)
    odd = owner.post(runs(company), {"wave_id": "x", "period_end_date": "never"})
    assert odd.status_code == 422


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


def test_every_line_of_a_payslip_is_explained(owner: ConsoleUser, company: Company) -> None:
    hired(company)
    run_id = paid(company)
    [slip] = payslips(company, run_id)
    page = owner.get(f"/payslips/{slip['id']}")
    explained = company.member.get(f"/payslips/{slip['id']}/explanation").json()["explanation"]
    assert page.text.count("<details class=") >= len(explained)
    assert page.text.count("why?</span>") == len(explained)
    text = page_text(page)
    for line in explained:
        assert formula_text(" ".join(line["arithmetic"][-1].split())) in text
    assert "20% of $4,200.00, cents dropped" in text
    assert "Singapore citizen" in text
    assert "$3,358.50" in text


def test_a_pay_item_is_added_to_a_payslip_and_removed(owner: ConsoleUser, company: Company) -> None:
    hired(company)
    run_id = opened(company)
    [slip] = payslips(company, run_id)
    page, path = f"/payslips/{slip['id']}", f"/payslips/{slip['id']}/calculations"
    assert 'name="calculation_details.amount"' in owner.get(f"{page}?enter=bonus").text
    wrong = owner.post(path, {"calc_type": "bonus", "calculation_details.amount": "-1"}, page=page)
    assert wrong.status_code == 422
    assert owner.post(path, {"calc_type": "bonus", "calculation_details.amount": "500"}, page=page).status_code == 303
    assert "Bonus $500.00" in page_text(owner.get(page))
    own_id = [
        calculation
        for calculation in company.member.get(f"{page}/calculations").json()
        if calculation["id"] and calculation["payslip_id"]
    ]
    assert owner.post(f"{path}/{own_id[0]['id']}/delete", page=page).status_code == 303
    assert "Bonus $500.00" not in page_text(owner.get(page))


def test_the_dashboard_shows_the_status_of_pay_schedules(owner: ConsoleUser, company: Company) -> None:
    hired(company)
    paid(company)
    page = page_text(owner.get(f"/companies/{company.id}"))
    assert "Not opened Late 28 Feb 2026" in page
    assert "Not released" in page
    opened(company, FEBRUARY)
    assert "In progress Late 28 Feb 2026" in page_text(owner.get(f"/companies/{company.id}"))


def test_a_paid_run_says_how_to_correct_a_mistake(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company)
    run_id = paid(company)
    page = page_text(owner.get(f"/payment_runs/{run_id}"))
    assert "Found a mistake? Reopen the pay run, correct the records and finalise it again" in page
    company.member.patch(f"/payment_runs/{run_id}", {"payment_date": JANUARY})
    owner.post(f"/payment_runs/{run_id}/files", {"action": "mark_paid", "payment_date": JANUARY, "confirmed": "yes"})
    assert "Found a mistake? Correct the records, then use Correct" in page_text(owner.get(f"/payment_runs/{run_id}"))
    form = page_text(owner.get(f"/employees/{employee_id}?tab=pay&enter=basic_salary"))
    assert "If “Valid from” is blank, the change applies from 1 Feb 2026. Earlier pay periods are finalised." in form


def test_the_list_of_pay_items_proposes_one_that_is_not_entered(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company)
    page = owner.get(f"/employees/{employee_id}?tab=pay").text
    assert '<option value="transport_allowance" selected>' in page
    assert ">Days</th>" not in page


def test_the_dashboard_shows_late_payslips(owner: ConsoleUser, company: Company) -> None:
    hired(company)
    assert "1 payslip was due on 31 Jan 2026" in page_text(owner.get(f"/companies/{company.id}"))


def test_the_dashboard_shows_what_changes_next_month(owner: ConsoleUser, company: Company) -> None:
    today = clock.today()
    next_month = Month.from_date(today) + 1
    birthdate = (next_month - 1 - 55 * 12).first_day
    older = hired(company, first_name="Ah Kow", last_name="Lim", birthdate=str(birthdate))
    hired(company, first_name="Siti", last_name="Aminah", appointment_date=str(next_month.first_day))
    page = page_text(owner.get(f"/companies/{company.id}"))
    assert "Ah Kow Lim CPF rates for employees above 55" in page
    assert "Siti Aminah Joins the company 1 " in page
    left = {"employee_action": {"termination_date": str(today), "termination_code": 1, "ir21": False}}
    assert company.member.post(f"/employees/{older}/service_periods/end_service", left).status_code == 200
    page = page_text(owner.get(f"/companies/{company.id}"))
    assert "Last day of service" in page
    assert "above 55" not in page


def test_the_dashboard_lists_many_changes_of_rates_on_demand(owner: ConsoleUser, company: Company) -> None:
    birthdate = (Month.from_date(clock.today()) - 55 * 12).first_day
    for number in range(7):
        hired(company, first_name=f"Ah Kow {number}", last_name="Lim", birthdate=str(birthdate))
    page = owner.get(f"/companies/{company.id}").text
    visible, _, rest = page.partition("<summary>CPF rates change for 2 more employees</summary>")
    assert (visible.count("employees above 55"), rest.count("employees above 55")) == (5, 2)


def test_the_dashboard_shows_overdue_filings(owner: ConsoleUser, company: Company) -> None:
    hired(company)
    paid(company)
    dashboard = page_text(owner.get(f"/companies/{company.id}"))
    assert "CPF file of Jan 2026 no file was downloaded by 16 Feb 2026" in dashboard


def test_leave_requests_are_approved_and_declined(owner: ConsoleUser, company: Company) -> None:
    sample = create_sample_company(company)
    employee_id, request_id = sample.ids["employee_id"], sample.ids["request_id"]
    page = f"/companies/{company.id}/leave"
    assert "1 day of annual leave" in page_text(owner.get(page))
    approve = f"/companies/{company.id}/leave_requests/{request_id}/approve"
    assert owner.post(approve, {"answer": "Enjoy it"}, page=page).status_code == 303
    days = company.member.get(f"/employees/{employee_id}/leave_days").json()
    assert [day["leave_day"]["date"] for day in days] == ["2026-02-13", "2026-02-10"]
    assert "Mei Ling Tan" in page_text(owner.get(f"{page}?month=2026-02"))
    again = owner.post(approve, page=page)
    assert again.status_code == 409
    assert "has already been approved" in page_text(again)
    requested = {"dates": [{"date": "2026-02-11", "type_id": sample.ids["type_id"]}]}
    other = company.member.post(f"/employees/{employee_id}/leave_requests", requested).json()["id"]
    assert owner.post(f"/companies/{company.id}/leave_requests/{other}/decline", page=page).status_code == 303
    assert "No pending requests" in page_text(owner.get(page))
    for month in ("2026-13", "x", "0000-01", "9999-12"):
        assert owner.get(f"{page}?month={month}").status_code == 200


def test_reports_are_shown_and_downloaded(owner: ConsoleUser, company: Company) -> None:
    hired(company)
    paid(company)
    path = f"/companies/{company.id}/reports/transaction_history"
    query = "?start_date=2026-01-01&end_date=2026-01-31"
    page = page_text(owner.get(path + query))
    assert "1 row" in page
    assert "$4,200.00" in page
    csv = owner.get(f"{path}{query}&format=csv")
    assert csv.headers["content-disposition"] == 'attachment; filename="transaction_history.csv"'
    assert "4200.00" in csv.text
    sheet = openpyxl.load_workbook(io.BytesIO(owner.get(f"{path}{query}&format=xlsx").content)).active
    assert sheet.max_row == 2
    wrong = owner.get(f"{path}?start_date=2026-02-01&end_date=2026-01-31")
    assert wrong.status_code == 422
    assert "must not be before the start date" in page_text(wrong)
    for name in ("variance", "comparison_leave", "leave_liability_v2", "tracked_balances", "employee_tax_incentive"):
        assert owner.get(f"/companies/{company.id}/reports/{name}").status_code == 200
    assert owner.get(f"/companies/{company.id}/reports/nothing").status_code == 404


def test_pay_runs_are_sorted_and_summed(owner: ConsoleUser, company: Company) -> None:
    hired(company)
    paid(company)
    paid(company, FEBRUARY)
    path = f"/companies/{company.id}/payment_runs"
    rows = re.findall(r'<a class="row" href="/payment_runs/\d+">([^<]+)</a>', owner.get(f"{path}?sort=period").text)
    assert rows == ["31 Jan 2026", "28 Feb 2026"]
    assert "Finalised 2 pay runs 2 $6,717.00" in page_text(owner.get(f"{path}?sort=-nett_pay"))


def test_wage_offsets_are_shown_with_their_explanation(owner: ConsoleUser, company: Company) -> None:
    hired(company, "2800.00", birthdate="1958-01-10")
    hired(company, "3400.00", birthdate="1958-01-10")
    paid(company)
    page = page_text(owner.get(f"/companies/{company.id}/reports/employee_tax_incentive?year=2026&month=1"))
    for text in (
        "Jan 2026",
        "Senior Employment Credit",
        "$112.00",
        "Aged 68, with a wage up to $3,000.00.",
        "round_cents(0.04 × 2800.00) = 112.00",
        "Two sources agree",
        "Not estimated",
        "The amount is between $0.00 and $120.00.",
        "IRAS calculates and pays the offsets",
    ):
        assert text in page, text
    wrong = owner.get(f"/companies/{company.id}/reports/employee_tax_incentive?year=2020")
    assert wrong.status_code == 422
    assert "Must be from 2021 to 2028" in page_text(wrong)


class FormReader(HTMLParser):
    """Reads what a browser sends when the form of a report is submitted as it is shown."""

    def __init__(self, page: httpx.Response) -> None:
        super().__init__()
        self.pairs: list[tuple[str, str]] = []
        self._in_form, self._select = False, ""
        self.feed(page.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the successful controls."""
        values = dict(attrs)
        if tag == "form":
            self._in_form = values.get("method") == "get" and "/reports/" in (values.get("action") or "")
        elif tag == "select" and self._in_form:
            self._select = values["name"] or ""
            self.pairs.append((self._select, ""))
        elif tag == "option" and self._select and "selected" in values:
            self.pairs[-1] = (self._select, values["value"] or "")
        elif tag == "input" and self._in_form and (values.get("type") != "checkbox" or "checked" in values):
            self.pairs.append((values["name"] or "", values["value"] or ""))

    def handle_endtag(self, tag: str) -> None:
        """Leave a form or a select."""
        if tag == "form":
            self._in_form = False
        elif tag == "select":
            self._select = ""


@pytest.mark.parametrize("report", ["transaction_history", "comparison_leave"])
def test_the_url_of_a_report_is_a_complete_request_for_the_api(
    owner: ConsoleUser, company: Company, report: str
) -> None:
    field_id = company.field(name="Cost centre, main", type="text")
    company.patch(hired(company), custom_fields={str(field_id): "4100"})
    paid(company)
    page = owner.get(f"/companies/{company.id}/reports/{report}")
    dates = {"start_date": "2026-01-01", "end_date": "2026-01-31"}
    query = urlencode([(name, dates.get(name, value)) for name, value in FormReader(page).pairs])
    values = company.member.get(f"/clients/{company.id}/reports").json()
    sent = parse_qs(query)
    if report == "transaction_history":
        assert sent["account_names"] == values["account_names"]
        assert sent["custom_fields"] == values["custom_fields"]
        assert "Cost centre, main" in sent["custom_fields"]
    else:
        assert sent["leave_types"] == list(company.member.get(f"/clients/{company.id}/leave_types").json())
    shown = owner.get(f"/companies/{company.id}/reports/{report}?{query}")
    assert shown.status_code == 200, page_text(shown)
    answer = company.member.get(f"/clients/{company.id}/reports/{report}?{query}")
    assert answer.status_code == 200, answer.text
    assert answer.json()
    [api_request] = re.findall(r"<code>GET (/v1/[^<]*)</code>", shown.text)
    assert company.member.get(html.unescape(api_request).removeprefix("/v1")).json() == answer.json()
    if report == "transaction_history":
        assert answer.json()[0]["Cost centre, main"] == "4100"
        [csv] = re.findall(r'href="([^"]*format=csv)"', shown.text)
        assert "Insurance" not in owner.get(html.unescape(csv)).text.splitlines()[0]


def test_the_url_of_a_variance_report_has_its_period(owner: ConsoleUser, company: Company) -> None:
    hired(company)
    paid(company)
    query = urlencode(FormReader(owner.get(f"/companies/{company.id}/reports/variance")).pairs)
    assert set(parse_qs(query)) == {"humanize", "wave_id", "period_offset"}
    assert company.member.get(f"/clients/{company.id}/reports/variance?{query}").status_code == 200


def test_a_name_that_looks_like_a_date_is_not_formatted(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company)
    assert company.patch(employee_id, first_name="2026-99-99").status_code == 200
    paid(company)
    query = "start_date=2026-01-01&end_date=2026-01-31&custom_fields=first_name"
    page = owner.get(f"/companies/{company.id}/reports/transaction_history?{query}")
    assert page.status_code == 200
    assert "2026-99-99" in page_text(page)


def test_custom_fields_with_the_names_of_other_columns_are_shown(owner: ConsoleUser, company: Company) -> None:
    names = {"Reason": "Relief", "Month": "March", "Variance": "$0.00"}
    values = {str(company.field(name=name, type="text")): value for name, value in names.items()}
    company.patch(hired(company), custom_fields=values)
    paid(company)
    path = f"/companies/{company.id}/reports/transaction_history?start_date=2026-01-01&end_date=2026-01-31"
    for name, text in {**names, "Variance": "$4,200.00"}.items():
        page = owner.get(f"{path}&custom_fields={name}&account_names=Basic%20salary")
        assert page.status_code == 200
        assert text in page_text(page)


def test_variance_shows_differences(owner: ConsoleUser, company: Company) -> None:
    hired(company)
    paid(company)
    run_id = opened(company, FEBRUARY)
    offset = read(company, run_id)["period_offset"]
    path = f"/companies/{company.id}/reports/variance?wave_id={company.wave_id}&period_offset={offset}"
    same = owner.get(path)
    assert "0 rows, " in page_text(same)
    assert "<svg viewBox" not in same.text
    employee_id = hired(company, first_name="Siti", last_name="Aminah", appointment_date="2026-02-01")
    number = company.employee(employee_id)["number"]
    text = owner.get(path)
    assert f"Siti Aminah {number}" in page_text(text)
    assert 'aria-label="Change by item, all employees: Basic salary $4,200.00' in text.text


def selected_options(page: httpx.Response) -> list[str]:
    """Return the selected options of a page."""
    return re.findall(r'<option value="([^"]*)" selected>', page.text)


def test_the_variance_form_defaults_to_the_current_period(owner: ConsoleUser, company: Company) -> None:
    [wave] = company.member.get(f"/clients/{company.id}/reports").json()["waves"]
    today = next(period for period in wave["period_offsets"] if period["period_end_date"] >= str(clock.today()))
    page = owner.get(f"/companies/{company.id}/reports/variance")
    assert selected_options(page) == [str(company.wave_id), str(today["period_offset"])]


@pytest.mark.parametrize(
    ("pay_type", "rate", "column"), [("hourly", "hourly_rate", "hours"), ("daily", "daily_rate", "days")]
)
def test_the_grid_has_a_column_for_hours_or_days_if_somebody_is_paid_by_them(
    owner: ConsoleUser, company: Company, pay_type: str, rate: str, column: str
) -> None:
    page = f"/companies/{company.id}/bulk_input"
    employee_id = hired(company)
    usual = "Employee Basic salary: overtime hours Bonus: amount Reimbursement: amount"
    assert usual in page_text(owner.get(page))
    enter(company, f"employees/{employee_id}", "basic_salary", pay_type=pay_type, **{rate: "12.50"})
    text = page_text(owner.get(page))
    assert usual.replace("Employee", f"Employee Basic salary: {column}") in text
    assert "Working hours: hours on Monday" in text


def test_the_grid_saves_each_row_completely_or_not_at_all(owner: ConsoleUser, company: Company) -> None:
    good, bad = hired(company), hired(company)
    page = f"/companies/{company.id}/bulk_input"
    assert "Basic salary: overtime hours" in page_text(owner.get(page))
    rows = [
        {"id": str(good), "payslip_date": JANUARY, "attributes": {"calc.bonus.amount": "100"}},
        {"id": str(bad), "payslip_date": JANUARY, "attributes": {"calc.bonus.amount": "x"}},
    ]
    token = {"X-Form-Token": owner.token(page), "Accept": "application/json"}
    answer = owner.browser.post(page, json={"entities": rows}, headers=token)
    assert [bool(element["errors"]) for element in answer.json()] == [False, True]
    assert owner.browser.post(page, json={"entities": rows}, headers={"Accept": "application/json"}).status_code == 403
    assert owner.browser.post(page, content=b"{", headers=token).status_code == 400
    assert owner.browser.post(page, json={"entities": 1}, headers=token).status_code == 422


def test_a_finalised_run_has_payment_files_and_payslip_pdfs(owner: ConsoleUser, company: Company) -> None:
    hired(company, first_name="Siti")
    run_id = opened(company)
    assert "Finalise the pay run first" in page_text(owner.get(f"/payment_runs/{run_id}/files"))
    done(company, run_id, "finalise")
    assert f"/payment_runs/{run_id}/files" in owner.get(f"/payment_runs/{run_id}").text
    page_view = owner.get(f"/payment_runs/{run_id}/files")
    assert "Cash and cheque payments, 31 Jan 2026" in page_text(page_view)
    assert f"payment_list_{run_id}.csv" in page_text(page_view)
    file = owner.get(f"/payment_runs/{run_id}/files?download=payment_list.csv")
    assert file.headers["content-disposition"].startswith("attachment")
    assert "Siti" in file.text
    assert owner.get(f"/payment_runs/{run_id}/files?download=none.csv").status_code == 404
    slip = payslips(company, run_id)[0]["id"]
    assert f"/payslips/{slip}.pdf" in owner.get(f"/payslips/{slip}").text
    assert owner.get(f"/payslips/{slip}.pdf").content.startswith(b"%PDF-")


def test_the_review_lists_who_has_no_levy(owner: ConsoleUser, company: Company) -> None:
    worker = of_status("FOREIGNER_WP", first_name="Ravi", appointment_date="2026-01-01", pass_from="2026-01-01")
    worker_id = hired(company, **worker)
    run = f"/payment_runs/{opened(company)}"
    path = f"{run}/finalise"
    for page in (run, path):
        assert "1 employee has a work permit or an S Pass but no foreign worker levy" in page_text(owner.get(page))
        assert f'href="/employees/{worker_id}?tab=pay&amp;enter=foreign_worker_levy">' in owner.get(page).text
    assert "No foreign worker levy." in page_text(owner.get(f"/employees/{worker_id}?tab=pay"))
    enter(company, f"employees/{worker_id}", "foreign_worker_levy", amount="0.00")
    assert "no foreign worker levy" not in page_text(owner.get(path))
    assert "no foreign worker levy" not in page_text(owner.get(run))
    assert "No foreign worker levy." not in page_text(owner.get(f"/employees/{worker_id}?tab=pay"))


def test_a_long_list_of_missing_levies_is_folded(owner: ConsoleUser, company: Company) -> None:
    worker = of_status("FOREIGNER_WP", appointment_date="2026-01-01", pass_from="2026-01-01")
    for number in range(7):
        fin = f"G123456{number}{check_letter.letter('G', f'123456{number}')}"
        hired(company, **worker | {"first_name": f"Ravi {number}", "fin": fin})
    text = page_text(owner.get(f"/payment_runs/{opened(company)}"))
    shown, folded = text.split("and 2 more")
    assert "Ravi 4" in shown
    assert "Ravi 5" not in shown
    assert "Ravi 6" in folded


def test_the_review_lists_leavers_without_a_levy_before_the_last_week_of_the_month(
    owner: ConsoleUser, company: Company
) -> None:
    weekly = company.wave(**{**WEEKLY, "first_end_date": "2026-01-09"})
    worker = of_status("FOREIGNER_WP", first_name="Ravi", appointment_date="2026-01-05", wave_id=weekly)
    worker_id = hired(company, **worker)
    path = f"/payment_runs/{opened(company, '2026-01-09', wave_id=weekly)}/finalise"
    assert "no foreign worker levy" not in page_text(owner.get(path))
    company.leave(worker_id, "2026-01-07")
    assert "1 employee has a work permit or an S Pass but no foreign worker levy" in page_text(owner.get(path))


def test_the_review_lists_joiners_without_a_levy_on_the_first_payslip(owner: ConsoleUser, company: Company) -> None:
    weekly = company.wave(**{**WEEKLY, "first_end_date": "2026-04-03"})
    hired(company, **of_status("FOREIGNER_WP", first_name="Ravi", appointment_date="2026-03-30", wave_id=weekly))
    path = f"/payment_runs/{opened(company, '2026-04-03', wave_id=weekly)}/finalise"
    assert "1 employee has a work permit or an S Pass but no foreign worker levy" in page_text(owner.get(path))


def test_pages_point_out_what_contradicts(owner: ConsoleUser, company: Company) -> None:
    short = {"bank_id": 7171, "account_number": "0011234", "branch_code": "001"}
    paid_by_bank = {"payment_method": "eft_manual", "bank_account": short, "appointment_date": "2026-01-01"}
    employee_id = hired(company, **of_status("FOREIGNER", work_pass="WP", **paid_by_bank))
    company.member.patch(f"/clients/{company.id}", {"bank_account": short})
    length = "Bank account: the account number has 7 digits; this bank uses 9 digits (POSB) or 10 (DBS)"
    for page in ("", "?tab=pay", "/edit"):
        text = page_text(owner.get(f"/employees/{employee_id}{page}"))
        assert length in text
        assert "Work pass: does not fit the legal status “" in text
    for page in ("settings", "details"):
        assert length in page_text(owner.get(f"/companies/{company.id}/{page}"))
