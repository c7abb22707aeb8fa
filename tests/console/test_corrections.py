"""Corrections of finalised pay runs, and differences of past payslips, with plain forms."""

import re

import pytest

from tests.console.console_user import ConsoleUser, page_text
from tests.leave.people import leave_types
from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY, done, hired, listed, opened, paid, payslips
from tests.payroll.payment_runs.test_corrections import change_salary, corrected, correction, only_payslip
from tests.payroll.payslips.slips import detail, draft, slips
from tests.payroll.retro_proposals import proposals
from tests.support.company import Company
from tests.support.running import Member, created

NUMBER = "202699999EPTE01"


@pytest.fixture
def company(account: Member) -> Company:
    """A company that can file."""
    return Company.of(account, cpf_submission_number=NUMBER)


def test_a_correction_is_recommended_once_a_file_was_downloaded(owner: ConsoleUser, company: Company) -> None:
    hired(company, "3000.00")
    run_id = paid(company, JANUARY)
    assert "correct the records and finalise it again" in page_text(owner.get(f"/payment_runs/{run_id}"))
    assert company.member.get(f"/clients/{company.id}/filings/2026-01/cpf").status_code == 200
    page = page_text(owner.get(f"/payment_runs/{run_id}"))
    assert "You have downloaded the CPF file of the month" in page
    assert "correct the records and finalise it again" not in page
    assert "Recommended: correct the pay run" in page_text(owner.get(f"/payment_runs/{run_id}/unfinalise"))


def test_a_correction_from_the_preview_to_the_payslip(owner: ConsoleUser, company: Company) -> None:
    siti, ravi = hired(company, "3000.00", first_name="Siti"), hired(company, "3000.00", first_name="Ravi")
    run_id = paid(company, JANUARY)
    path = f"/payment_runs/{run_id}/correct"
    assert "Nothing to correct" in page_text(owner.get(path))
    change_salary(company, siti, "3300.00")
    change_salary(company, ravi, "2900.00")
    page = owner.get(path)
    text = page_text(page)
    assert "Basic salary: $3,000.00 paid, $3,300.00 due" in text
    assert "$111.00" in text
    assert "Overpaid" in text
    assert re.findall(r'name="employee_ids" value="(\d+)" checked', page.text) == [str(siti), str(ravi)]
    answer = owner.post(path, {"employee_ids": [str(siti)]})
    assert answer.status_code == 303, page_text(answer)
    correction = answer.headers["location"]
    text = page_text(owner.get(correction))
    assert "Correction of the pay run for 31 Jan 2026" in text
    assert "Ready to finalise" in text
    [slip] = payslips(company, int(correction.rpartition("/")[2]))
    assert "was corrected" not in page_text(owner.get(f"/payment_runs/{run_id}"))
    assert "was corrected" not in page_text(owner.get(f"/payslips/{slip['corrects']}"))
    text = page_text(owner.get(f"/payslips/{slip['id']}"))
    assert "Correction of the payslip for 1–31 January 2026" in text
    assert "Change this payslip" not in text
    assert "Corrected period 1 Jan 2026 to 31 Jan 2026" in text
    listed_payslips = page_text(owner.get(f"/employees/{siti}?tab=payslips"))
    assert "31 Jan 2026 Correction Draft" in listed_payslips
    assert "Correction of 31 Jan 2026 Payslips 1" in page_text(owner.get(f"{correction}/finalise"))
    assert "Correction" in page_text(owner.get(f"/companies/{company.id}/payment_runs"))
    refused = owner.post(path, {"employee_ids": []})
    assert refused.status_code == 422
    assert owner.post(path, {"employee_ids": ["987654321"]}).status_code == 404
    assert len(listed(company)) == 2


def test_the_correction_that_keeps_a_pay_run_from_being_reopened_is_named(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company, "3000.00", first_name="Siti", last_name="Aminah")
    january, february = paid(company, JANUARY), paid(company, FEBRUARY)
    path = f"/payment_runs/{february}/unfinalise"
    change_salary(company, employee_id, "3300.00")
    correction_id = corrected(company, january)
    page = owner.get(path)
    assert "in the correction of 31 Jan 2026, is already finalised" in page_text(page)
    assert f'<a href="/payment_runs/{correction_id}">reopen the correction of 31 Jan 2026</a>' in page.text
    refused = owner.post(path)
    assert refused.status_code == 409
    assert "which corrects the period that ends on" in page_text(refused)


