"""Pay runs, payslips and bulk input with plain forms."""

import re

import pytest

from gaji.console.explanation_text import formula_text
from tests.console.console_user import ConsoleUser, page_text
from tests.console.sample_company import FEBRUARY
from tests.leave.people import leave_types
from tests.payroll.calculations.requests import create_item
from tests.payroll.payment_runs.runs import JANUARY, MARCH, done, hired, opened, paid, payslips, read
from tests.payroll.payslips.slips import enter
from tests.support.company import Company, of_status


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
