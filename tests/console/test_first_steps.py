"""What a new user meets first: where forms lead, and pages without records."""

from tests.console.console_user import ConsoleUser, page_text
from tests.console.test_employees import employee_form_data
from tests.payroll.payment_runs.runs import hired, paid
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


def test_the_error_of_a_group_of_fields_is_shown_at_its_first_field(owner: ConsoleUser, company: Company) -> None:
    data = employee_form_data(company, payment_method="eft_manual")
    answer = owner.post(f"/companies/{company.id}/employees/new", data)
    assert answer.status_code == 422
    assert 'id="bank_account-bank_id-error"' in answer.text
    assert "attribute" not in page_text(answer)
    assert "first_name" not in page_text(answer)


def test_a_pay_run_without_differences_says_where_to_record_them(owner: ConsoleUser, company: Company) -> None:
    assert "Compare past payslips" not in page_text(owner.get(f"/companies/{company.id}"))
    hired(company)
    run_id = paid(company)
    page = owner.get(f"/payment_runs/{run_id}/correct")
    assert "Nothing to correct" in page_text(page)
    assert "Enter the right amount first" in page_text(page)
    assert f'href="/payment_runs/{run_id}/unfinalise"' in page.text
    assert "Compare past payslips" in page_text(owner.get(f"/companies/{company.id}"))