def test_contributions_that_were_too_much_name_the_refund_and_how_to_pay_the_share_back(
    owner: ConsoleUser, company: Company
) -> None:
    employee_id = hired(company, "3000.00")
    run_id = paid(company, JANUARY)
    change_salary(company, employee_id, "2900.00")
    advice = (
        "If the CPF file of the month was submitted, apply to the CPF Board for a refund; otherwise the file has the "
        "lower amount. Pay the employee's share back with the pay item Reimbursement, which has no CPF."
    )
    paths = (f"/payment_runs/{run_id}/correct", f"/employees/{employee_id}/retro_proposals")
    for path in paths:
        assert f"Too much was contributed. {advice}" in page_text(owner.get(path)), path
    assert "$37.25 too much was contributed" in page_text(owner.get(paths[0]))
    proposed = page_text(owner.get(paths[1]))
    assert "$20.00 too much" in proposed
    assert "The next CPF file" not in proposed
    assert "agreed in writing" not in proposed
    correction_id = corrected(company, run_id)
    remark = (
        f"$37.25 too much was contributed for January 2026. {advice.partition('. ')[0]}. Pay the employee's share of "
        "$20.00 back with the pay item Reimbursement, which has no CPF"
    )
    assert remark in page_text(owner.get(f"/payslips/{only_payslip(company, correction_id)}"))
    listed_differences = page_text(owner.get(f"/companies/{company.id}/retro_proposals"))
    assert "1–1 of 1" not in listed_differences
    change_salary(company, employee_id, "3300.00")
    assert owner.post(paths[1], {"treatment": "missed", "include_pay": "true", "decision": "accept"}).status_code == 303
    proposed = page_text(owner.get(paths[1]))
    assert "The next CPF file of that month has what is missing." in proposed


def test_a_correction_without_journal_lines_asks_neither_for_payment_nor_for_the_journal(
    owner: ConsoleUser, company: Company
) -> None:
    employee_id = hired(company, "3000.00")
    run_id = paid(company, JANUARY)
    change_salary(company, employee_id, "2900.00")
    path = f"/payment_runs/{corrected(company, run_id)}"
    files = page_text(owner.get(f"{path}/files"))
    assert "Nothing to pay" in files
    assert "Mark as paid" not in files
    done(company, int(path.rpartition("/")[2]), "release")
    page = page_text(owner.get(path))
    assert "Post the journal" not in page
    assert "the payslips are released and the journal has no lines" in page
    journal = page_text(owner.get(f"{path}/accounting"))
    assert "The journal has no lines, so there is nothing to post." in journal
    assert "Refunds of contributions are not in journals. Book them when you apply for them." in journal


def test_a_correction_that_is_paid_too_late_says_how_to_pay_earlier(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company, "3000.00")
    run_id = paid(company, JANUARY)
    change_salary(company, employee_id, "2900.00")
    late = "pay date, 28 Feb 2026, is later than the Employment Act allows. Salary for the period to 31 Jan 2026"
    assert late not in page_text(owner.get(f"/payment_runs/{run_id}/correct"))
    change_salary(company, employee_id, "3300.00")
    text = page_text(owner.get(f"/payment_runs/{run_id}/correct"))
    assert f"The proposed {late} is due by 7 Feb 2026, overtime by 14 Feb 2026" in text
    assert "pay the correction earlier: finalise it, then change the payment date under Payment files" in text
    correction_id = corrected(company, run_id)
    path = f"/payment_runs/{correction_id}"
    page = owner.get(path)
    assert f"The {late} is due by 7 Feb 2026" in page_text(page)
    assert f'change the payment date under <a href="{path}/files">' in page.text
    assert page_text(page).count("To pay earlier") == 1
    assert owner.post(f"{path}/files", {"payment_date": "2026-02-06"}).status_code == 303
    text = page_text(owner.get(path))
    assert "later than the Employment Act allows" not in text
    assert "To pay earlier" in text


