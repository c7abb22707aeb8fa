"""What a new user meets first: where forms lead, and pages without records."""

import re

from tests.console.console_user import ConsoleUser, page_text
from tests.console.test_employees import employee_form_data
from tests.payroll.payment_runs.runs import hired, opened, paid
from tests.support.company import Company


def test_the_first_pay_schedule_leads_back_to_the_steps_on_the_dashboard(owner: ConsoleUser, company: Company) -> None:
    client_id = company.member.new_client()
    data = {"frequency": "monthly", "first_end_date": "2026-01-31"}
    new = f"/companies/{client_id}/waves/new"
    assert owner.post(new, data).headers["location"] == f"/companies/{client_id}"
    assert (
        owner.post(new, {"frequency": "weekly", "first_end_date": "2026-01-02"})
        .headers["location"]
        .endswith("/settings")
    )


def test_a_missing_group_of_fields_is_shown_at_each_field_that_it_needs(owner: ConsoleUser, company: Company) -> None:
    data = employee_form_data(company, payment_method="eft_manual")
    answer = owner.post(f"/companies/{company.id}/employees/new", data)
    assert answer.status_code == 422
    for name in ("bank_id", "account_number", "branch_code"):
        assert f'id="bank_account-{name}-error"' in answer.text
    assert "Please correct 3 errors" in page_text(answer)
    assert "attribute" not in page_text(answer)
    assert "first_name" not in page_text(answer)


def test_a_pay_run_without_differences_says_where_to_record_them(owner: ConsoleUser, company: Company) -> None:
    assert "Compare past payslips" not in page_text(owner.get(f"/companies/{company.id}"))
    hired(company)
    run_id = paid(company)
    page = owner.get(f"/payment_runs/{run_id}/correct")
    assert "Nothing to correct" in page_text(page)
    assert "Record first what is right" in page_text(page)
    assert f'href="/payment_runs/{run_id}/unfinalise"' in page.text
    assert "Compare past payslips" in page_text(owner.get(f"/companies/{company.id}"))


def test_the_steps_stay_on_the_dashboard_until_a_pay_run_is_finalised(owner: ConsoleUser, company: Company) -> None:
    hired(company)
    home = f"/companies/{company.id}"
    page = page_text(owner.get(home))
    assert "Done Add a pay schedule Done Add employees" in page
    assert "3 Enter their pay, then open a pay run" in page
    assert owner.get(home).text.count(">Add employee</a>") == 1
    paid(company)
    assert "Get started" not in page_text(owner.get(home))


def test_fields_that_a_choice_requires_are_marked(owner: ConsoleUser, company: Company) -> None:
    page = owner.get(f"/companies/{company.id}/employees/new").text
    for condition in ("legal_status=CITIZEN,PR", "payment_method=eft_manual"):
        assert f'data-required-if="{condition}" hidden>' in page
    [bank] = re.findall(r'<label for="bank_account-bank_id">.*?</label>', page)
    assert "data-required-if" in bank


def test_pay_items_are_shown_with_amounts_in_dollars(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company, "3500.00")
    page = page_text(owner.get(f"/employees/{employee_id}?tab=pay"))
    assert "Fixed amount $3,500.00" in page


def test_problems_of_the_bank_file_are_shown_before_finalising(owner: ConsoleUser, company: Company) -> None:
    account = {"bank_id": 7339, "branch_code": "999", "account_number": "5011234567"}
    employee_id = hired(company, payment_method="eft_manual", bank_account=account)
    run_id = opened(company)
    page = owner.get(f"/payment_runs/{run_id}/finalise")
    assert "The file for the bank cannot be created yet." in page_text(page)
    assert f'href="/employees/{employee_id}/edit?return_to=/payment_runs/{run_id}/finalise#payment_method"' in page.text
    assert company.member.patch(f"/employees/{employee_id}", {"payment_method": "cash"}).status_code == 200
    assert "cannot be created" not in page_text(owner.get(f"/payment_runs/{run_id}/finalise"))
