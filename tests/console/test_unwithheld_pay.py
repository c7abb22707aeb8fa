"""Pay of leavers with tax clearance that a pay run does not withhold: named where it is finalised and paid."""

from datetime import timedelta

from gaji.console.formats import format_day
from gaji.core import clock
from gaji.law.months import Month
from tests.console.company_steps_pages import form_fields, reviewed
from tests.console.console_user import ConsoleUser, page_text, signed_in_user
from tests.console.test_company_payment_files import PAYEE, PAYER, checked, value_date
from tests.console.test_company_payment_files import review as reviewed_files
from tests.console.test_contributions_due import complete_run
from tests.payroll.payment_runs.runs import done, hired, opened, payslips
from tests.support.company import Company

SUBJECT = "Priya Ismail ($3,200.00) needs tax clearance (IR21), but this pay run"
BEFORE_NOTICE = "because it was due before the notice date."
SET_DATE = "set the payment date of the pay run to the day on which it will be paid"


def leaver(company: Company) -> int:
    """Hire someone paid for the last month only, who gives notice today."""
    month, today = Month.from_date(clock.today()) + -1, str(clock.today())
    details = {"legal_status": "FOREIGNER", "nric": None, "fin": "G1612350T", "nationality": "IN", "race": "OTHER"}
    assert company.member.patch(f"/clients/{company.id}", PAYER).status_code == 200
    name = {"first_name": "Priya", "last_name": "Ismail", "appointment_date": str(month.first_day)}
    employee_id = hired(company, "3200.00", **details, **PAYEE, **name, sdl_exempt=True)
    company.leave(employee_id, today, notice_date=today, ir21=True)
    return employee_id


def last_month() -> str:
    return str((Month.from_date(clock.today()) + -1).last_day)


def test_a_pay_run_that_does_not_withhold_pay_says_so_before_it_is_finalised(
    owner: ConsoleUser, company: Company
) -> None:
    leaver(company)
    run_id = opened(company, last_month())
    page, files = f"/payment_runs/{run_id}/finalise", f"/payment_runs/{run_id}/files"
    text = f"{SUBJECT} would not withhold the pay, {BEFORE_NOTICE} If it is not paid yet, {SET_DATE}"
    assert text in page_text(owner.get(page))
    assert f'href="{files}"' in owner.get(page).text
    review = reviewed(owner, "finalise", company)
    assert text in page_text(review)
    assert f'href="{files}?return_to=' in review.text
    assert form_fields(review)["row"] == [str(run_id)]
    saved = owner.post(files, {"payment_date": str(clock.today())}, page=files)
    assert saved.status_code == 303, page_text(saved)
    for shown in (owner.get(page), reviewed(owner, "finalise", company)):
        assert SUBJECT not in page_text(shown)
    done(company, run_id, "finalise")
    assert SUBJECT not in page_text(owner.get(files)), "it is withheld"


def test_files_for_the_bank_say_whose_pay_they_do_not_withhold(owner: ConsoleUser, company: Company) -> None:
    leaver(company)
    run_id = opened(company, last_month())
    done(company, run_id, "finalise")
    files = f"/payment_runs/{run_id}/files"
    text = f"{SUBJECT} does not withhold the pay, {BEFORE_NOTICE} If it is not paid yet, withhold it"
    assert f"{text} here." in page_text(owner.get(files))
    review = reviewed_files(owner, company, value_date=value_date())
    assert f"{text} under Payment files of the pay run" in page_text(review)
    assert "Fix" not in page_text(review)
    assert checked(review) == []
    assert company.member.patch(f"/payment_runs/{run_id}", {"payment_date": str(clock.today())}).status_code == 200
    late = f"{SUBJECT} does not withhold the pay. If it is not paid yet, withhold it here"
    assert late in page_text(owner.get(files))
    assert company.member.post(f"/payment_runs/{run_id}/mark_paid").status_code == 200
    assert SUBJECT not in page_text(owner.get(files))