def test_proposals_are_accepted_edited_and_declined(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company, "3000.00", first_name="Siti", last_name="Aminah")
    paid(company, JANUARY)
    [january] = [slip["id"] for slip in slips(company, employee_id) if slip["finalised"]]
    path = f"/employees/{employee_id}/retro_proposals"
    assert "No differences" in page_text(owner.get(path))
    change_salary(company, employee_id, "3300.00")
    text = page_text(owner.get(f"/companies/{company.id}/retro_proposals"))
    assert "Siti Aminah" in text
    assert "1–31 January 2026" in text
    assert "3300.00 − 3000.00 = 300.00" in page_text(owner.get(path))
    wrong = {"treatment": "decided_later", "decision": "accept", f"amount.{january}.basic_salary": "a lot"}
    assert owner.post(path, wrong).status_code == 422
    edited = wrong | {f"amount.{january}.basic_salary": "$250.00"}
    assert owner.post(path, edited).status_code == 303
    assert dict(detail(company, draft(company, employee_id))["income"])["back_pay"] == "250.00"
    [accepted, _] = proposals.listed(company, employee_id)
    assert owner.post(f"{path}/{accepted['id']}/decline", page=path).status_code == 303
    assert owner.post(f"{path}/{accepted['id']}/delete", page=path).status_code == 303
    assert owner.post(path, {"treatment": "missed", "include_pay": "true", "decision": "accept"}).status_code == 303
    assert dict(detail(company, draft(company, employee_id))["income"])["corrected_pay"] == "300.00"


def test_a_paid_correction_is_listed_and_cannot_be_changed(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company, "3000.00")
    run_id = paid(company, JANUARY)
    change_salary(company, employee_id, "3300.00")
    correction = corrected(company, run_id)
    path = f"/employees/{employee_id}/retro_proposals"
    page = owner.get(path)
    assert f'href="/payslips/{only_payslip(company, correction)}"' in page.text
    [proposal] = proposals.listed(company, employee_id)
    answer = owner.post(f"{path}/{proposal['id']}/decline", page="/password")
    assert answer.status_code == 409
    assert owner.post(f"{path}/{proposal['id']}/explode", page="/password").status_code == 404


def test_a_salary_that_changes_finalised_payslips_leads_to_the_differences(
    owner: ConsoleUser, company: Company
) -> None:
    employee_id = hired(company, "3000.00")
    run_id = paid(company, JANUARY)
    page = f"/employees/{employee_id}?tab=pay&enter=basic_salary"

    def saved(amount: str, since: str) -> str:
        data = {"calc_type": "basic_salary", "calculation_details.fixed_amount": amount, "valid_from": since}
        answer = owner.post(f"/employees/{employee_id}/calculations", data, page=page)
        assert answer.status_code == 303, page_text(answer)
        return owner.get(answer.headers["location"]).text

    differences = f'<a href="/employees/{employee_id}/retro_proposals">compare past payslips</a>'
    correction = f'<a href="/payment_runs/{run_id}/correct">31 Jan 2026</a>'
    unchanged = saved("3100.00", "2026-02-01")
    assert differences not in unchanged
    assert correction not in unchanged
    changed = saved("3300.00", "2026-01-01")
    assert differences in changed
    assert correction in changed
    assert "The latest pay run can be reopened instead if it is not paid yet." in changed
    assert "earlier pay run" not in changed
    proposal = page_text(owner.get(f"/employees/{employee_id}/retro_proposals"))
    assert "Was it agreed at the time, but left out by mistake? Then its CPF belongs to that month." in proposal
    corrected(company, run_id)
    assert differences not in owner.get(f"/employees/{employee_id}?tab=pay&differs=1").text


def test_earlier_pay_runs_that_differ_are_counted(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company, "3000.00")
    run_ids = [paid(company, end) for end in (JANUARY, FEBRUARY, "2026-03-31", "2026-04-30", "2026-05-31")]
    page = f"/employees/{employee_id}?tab=pay&differs=1"
    assert "Finalised payslips differ" not in page_text(owner.get(page))
    change_salary(company, employee_id, "3300.00")
    answer = owner.get(page)
    named = "correct the pay runs for 31 Mar 2026 , 30 Apr 2026 , 31 May 2026 and 2 earlier pay runs ."
    assert named in page_text(answer)
    assert f'<a href="/employees/{employee_id}/retro_proposals">2 earlier pay runs</a>' in answer.text
    assert [f"/payment_runs/{run_id}/correct" in answer.text for run_id in run_ids] == [False] * 2 + [True] * 3