def test_pay_that_is_marked_as_paid_on_a_future_day_is_not_paid_yet(owner: ConsoleUser, company: Company) -> None:
    employee_id = leaver(company)
    run_id = opened(company, last_month())
    done(company, run_id, "finalise")
    files, page = f"/payment_runs/{run_id}/files", f"/employees/{employee_id}"
    tomorrow = clock.today() + timedelta(days=1)
    body = {"payment_date": str(tomorrow)}
    assert company.member.post(f"/payment_runs/{run_id}/mark_paid", body).status_code == 200
    assert f"{SUBJECT} does not withhold the pay" in page_text(owner.get(files))
    unpaid = f"does not withhold the pay and is marked as paid on a future day, {format_day(tomorrow)}."
    assert unpaid in page_text(owner.get(page))
    assert company.member.post(f"/payment_runs/{run_id}/mark_not_paid").status_code == 200
    assert company.member.post(f"/payment_runs/{run_id}/mark_paid", {"payment_date": str(clock.today())}).is_success
    assert SUBJECT not in page_text(owner.get(files))
    assert "does not withhold the pay" not in page_text(owner.get(page))


def test_marking_a_pay_run_as_paid_names_whose_pay_it_does_not_withhold(owner: ConsoleUser, company: Company) -> None:
    leaver(company)
    run_id = opened(company, last_month())
    done(company, run_id, "finalise")
    files = f"/payment_runs/{run_id}/files"
    today, tomorrow = clock.today(), clock.today() + timedelta(days=1)
    for day in (today, tomorrow):
        asked = page_text(owner.post(files, {"action": "mark_paid", "payment_date": str(day), "confirmed": ""}))
        assert f"Mark as paid on {format_day(day)}?" in asked
        assert f"{SUBJECT} does not withhold the pay" in asked
    assert f"{SUBJECT} does not withhold the pay" in page_text(reviewed(owner, "mark_paid", company))
    before = {"action": "mark_paid", "payment_date": str(today - timedelta(days=1)), "confirmed": ""}
    assert SUBJECT not in page_text(owner.post(files, before)), "it was paid before the notice date"


def test_pay_is_withheld_on_the_page_of_payment_files(owner: ConsoleUser, company: Company) -> None:
    leaver(company)
    run_id = opened(company, last_month())
    files = f"/payment_runs/{run_id}/files"
    assert "Withhold…" not in owner.get(files).text, "the pay run is not finalised"
    done(company, run_id, "finalise")
    [slip] = company.member.get(f"/payment_runs/{run_id}/payslips").json()
    path = f"/payslips/{slip['payslip']['id']}/withhold_payment"
    page = owner.get(files)
    assert f'action="{path}"' in page.text
    viewer = signed_in_user(company.member.colleague(company.id, "viewer"))
    assert SUBJECT in page_text(viewer.get(files))
    assert path not in viewer.get(files).text
    form = {"subject": "Priya Ismail, $3,200.00", "return_to": "/companies"}
    asked = owner.post(path, {**form, "confirmed": ""}, page=files)
    assert "Withhold this pay? Priya Ismail, $3,200.00 The payment files leave it out" in page_text(asked)
    assert SUBJECT in page_text(owner.get(files)), "nothing has changed yet"
    answer = owner.post(path, {**form, "value_date": str(value_date())}, page=files)
    assert answer.headers["location"] == f"{files}?value_date={value_date()}&return_to=%2Fcompanies"
    page = owner.get(files)
    assert SUBJECT not in page_text(page)
    assert path not in page.text
    assert "Withheld for tax clearance $3,200.00" in page_text(page)
    refused = owner.post(path, {"back": files}, page=files)
    assert refused.headers["location"] == files
    text = "The pay cannot be withheld: the payment is withheld, or was withheld and released"
    assert text in page_text(owner.get(files))


def test_later_notices_and_others_are_not_named(owner: ConsoleUser, company: Company) -> None:
    employee_id = leaver(company)
    run_id = opened(company, last_month())
    page = f"/payment_runs/{run_id}/finalise"
    assert SUBJECT in page_text(owner.get(page))
    tomorrow = str(clock.today() + timedelta(days=1))
    company.leave(employee_id, tomorrow, notice_date=tomorrow, ir21=True)
    assert SUBJECT not in page_text(owner.get(page)), "notice is not given yet"
    company.leave(employee_id, str(clock.today()), ir21=False)
    assert SUBJECT not in page_text(owner.get(page))