def test_wrong_hours_lead_from_the_payslip_to_the_correction(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company, "3000.00")
    run_id = paid(company, JANUARY)
    [january] = [slip["id"] for slip in slips(company, employee_id) if slip["finalised"]]
    correct = f"/payment_runs/{run_id}/correct"
    text = page_text(owner.get(correct))
    assert "Nothing to correct yet" in text
    assert "Correct hours or pay" in text
    path = f"/payslips/{january}"
    assert "Enter the right total for the period, not the difference" in page_text(owner.get(path))
    form = page_text(owner.get(f"{path}?enter=overtime"))
    assert "Overtime for 1–31 January 2026" in form
    body = {"calc_type": "overtime", "calculation_details.overtime_hours_input": "8", "late": "true"}
    answer = owner.post(f"{path}/calculations", body, page=f"{path}?enter=overtime")
    assert answer.headers["location"] == path
    page = owner.get(path)
    assert "This payslip differs from what is recorded now" in page_text(page)
    assert f'href="{correct}"' in page.text
    note = "1 employee was paid other amounts than are recorded now"
    home = f"/companies/{company.id}"
    assert note in page_text(owner.get(f"/payment_runs/{run_id}"))
    assert note in page_text(owner.get(home))
    correction_id = corrected(company, run_id)
    assert note not in page_text(owner.get(f"/payment_runs/{run_id}"))
    assert note not in page_text(owner.get(home))
    assert "This payslip differs" not in page_text(owner.get(path))
    slip_id = only_payslip(company, correction_id)
    assert f'href="/payslips/{slip_id}"' in owner.get(path).text
    assert f'href="/payment_runs/{correction_id}"' in owner.get(f"/payment_runs/{run_id}").text
    text = page_text(owner.get(f"/payslips/{slip_id}"))
    assert "Correction of 31 Jan 2026" in text
    assert "Show the original payslip" in text
    assert "Overtime, 1–31 January 2026" in text
    assert "CPF, employee and employer" in page_text(owner.get(f"/payment_runs/{correction_id}"))


def test_only_the_payslip_with_the_difference_says_that_it_differs(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company, "3000.00")
    paid(company, JANUARY)
    paid(company, FEBRUARY)
    january, february = sorted(slip["id"] for slip in slips(company, employee_id) if slip["finalised"])
    path = f"/payslips/{january}"
    body = {"calc_type": "overtime", "calculation_details.overtime_hours_input": "8", "late": "true"}
    owner.post(f"{path}/calculations", body, page=f"{path}?enter=overtime")
    assert "This payslip differs" in page_text(owner.get(path))
    assert "This payslip differs" not in page_text(owner.get(f"/payslips/{february}"))


def test_late_leave_that_was_not_deducted_is_shown_until_it_is_corrected(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company, "3000.00")
    run_id = paid(company, JANUARY)
    [january] = [slip["id"] for slip in slips(company, employee_id) if slip["finalised"]]
    note = "1 employee was paid other amounts than are recorded now"
    assert note not in page_text(owner.get(f"/payment_runs/{run_id}"))
    unpaid = {"type_id": leave_types(company.member, company.id)["unpaid_leave"], "date": "2026-01-14"}
    taken = company.member.post(f"/employees/{employee_id}/leave_days?late=true", unpaid)
    assert taken.status_code == 200, taken.text
    for path in (f"/payment_runs/{run_id}", f"/companies/{company.id}"):
        assert note in page_text(owner.get(path))
    assert "This payslip differs" in page_text(owner.get(f"/payslips/{january}"))
    text = page_text(owner.get(f"/payment_runs/{run_id}/correct"))
    assert "Unpaid leave: $0.00 deducted, $" in text
    assert "Contributions only" not in text
    assert "It pays nothing to employees. Overpaid wages are deducted from later payslips." in text
    assert "To pay earlier" not in text
    correction_id = corrected(company, run_id)
    text = page_text(owner.get(f"/payment_runs/{correction_id}"))
    assert "Pay nothing to pay" in text
    assert "Release the payslips" in text
    assert "To pay earlier" not in text
    assert note not in page_text(owner.get(f"/payment_runs/{run_id}"))


def test_leave_that_is_deleted_late_is_shown_wherever_runs_are_listed(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company, "3000.00")
    unpaid = {"type_id": leave_types(company.member, company.id)["unpaid_leave"], "date": "2026-01-14"}
    leave_id = created(company.member.post(f"/employees/{employee_id}/leave_days", unpaid))
    run_id = paid(company, JANUARY)
    [january] = [slip["id"] for slip in slips(company, employee_id) if slip["finalised"]]
    note = "1 employee was paid other amounts than are recorded now"
    paths = (f"/payment_runs/{run_id}", f"/companies/{company.id}")
    for path in paths:
        assert note not in page_text(owner.get(path))
    deleted = company.member.delete(f"/leave_days/{leave_id}?late=true")
    assert deleted.status_code == 200, deleted.text
    for path in paths:
        assert note in page_text(owner.get(path)), path
    assert f'href="/payment_runs/{run_id}/correct"' in owner.get("/companies").text
    assert "This payslip differs" in page_text(owner.get(f"/payslips/{january}"))


def test_late_leave_counts_in_a_period_that_starts_in_the_month_before(owner: ConsoleUser, company: Company) -> None:
    wave_id = company.wave(frequency="monthly", last_day_of_month=15, first_end_date="2026-01-15")
    employee_id = hired(company, "3000.00", wave_id=wave_id)
    paid(company, "2026-01-15", wave_id=wave_id)
    run_id = paid(company, "2026-02-15", wave_id=wave_id)
    unpaid = {"type_id": leave_types(company.member, company.id)["unpaid_leave"], "date": "2026-01-20"}
    taken = company.member.post(f"/employees/{employee_id}/leave_days?late=true", unpaid)
    assert taken.status_code == 200, taken.text
    for path in (f"/payment_runs/{run_id}", f"/companies/{company.id}"):
        assert "1 employee was paid other amounts than are recorded now" in page_text(owner.get(path)), path


def test_changes_of_details_are_shown_on_a_finalised_payslip(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company, "3000.00")
    paid(company, JANUARY)
    [january] = [slip["id"] for slip in slips(company, employee_id) if slip["finalised"]]
    assert "This payslip differs" not in page_text(owner.get(f"/payslips/{january}"))
    assert company.patch(employee_id, birthdate="1950-01-01").status_code == 200
    assert "This payslip differs" in page_text(owner.get(f"/payslips/{january}"))


def test_a_pay_item_that_is_removed_late_is_shown_on_the_payslip(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company, "3000.00")
    [slip_id] = [slip["id"] for slip in slips(company, employee_id)]
    body = {"calc_type": "bonus", "calculation_details": {"amount": "100.00"}}
    bonus_id = created(company.member.post(f"/payslips/{slip_id}/calculations", body))
    paid(company, JANUARY)
    assert "This payslip differs" not in page_text(owner.get(f"/payslips/{slip_id}"))
    assert company.member.delete(f"/calculations/{bonus_id}?late=true").status_code == 200
    assert "This payslip differs" in page_text(owner.get(f"/payslips/{slip_id}"))


def test_a_paid_run_without_differences_is_not_reopened(owner: ConsoleUser, company: Company) -> None:
    hired(company, "3000.00")
    run_id = paid(company, JANUARY)
    path = f"/payment_runs/{run_id}/correct"
    assert f'href="/payment_runs/{run_id}/unfinalise"' in owner.get(path).text
    assert company.member.post(f"/payment_runs/{run_id}/mark_paid", {}).status_code == 200
    assert f'href="/payment_runs/{run_id}/unfinalise"' not in owner.get(path).text


def test_the_next_pay_run_is_compared_without_the_correction(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company, "3000.00")
    run_id = paid(company, JANUARY)
    next_run = f"/payment_runs/{opened(company, FEBRUARY)}"
    note = "The previous period was corrected. Changes are compared with its pay run without the correction"
    assert note not in page_text(owner.get(next_run))
    change_salary(company, employee_id, "3300.00")
    correction_id = correction(company, run_id)
    assert note not in page_text(owner.get(next_run))
    done(company, correction_id, "finalise")
    page = owner.get(next_run)
    assert note in page_text(page)
    assert f'<a href="/payment_runs/{correction_id}">the correction</a>' in page.text


def test_the_audit_log_names_a_correction_by_the_corrected_period(owner: ConsoleUser, company: Company) -> None:
    employee_id = hired(company, "3000.00")
    run_id = paid(company, JANUARY)
    change_salary(company, employee_id, "3300.00")
    correction_id = corrected(company, run_id)
    done(company, correction_id, "mark_paid")
    log = page_text(owner.get(f"/companies/{company.id}/settings/changes"))
    for step in ("marked as paid", "finalised", "calculated", "opened"):
        assert f"{step} the correction of the pay run for 31 Jan 2026" in log
    assert "the pay run for 28 Feb 2026" not in log
    assert f"Paid by – → {company.member.email}" in log
    assert "Corrects 31 Jan 2026" in log
    assert "changed the pay run" not in log
    assert "added a pay difference of Mei Ling Tan" in log
    done(company, correction_id, "mark_not_paid")
    done(company, correction_id, "unfinalise")
    assert company.member.delete(f"/payment_runs/{correction_id}").status_code == 200
    log = page_text(owner.get(f"/companies/{company.id}/settings/changes"))
    for step in ("deleted", "opened"):
        assert f"{step} the correction of the pay run for 31 Jan 2026" in log