def test_a_finalised_pay_run_says_how_much_it_withholds(owner: ConsoleUser, company: Company) -> None:
    leaver(company)
    run_id = opened(company, last_month())
    page, text = f"/payment_runs/{run_id}", "of which $3,200.00 is withheld for tax clearance"
    done(company, run_id, "finalise")
    assert "of which" not in page_text(owner.get(page))
    assert company.member.patch(page, {"payment_date": str(clock.today())}).status_code == 200
    for action in ("unfinalise", "finalise"):
        done(company, run_id, action)
    assert text in page_text(owner.get(page))
    [payslip] = company.member.get(f"{page}/payslips").json()
    released = company.member.post(f"/payslips/{payslip['payslip']['id']}/release_payment", {"amount": "200.00"})
    assert released.status_code == 200
    assert "of which $3,000.00 is withheld for tax clearance" in page_text(owner.get(page))


def test_a_finished_pay_run_says_whose_pay_is_still_withheld(owner: ConsoleUser, company: Company) -> None:
    leaver(company)
    month = Month.from_date(clock.today()) + -1
    hired(company, appointment_date=str(month.first_day))
    number = {"cpf_submission_number": "202699999EPTE01"}
    assert company.member.patch(f"/clients/{company.id}", number).status_code == 200
    run_id = opened(company, last_month())
    page = f"/payment_runs/{run_id}"
    assert company.member.patch(page, {"payment_date": str(clock.today())}).status_code == 200
    done(company, run_id, "finalise")
    assert company.member.get(f"/clients/{company.id}/filings/{month}/cpf").status_code == 200
    complete_run(company, run_id)
    shown = page_text(owner.get(page))
    assert "All done for now Pay of 1 employee is still withheld for tax clearance (IR21). The others are paid" in shown
    assert "Withheld $3,200.00 for tax clearance (IR21) $3,200.00" in shown
    assert shown.count("for tax clearance (IR21)") == 2
    [payslip_id] = [slip["id"] for slip in payslips(company, run_id) if slip["nett_pay"] == 3200]
    assert company.member.post(f"/payslips/{payslip_id}/release_payment").status_code == 200
    shown = page_text(owner.get(page))
    assert "All done The employees are paid" in shown
    assert "ithheld" not in shown


def test_a_finished_pay_run_can_withhold_all_of_its_pay(owner: ConsoleUser, company: Company) -> None:
    leaver(company)
    run_id = opened(company, last_month())
    page = f"/payment_runs/{run_id}"
    assert company.member.patch(page, {"payment_date": str(clock.today())}).status_code == 200
    done(company, run_id, "finalise")
    complete_run(company, run_id)
    shown = page_text(owner.get(page))
    assert "Pay of 1 employee is still withheld for tax clearance (IR21). The payslips are released" in shown


def test_withheld_pay_is_a_reminder_after_the_form_was_sent(owner: ConsoleUser, company: Company) -> None:
    employee_id, today = leaver(company), clock.today()
    company.act(employee_id, "end_service", ir21_filed_on=str(today))
    run_id = opened(company, last_month())
    path, home = f"/employees/{employee_id}#clearance", f"/companies/{company.id}"
    text = "$3,200.00 is withheld"
    assert company.member.patch(f"/payment_runs/{run_id}", {"payment_date": str(today)}).status_code == 200
    assert "is withheld" not in page_text(owner.get(home)), "it is not withheld before the pay run is finalised"
    done(company, run_id, "finalise")
    sent = f"{text}, and form IR21 was sent on {format_day(today)}: release it when the tax authority has"
    shown = owner.get(home)
    assert f"{sent} sent its directive" in page_text(shown)
    assert f'href="{path}"' in shown.text
    assert "1 payslip" in page_text(owner.get("/companies?show=clearances")), "the company is listed"
    [payslip] = company.member.get(f"/payment_runs/{run_id}/payslips").json()
    assert company.member.post(f"/payslips/{payslip['payslip']['id']}/release_payment").status_code == 200
    assert "is withheld" not in page_text(owner.get(home))
    assert "No company is listed" in page_text(owner.get("/companies?show=clearances"))
