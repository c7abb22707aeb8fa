"""Steps of pay runs for several companies at once, without JavaScript: review, confirmation and outcome."""

import re
from datetime import timedelta
from html import unescape
from urllib.parse import urlencode

import pytest

from gaji.company.clients.service import ClientMembership
from gaji.console.company_plans import MAX_COMPANIES, TOO_MANY, PlannedStep, limit_payslips
from gaji.console.company_steps import REVIEW_AGAIN
from gaji.console.formats import format_day
from gaji.console.late_periods import late_periods_text
from gaji.core import clock
from gaji.documents.filings.service import cpf_due_date
from gaji.law.months import Month
from tests.approvals.second_person import require_approval
from tests.console.company_steps_pages import (
    STEPS,
    Fields,
    finished,
    form_fields,
    reviewed,
    rows_of,
    selected_companies,
    sent,
    states,
    two_companies,
)
from tests.console.console_user import page_text, signed_in_user
from tests.documents.payment_files.test_files import GIRO, PAYER, download
from tests.documents.payment_files.test_value_dates import next_bank_day
from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY, done, hired, listed, opened, paid, read
from tests.payroll.payslips.slips import enter
from tests.support.company import BANK_ACCOUNT, Company
from tests.support.running import Service


@pytest.fixture
def companies(service: Service) -> tuple[Company, Company]:
    """Two companies of one account, each with an employee who was not paid yet."""
    return two_companies(service)


def test_the_selection_stays_when_a_step_is_cancelled(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    user = signed_in_user(bakery.member)
    for page in (reviewed(user, "open", clinic), user.get(f"/companies/cpf_files?client_id={clinic.id}")):
        [path] = re.findall(r'href="(/companies\?client_id=[^"]*)"', page.text)
        cancelled = user.get(unescape(path))
        assert selected_companies(cancelled.text) == {clinic.id}
        assert "1 selected" in page_text(cancelled)
        [none] = re.findall(r'href="([^"]*)">Select none<', cancelled.text)
        assert selected_companies(user.get(unescape(none)).text) == set()


def test_a_month_of_several_companies(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    user = signed_in_user(bakery.member)
    assert selected_companies(user.get("/companies?select=all").text) == {bakery.id, clinic.id}

    review = reviewed(user, "open", *companies)
    assert rows_of(review)["Tampines Bakery"].startswith(", period to 31 Jan 2026 31 Jan 2026 1 31 Jan 2026 Late ")
    assert rows_of(review)["Tampines Bakery"].endswith(" Open")
    [everything, nothing] = map(unescape, re.findall(r'href="(/companies/steps[^"]*select=[^"]*)"', review.text))
    assert "row" not in form_fields(user.get(nothing))
    assert form_fields(user.get(everything))["row"] == form_fields(review)["row"]
    outcome = sent(user, form_fields(review))
    assert "Done in 2 of 2 companies" in page_text(outcome)
    assert states(bakery, clinic) == [(False, False)] * 2

    [next_page] = re.findall(r'href="(/companies/steps\?step=finalise[^"]*)"', outcome.text)
    review = user.get(unescape(next_page))
    assert rows_of(review)["Yishun Clinic"].startswith(
        ", period to 31 Jan 2026 31 Jan 2026 , pay run of Yishun Clinic 1 $3,000.00"
    )
    assert rows_of(review)["Total of all 2 pay runs"] == "2 $7,200.00 $5,757.50 $8,442.00"
    fields = form_fields(review)
    asked = sent(user, fields)
    question = page_text(asked)
    assert "Finalise 2 pay runs?" in question
    assert "nett pay of $5,757.50" in question
    assert "<li>Tampines Bakery, 31 Jan 2026</li><li>Yishun Clinic, 31 Jan 2026</li>" in asked.text
    assert states(bakery, clinic) == [(False, False)] * 2
    outcome = sent(user, fields, confirmed=["yes"])
    assert rows_of(outcome)["Yishun Clinic"].startswith("Done Pay run to 31 Jan 2026 finalised with 1 payslip")
    assert "2 companies have other pay dates that have passed." in page_text(outcome)
    [open_path] = re.findall(r'href="([^"]*)">Late pay runs…', outcome.text)
    assert "28 Feb 2026" in rows_of(user.get(open_path.replace("&amp;", "&")))["Yishun Clinic"]
    assert states(bakery, clinic) == [(True, False)] * 2
    assert REVIEW_AGAIN in page_text(sent(user, fields, confirmed=["yes"]))

    outcome = sent(user, form_fields(reviewed(user, "release", *companies)))
    assert rows_of(outcome)["Yishun Clinic"].startswith("Done 1 payslip of 31 Jan 2026 released")
    assert states(bakery, clinic) == [(True, True)] * 2
    assert rows_of(reviewed(user, "release", bakery))["Tampines Bakery"] == "– No payslips are waiting to be released"


def test_the_audit_log_is_that_of_the_single_actions(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    user = signed_in_user(bakery.member)
    for step in ("open", "finalise", "release"):
        sent(user, form_fields(reviewed(user, step, bakery)), confirmed=["yes"])
    user.post(f"/companies/{clinic.id}/payment_runs", {"wave_id": str(clinic.wave_id), "period_end_date": JANUARY})
    [run] = listed(clinic)
    for step in ("finalise", "release"):
        user.post(f"/payment_runs/{run['id']}/{step}")
    assert states(bakery, clinic) == [(True, True)] * 2
    assert audited(bakery) == audited(clinic)
    assert len(audited(bakery)) > 3
    steps = [entry for entry in audited(bakery) if entry[0] == "payment_runs"]
    assert len(steps) == 3
    assert {(source, user_id) for _, _, source, user_id, _ in steps} == {("console", bakery.member.user_id)}


def audited(company: Company) -> list[tuple[str, str, str, int, list[str]]]:
    """Return the audit log of a company without IDs and values."""
    entries = company.member.get(f"/clients/{company.id}/audit_log", params={"per_page": 100}).json()
    rows = [element["audit_entry"] for element in entries]
    return [
        (
            *(row[name] for name in ("record_type", "action", "source", "user_id")),
            [c["attribute"] for c in row["changes"]],
        )
        for row in rows
    ]


def test_runs_that_need_attention_are_left_out(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    member = bakery.member
    hired(clinic, "0.00")
    opened(clinic)
    require_approval(bakery)
    opened(bakery)
    idle = Company.of(member, name="Bedok Tailors")
    user = signed_in_user(member)
    review = reviewed(user, "finalise", bakery, clinic, idle)
    assert form_fields(review) == {}
    rows = rows_of(review)
    assert rows["Tampines Bakery"].endswith("A second person has to approve it. Request the approval in the pay run")
    assert rows["Yishun Clinic"].endswith("1 payslip has no nett pay")
    assert rows["Bedok Tailors"] == "– No pay run is open"
    new = Company(member, member.new_client(name="Bukit Merah Motors"), 0)
    rows = rows_of(reviewed(user, "open", new, idle))
    assert rows["Bukit Merah Motors"].startswith("– It has no pay schedule yet.")
    assert rows["Bedok Tailors"].startswith("– It has no employees yet.")
    [run] = listed(bakery)
    fields = {"step": ["finalise"], "client_id": [str(bakery.id), str(clinic.id)], "row": [str(run["id"])]}
    token = user.token("/password")
    answer = sent(user, fields, form_token=[token], confirmed=["yes"])
    assert REVIEW_AGAIN in page_text(answer)
    assert rows_of(answer)["Yishun Clinic"].endswith("1 payslip has no nett pay")
    assert states(bakery, clinic) == [(False, False)] * 2
    assert member.get(f"/clients/{bakery.id}/approvals").json() == []


def test_a_requested_pay_run_says_whose_approval_it_waits_for(companies: tuple[Company, Company]) -> None:
    bakery, _ = companies
    colleague = require_approval(bakery)
    run_id = opened(bakery)
    assert colleague.post(f"/payment_runs/{run_id}/finalise").status_code == 202
    user = signed_in_user(bakery.member)
    review = reviewed(user, "finalise", bakery)
    assert rows_of(review)["Tampines Bakery"].endswith("Waits for your approval , Tampines Bakery")
    [path] = re.findall(r'<a href="([^"]+)">Waits for your approval', review.text)
    page = user.get(unescape(path))
    assert "Back to the pay runs" in page_text(page)
    [decide] = re.findall(r'<form class="form" method="post" action="([^"]+)"', page.text)
    [back] = set(re.findall(r'name="return_to" value="([^"]+)"', page.text))
    own = rows_of(reviewed(signed_in_user(colleague), "finalise", bakery))["Tampines Bakery"]
    assert own.endswith("Waits for the approval of a second person , Tampines Bakery")
    answer = user.post(decide, {"return_to": unescape(back)}, page="/password")
    assert answer.headers["location"] == f"/companies/steps?step=finalise&client_id={bakery.id}"
    assert states(bakery) == [(True, False)]


def test_a_pay_run_without_a_bank_file_is_finalised_if_selected(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    account = {"bank_id": 7339, "branch_code": "501", "account_number": "5011234567"}
    hired(clinic, "2000.00", payment_method="eft_manual", bank_account=account)
    run_id = [opened(company) for company in companies][1]
    user = signed_in_user(bakery.member)
    review = reviewed(user, "finalise", *companies)
    assert (
        "Fix Yishun Clinic No file for the bank yet. The bank account of the company is missing."
        in rows_of(review)["Yishun Clinic"]
    )
    [details] = re.findall(rf'href="(/companies/{clinic.id}/details[^"]*)">Fix', review.text)
    assert "Save and return to the pay runs" in page_text(user.get(unescape(details)))
    [return_to] = set(re.findall(r"return_to=([^&\"]*)", details))
    question = user.get(f"/payment_runs/{run_id}/finalise?return_to={return_to}")
    assert "Back to the pay runs" in page_text(question)
    fields = form_fields(review)
    assert str(run_id) not in fields["row"]
    outcome = sent(user, fields, row=[str(run_id)], confirmed=["yes"])
    assert rows_of(outcome)["Yishun Clinic"].startswith("Done Pay run to 31 Jan 2026 finalised with 2 payslips")


def test_several_wrong_accounts_are_repaired_before_the_user_returns_to_the_step(
    companies: tuple[Company, Company],
) -> None:
    bakery, clinic = companies
    wrong = {"bank_id": 7339, "branch_code": "999", "account_number": "5011234567"}
    ids = [hired(clinic, payment_method="eft_manual", bank_account=wrong, first_name=name) for name in ("Ann", "Bea")]
    assert clinic.member.patch(f"/clients/{clinic.id}", {"bank_account": PAYER}).status_code == 200
    run_id = opened(clinic)
    user = signed_in_user(bakery.member)
    review = reviewed(user, "finalise", *companies)
    [fix] = re.findall(rf'href="(/payment_runs/{run_id}/finalise[^"]*)">Fix', review.text)
    page = unescape(fix)
    for employee_id, text in zip(ids, ("the pay run", "the pay runs"), strict=True):
        [form] = re.findall(rf'href="(/employees/{employee_id}/edit[^"]*)"', user.get(page).text)
        edit = user.get(unescape(form))
        assert f"Save and return to {text}<" in edit.text
        [return_to] = re.findall(r'name="return_to" value="([^"]*)"', edit.text)
        assert "Back to the pay runs" in page_text(user.get(page))
        clinic.patch(employee_id, bank_account=BANK_ACCOUNT)
    assert unescape(return_to).startswith("/companies/steps?step=finalise&client_id=")


def test_steps_name_what_the_step_of_one_pay_run_names(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    run_id = paid(bakery)
    user = signed_in_user(bakery.member)
    without_access = "1 employee of the company has no access to the portal"
    assert without_access in page_text(user.get(f"/payment_runs/{run_id}/release"))
    review = reviewed(user, "release", *companies)
    assert without_access in rows_of(review)["Tampines Bakery"]
    assert form_fields(review)["row"] == [str(run_id)]
    wave_id = clinic.wave(frequency="monthly", last_day_of_month=31, first_end_date=JANUARY)
    hired(clinic, number="earlier", appointment_date="2024-01-01", wave_id=wave_id)
    open_id = opened(clinic, wave_id=wave_id)
    unconfirmed = "Leave balances of 1 employee are not confirmed"
    assert unconfirmed in page_text(user.get(f"/payment_runs/{open_id}"))
    assert unconfirmed in rows_of(reviewed(user, "finalise", *companies))["Yishun Clinic"]
    done(clinic, open_id, "finalise")
    assert unconfirmed in rows_of(reviewed(user, "release", *companies))["Yishun Clinic"]


def test_employees_who_cannot_be_paid_by_the_bank_are_named_before_runs_are_paid(
    companies: tuple[Company, Company],
) -> None:
    bakery, clinic = companies
    account = {"bank_id": 7339, "branch_code": "501", "account_number": "1234567"}
    hired(clinic, "2000.00", payment_method="eft_manual", bank_account=account, first_name="Siti", last_name="Aminah")
    assert clinic.member.patch(f"/clients/{clinic.id}", {"bank_account": PAYER}).status_code == 200
    run_id = paid(clinic)
    clinic.member.patch(f"/payment_runs/{run_id}", {"payment_date": str(clock.today() - timedelta(days=1))})
    user = signed_in_user(bakery.member)
    review = reviewed(user, "mark_paid", *companies)
    assert "The file for the bank cannot be created. Siti Aminah" in rows_of(review)["Yishun Clinic"]
    assert "row" not in form_fields(review)
    assert "1 is not selected, for the reason below the company." in page_text(review)
    other_id = paid(bakery)
    bakery.member.patch(f"/payment_runs/{other_id}", {"payment_date": str(clock.today() - timedelta(days=1))})
    review = reviewed(user, "mark_paid", *companies)
    assert form_fields(review)["row"] == [str(other_id)]
    for fields in (form_fields(review), {**form_fields(review), "row": [str(run_id)]}):
        assert form_fields(sent(user, fields, change=["all"]))["row"] == [str(other_id)]


def test_the_page_counts_runs_that_were_not_part_of_the_previous_step(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    run_ids = [paid(company) for company in companies]
    for company, run_id in zip(companies, run_ids, strict=True):
        company.member.patch(f"/payment_runs/{run_id}", {"payment_date": str(clock.today() - timedelta(days=1))})
    query = [("step", "mark_paid"), ("client_id", bakery.id), ("client_id", clinic.id), ("row", run_ids[0])]
    page = signed_in_user(bakery.member).get(f"{STEPS}?{urlencode(query)}")
    assert form_fields(page)["row"] == [str(run_ids[0])]
    assert "1 is not selected, because it was not part of the previous step." in page_text(page)


def test_a_bank_file_that_was_not_downloaded_is_named_before_runs_are_paid(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    hired(clinic, "2000.00", **GIRO)
    assert clinic.member.patch(f"/clients/{clinic.id}", {"bank_account": PAYER}).status_code == 200
    yesterday = str(clock.today() - timedelta(days=1))
    run_ids = [paid(company) for company in companies]
    for company, run_id in zip(companies, run_ids, strict=True):
        assert company.member.patch(f"/payment_runs/{run_id}", {"payment_date": yesterday}).status_code == 200
    user, text = signed_in_user(bakery.member), "No file for the bank was downloaded"
    review = reviewed(user, "mark_paid", *companies)
    assert f"Review Yishun Clinic {text}" in rows_of(review)["Yishun Clinic"]
    assert text not in rows_of(review)["Tampines Bakery"]
    assert set(form_fields(review)["row"]) == {str(run_id) for run_id in run_ids}
    files = clinic.member.get(f"/payment_runs/{run_ids[1]}/files").json()
    name = next(item["file"]["name"] for item in files if item["file"]["bank"])
    assert download(clinic, run_ids[1], f"{name}?value_date={next_bank_day()}").status_code == 200
    assert text not in page_text(reviewed(user, "mark_paid", *companies))


def test_missing_accounts_and_withheld_pay_are_named_before_runs_are_paid(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    hired(clinic, "2000.00", **GIRO)
    foreigner = {"legal_status": "FOREIGNER", "fin": "G1612350T", "nationality": "IN", "sdl_exempt": True}
    leaver_id = hired(clinic, "5000.00", **foreigner, **GIRO)
    clinic.leave(leaver_id, "2026-02-14", notice_date="2026-01-15", ir21=True)
    run_id = paid(clinic)
    clinic.member.patch(f"/payment_runs/{run_id}", {"payment_date": str(clock.today() - timedelta(days=1))})
    row = rows_of(reviewed(signed_in_user(bakery.member), "mark_paid", *companies))["Yishun Clinic"]
    assert "The file for the bank cannot be created. The bank account of the company is missing" in row
    assert "$5,000.00 of the nett pay is withheld for tax clearance" in row


def test_a_pay_run_without_hours_is_not_selected(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    employee_id = hired(clinic)
    enter(clinic, f"employees/{employee_id}", "basic_salary", pay_type="hourly", hourly_rate="12.50")
    run_ids = [opened(company) for company in companies]
    user = signed_in_user(bakery.member)
    review = reviewed(user, "finalise", *companies)
    text = "Fix Yishun Clinic No hours entered for 1 employee paid by the hour."
    assert text in rows_of(review)["Yishun Clinic"]
    assert form_fields(review)["row"] == [str(run_ids[0])]


def test_after_an_employee_is_saved_the_user_returns_to_the_step(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    [employee] = bakery.listed()
    user, path = signed_in_user(bakery.member), f"/employees/{employee['id']}/edit"
    step = f"{STEPS}?step=finalise&client_id={bakery.id}&client_id={clinic.id}"
    page = user.get(f"{path}?{urlencode({'return_to': step})}")
    assert "Save and return to the pay runs" in page_text(page)
    assert f'name="return_to" value="{step.replace("&", "&amp;")}"' in page.text
    for other in ("https://example.com/", "//example.com", "/companies/steps?step=finalise"):
        assert "Save employee" in page_text(user.get(f"{path}?{urlencode({'return_to': other})}"))


def test_finalising_names_open_corrections_and_once_off_pay_runs(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    [employee] = bakery.listed()
    run_id = opened(bakery, special=True, employee_ids=[employee["id"]])
    review = reviewed(signed_in_user(bakery.member), "finalise", clinic, bakery)
    assert rows_of(review)["Tampines Bakery"] == (
        "31 Jan 2026 , pay run of Tampines Bakery Once-off "
        "Corrections and once-off pay runs are finalised on their own page"
    )
    assert f'href="/payment_runs/{run_id}?return_to=' in review.text
    assert list(rows_of(review)) == ["Tampines Bakery", "Yishun Clinic"]


def test_the_page_says_that_runs_with_a_note_are_not_selected(companies: tuple[Company, Company]) -> None:
    bakery, _ = companies
    user, later = signed_in_user(bakery.member), Company.of(bakery.member, name="Bedok Tailors")
    assert "not selected" not in page_text(reviewed(user, "open", bakery))
    hired(later, appointment_date=str((Month.from_date(clock.today()) + 2).first_day))
    text = page_text(reviewed(user, "open", bakery, later))
    assert "1 is not selected, for the reason below the company. Select it to go on anyway." in text


def test_the_page_counts_the_pay_runs_that_are_left_out(companies: tuple[Company, Company]) -> None:
    user = signed_in_user(companies[0].member)
    opened(companies[0])
    assert "1 is left out" in page_text(reviewed(user, "finalise", *companies))


def test_pay_dates_that_have_passed_since_are_counted(companies: tuple[Company, Company]) -> None:
    user, today = signed_in_user(companies[0].member), clock.today()
    passed = (today.year - 2026) * 12 + today.month - 2
    assert f"Late {passed} more pay dates passed" in rows_of(reviewed(user, "open", companies[0]))["Tampines Bakery"]
    months = [Month(2026, 1) + number for number in range(passed + 1)]
    expected = f"31 Jan 2026 Late {late_periods_text([month.last_day for month in months])}"
    assert expected in page_text(user.get("/companies"))
    home = page_text(user.get(f"/companies/{companies[0].id}"))
    assert f"1 payslip was due on {expected.replace(' Late', ';')}" in home
    for month in months:
        if cpf_due_date(month) < today:
            assert f">CPF {month.first_day:%b %Y}</a>" in user.get("/companies").text
            assert f"CPF file of {month.first_day:%b %Y} the pay run is not finalised" in home


def test_a_company_is_done_completely_or_not_at_all(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    weekly = clinic.wave(frequency="weekly", first_end_date="2026-01-02")
    second_id = hired(clinic, "1000.00", wave_id=weekly)
    for company in companies:
        opened(company)
    opened(clinic, "2026-01-02", wave_id=weekly)
    user = signed_in_user(bakery.member)
    fields = form_fields(reviewed(user, "finalise", *companies))
    assert len(fields["row"]) == 3
    clinic.member.post(
        f"/employees/{second_id}/calculations", {"calc_type": "bonus", "calculation_details": {"amount": "50.00"}}
    )
    answer = sent(user, fields, confirmed=["yes"])
    assert "Done in 1 of 2 companies" in page_text(answer)
    assert rows_of(answer)["Yishun Clinic"].startswith("Not done The payslips have changed since you reviewed them")
    assert sorted(states(*companies)) == [(False, False), (False, False), (True, False)]
    answer = sent(user, form_fields(reviewed(user, "finalise", *companies)), confirmed=["yes"])
    assert "Done in 1 of 1 company" in page_text(answer)
    assert states(*companies) == [(True, False)] * 3


def test_unusual_payment_dates_are_shown_first(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    today, tomorrow = clock.today(), clock.today() + timedelta(days=1)
    for company in companies:
        run_id = paid(company)
        answer = company.member.patch(f"/payment_runs/{run_id}", {"payment_date": str(today - timedelta(days=1))})
        assert answer.status_code == 200, answer.text
    user = signed_in_user(bakery.member)
    fields = form_fields(reviewed(user, "mark_paid", *companies))
    [run] = listed(clinic)
    assert fields[f"date.{run['id']}"] == [str(today)]
    fields[f"date.{run['id']}"] = [str(tomorrow)]
    answer = sent(user, fields)
    assert "Please check the dates" in page_text(answer)
    assert "This day is in the future" in rows_of(answer)["Yishun Clinic"]
    assert [run["paid_at"] for company in companies for run in listed(company)] == [None, None]
    again = form_fields(answer)
    assert again["row"] == fields["row"]
    answer = sent(user, again)
    assert "Done in 2 of 2 companies" in page_text(answer)
    assert rows_of(answer)["Yishun Clinic"].startswith(
        f"Done Pay run to 31 Jan 2026 marked as paid on {format_day(tomorrow)}"
    )
    assert [run["payment_date"] for company in companies for run in listed(company)] == [str(today), str(tomorrow)]
    assert "No pay run is waiting" in page_text(reviewed(user, "mark_paid", bakery))


def test_the_next_step_is_proposed_for_the_same_pay_runs_only(companies: tuple[Company, Company]) -> None:
    bakery, _ = companies
    january, february = (paid(bakery, end) for end in (JANUARY, FEBRUARY))
    for run_id in (january, february):
        bakery.member.patch(f"/payment_runs/{run_id}", {"payment_date": str(clock.today() - timedelta(days=1))})
    user = signed_in_user(bakery.member)
    query = {"step": "mark_paid", "client_id": bakery.id, "row": february}
    fields = form_fields(user.get(f"{STEPS}?{urlencode(query)}"))
    assert fields["row"] == [str(february)]
    outcome = sent(user, fields)
    [next_page] = re.findall(r'href="(/companies/steps\?step=release[^"]*)"', outcome.text)
    review = user.get(unescape(next_page))
    assert f'name="row" value="{january}">' in review.text
    assert form_fields(review)["row"] == [str(february)]


def test_after_the_release_the_cpf_files_are_next(companies: tuple[Company, Company]) -> None:
    bakery, _ = companies
    paid(bakery)
    user = signed_in_user(bakery.member)
    outcome = sent(user, form_fields(reviewed(user, "release", bakery)))
    assert f'href="/companies/cpf_files?client_id={bakery.id}">CPF files…</a>' in outcome.text


def test_one_date_is_used_for_all_pay_runs(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    today, tomorrow = clock.today(), clock.today() + timedelta(days=1)
    runs = pay_late(*companies)
    user = signed_in_user(bakery.member)
    fields = form_fields(reviewed(user, "mark_paid", *companies))
    answer = sent(user, fields, change=["one_date"], paid_on=[str(tomorrow)], row=[str(runs[0])])
    assert rows_of(answer)["Yishun Clinic"].count("This day is in the future") == 1
    assert "1 selected pay run has an unusual date. The reason is below the company." in page_text(answer)
    fields = form_fields(answer)
    assert fields["row"] == [str(runs[0])]
    assert [fields[f"date.{run_id}"] for run_id in runs] == [[str(tomorrow)]] * 2
    assert "Done in 1 of 1 company" in page_text(sent(user, fields))
    assert [read(company, run_id)["paid_at"] is None for company, run_id in zip(companies, runs, strict=True)] == [
        False,
        True,
    ]
    assert listed(bakery)[0]["payment_date"] == str(tomorrow)
    fields = form_fields(reviewed(user, "mark_paid", clinic))
    for text in ("", "nonsense"):
        answer = sent(user, fields, change=["one_date"], paid_on=[text])
        assert answer.status_code == 422
        assert form_fields(answer)["row"] == [str(runs[1])]
        assert fields[f"date.{runs[1]}"] == [str(today)]


def test_each_pay_run_can_be_marked_with_its_pay_date(companies: tuple[Company, Company]) -> None:
    runs, due = pay_late(*companies), clock.today() - timedelta(days=9)
    user = signed_in_user(companies[0].member)
    page = reviewed(user, "mark_paid", *companies)
    assert rows_of(page)["Total of all 2 pay runs"] == "2 $5,757.50"
    answer = sent(user, form_fields(page), change=["pay_dates"])
    assert "The pay run was finalised later" in rows_of(answer)["Tampines Bakery"]
    fields = form_fields(answer)
    assert fields["row"] == [str(run_id) for run_id in runs]
    assert "Done in 2 of 2 companies" in page_text(sent(user, fields))
    assert [listed(company)[0]["payment_date"] for company in companies] == [str(due)] * 2


def test_selecting_all_or_none_keeps_the_dates(companies: tuple[Company, Company]) -> None:
    runs, yesterday = pay_late(*companies), clock.today() - timedelta(days=1)
    user = signed_in_user(companies[0].member)
    page = reviewed(user, "mark_paid", *companies)
    assert "select=all" not in page.text
    fields: Fields = {**form_fields(page), **{f"date.{run_id}": [str(yesterday)] for run_id in runs}}
    for change, rows in (("none", None), ("all", [str(run_id) for run_id in runs]), ("check", None)):
        fields = form_fields(sent(user, {**fields, "row": []}, change=[change]))
        assert fields.get("row") == rows
        assert [fields[f"date.{run_id}"] for run_id in runs] == [[str(yesterday)]] * 2


def test_a_date_that_cannot_be_read_is_shown_again(companies: tuple[Company, Company]) -> None:
    runs, yesterday = pay_late(*companies), str(clock.today() - timedelta(days=1))
    user = signed_in_user(companies[0].member)
    dates = {f"date.{runs[0]}": ["17/11/2026"], f"date.{runs[1]}": [yesterday]}
    fields: Fields = {**form_fields(reviewed(user, "mark_paid", *companies)), **dates}
    for change in ("all", "none", "check"):
        answer = sent(user, fields, change=[change])
        assert answer.status_code == 200
        assert {name: form_fields(answer)[name] for name in dates} == dates
        assert "This is not a date" in rows_of(answer)["Tampines Bakery"]
        assert "This is not a date" not in rows_of(answer)["Yishun Clinic"]
    answer = sent(user, fields, row=[str(run_id) for run_id in runs])
    assert answer.status_code == 422
    assert "This is not a date" in rows_of(answer)["Tampines Bakery"]


def test_a_form_without_a_selection_selects_nothing(companies: tuple[Company, Company]) -> None:
    runs, tomorrow = pay_late(*companies), clock.today() + timedelta(days=1)
    user = signed_in_user(companies[0].member)
    fields = form_fields(reviewed(user, "mark_paid", *companies))
    answer = sent(user, {**fields, f"date.{runs[0]}": [str(tomorrow)]}, row=[])
    assert "Select at least one pay run" in page_text(answer)
    assert "This day is in the future" in rows_of(answer)["Tampines Bakery"]
    assert "row" not in form_fields(answer)
    assert form_fields(answer)[f"date.{runs[0]}"] == [str(tomorrow)]


def pay_late(*companies: Company) -> list[int]:
    """Finalise a pay run of each company that was due nine days ago, and return their IDs."""
    runs = [paid(company) for company in companies]
    for company, run_id in zip(companies, runs, strict=True):
        due = clock.today() - timedelta(days=9)
        company.member.patch(f"/payment_runs/{run_id}", {"payment_date": str(due)})
    return runs


def test_only_runs_that_the_user_has_reviewed_are_finalised(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    runs = [opened(company) for company in companies]
    user, colleague = (
        signed_in_user(member) for member in (bakery.member, bakery.member.colleague(bakery.id, "owner"))
    )
    fields = form_fields(reviewed(user, "finalise", *companies))
    other = form_fields(reviewed(colleague, "finalise", bakery))
    first, second = (f"reviewed.{run_id}" for run_id in runs)
    forged = (
        {first: other[first], second: []},
        {first: ["x"], second: [fields[second][0][:-8]]},
        {"client_id": [str(clinic.id)], second: []},
    )
    for changes in forged:
        answer = sent(user, {**fields, **changes}, confirmed=["yes"])
        assert answer.status_code == 409
        assert REVIEW_AGAIN in page_text(answer)
    assert states(bakery, clinic) == [(False, False)] * 2
    answer = sent(user, fields, confirmed=["yes"])
    assert "Done in 2 of 2 companies" in page_text(answer)


def test_wrong_dates_and_empty_forms_change_nothing(companies: tuple[Company, Company]) -> None:
    bakery, _ = companies
    run_id = paid(bakery)
    bakery.member.patch(f"/payment_runs/{run_id}", {"payment_date": str(clock.today() - timedelta(days=1))})
    user = signed_in_user(bakery.member)
    fields = form_fields(reviewed(user, "mark_paid", bakery))
    for text in (str(clock.today() + timedelta(days=60)), "1901-01-01"):
        answer = sent(user, {**fields, f"date.{run_id}": [text], f"noted.{run_id}": [text]})
        assert answer.status_code == 200
        assert (
            rows_of(answer)["Tampines Bakery"]
            == "Not done The pay run cannot be paid on this date Pay run of Tampines Bakery"
        )
    for text in ("\0nonsense", "0001-01-01"):
        answer = sent(user, {**fields, f"date.{run_id}": [text]})
        assert answer.status_code == 422
        assert "Enter a date for each selected pay run" in page_text(answer)
    del fields["row"]
    assert "Select at least one pay run" in page_text(sent(user, fields))
    assert listed(bakery)[0]["paid_at"] is None
    assert "No companies selected" in page_text(user.get(STEPS))
    assert user.get(f"{STEPS}?step=delete&client_id={bakery.id}").status_code == 404


def test_a_step_is_recorded_and_shows_its_progress(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    user = signed_in_user(bakery.member)
    service = bakery.member.service
    path = user.browser.post(STEPS, data=form_fields(reviewed(user, "open", *companies))).headers["location"]
    finished(user, path)
    batch = path.rpartition("/")[2]
    # As if no worker had begun with one company, and another had begun and died three times.
    service.as_owner(
        "UPDATE run_steps SET state = 'queued', finished_at = NULL, results = NULL WHERE batch = $1 AND client_id = $2",
        batch,
        clinic.id,
    )
    page = user.get(path)
    assert page.headers["refresh"] == "2"
    assert "1 of 2 companies finished" in page_text(page)
    assert '<progress max="2" value="1"' in page.text
    assert rows_of(page)["Yishun Clinic"] == "In progress"
    assert "Finalise these pay runs" not in page_text(page)
    service.as_owner("UPDATE run_step_progress SET attempts = 3 WHERE client_id = $1", clinic.id)
    opened_again = user.browser.post(STEPS, data=form_fields(reviewed(user, "open", clinic))).headers["location"]
    page = finished(user, path)
    assert "Done in 1 of 2 companies" in page_text(page)
    assert rows_of(page)["Yishun Clinic"].startswith("Not done Something went wrong")
    assert rows_of(finished(user, opened_again))["Yishun Clinic"].startswith("Done 1 payslip recalculated")
    # The result is for the user who started it.
    colleague = signed_in_user(bakery.member.colleague(bakery.id, "payroll"))
    for missing in (path, f"{STEPS}/{bakery.id}", f"{STEPS}/6b0f2d0e-9e0a-4d3c-8f55-0f8f4b1c2d3e"):
        assert colleague.get(missing).status_code == 404


def test_a_step_is_not_done_after_the_user_has_lost_access(companies: tuple[Company, Company]) -> None:
    bakery, _ = companies
    member = bakery.member.colleague(bakery.id, "payroll")
    user = signed_in_user(member)
    [identity] = bakery.member.service.as_owner("SELECT id FROM users WHERE email = $1", member.email)
    items = f'[{{"wave_id": {bakery.wave_id}, "period_end_date": "{JANUARY}"}}]'
    bakery.member.service.as_owner(
        "UPDATE memberships SET role = 'viewer' WHERE client_id = $1 AND user_id = $2", bakery.id, identity["id"]
    )
    [row] = bakery.member.service.as_owner(
        "INSERT INTO run_steps (client_id, batch, step, items, user_id) "
        "VALUES ($1, gen_random_uuid(), 'open', $2::text::jsonb, $3) RETURNING batch::text",
        bakery.id,
        items,
        identity["id"],
    )
    sent(owner := signed_in_user(bakery.member), form_fields(reviewed(owner, "open", bakery)))
    page = finished(user, f"{STEPS}/{row['batch']}")
    assert rows_of(page)["Tampines Bakery"].startswith("Not done The pay run was deleted, or you can no longer change")
    assert len(listed(bakery)) == 1


@pytest.mark.parametrize("step", ["open", "finalise", "mark_paid", "release"])
def test_a_company_of_another_account_is_refused_like_an_unknown_one(
    companies: tuple[Company, Company], company: Company, step: str
) -> None:
    hired(company)
    run_id = opened(company)
    user = signed_in_user(companies[0].member)
    token = [user.token("/password")]
    for client_id in (company.id, 9_999_999_999):
        ids = [str(companies[0].id), str(client_id)]
        assert user.get(f"{STEPS}?{urlencode({'step': step, 'client_id': ids}, doseq=True)}").status_code == 404
        fields = {"step": [step], "client_id": ids, "row": [str(run_id)], "form_token": token, "confirmed": ["yes"]}
        assert sent(user, fields).status_code == 404
    # A run of another account, in the form of a company of the user, is like one that is no longer waiting.
    for row in (str(run_id), "9999999999", "x"):
        answer = sent(user, {**fields, "client_id": [str(companies[0].id)], "row": [row]})
        assert (REVIEW_AGAIN if step == "finalise" else "1 pay run is no longer waiting") in page_text(answer)
    assert states(company) == [(False, False)]


def test_the_role_in_each_company_decides(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    member = bakery.member.colleague(bakery.id, "payroll")
    bakery.member.service.as_owner(
        "INSERT INTO memberships (client_id, user_id, role) SELECT $2, id, 'viewer' FROM users WHERE email = $1",
        member.email,
        clinic.id,
    )
    user = signed_in_user(member)
    page = user.get("/companies").text
    assert f'name="client_id" value="{bakery.id}"' in page
    assert f'name="client_id" value="{clinic.id}"' not in page
    review = reviewed(user, "open", *companies)
    assert rows_of(review)["Yishun Clinic"] == "– Your role can only view this company"
    fields = form_fields(review)
    answer = sent(user, fields, row=[*fields["row"], f"{clinic.wave_id}-24"])
    assert rows_of(answer)["Tampines Bakery"].startswith("Done")
    assert "1 pay run is no longer waiting" in page_text(answer)
    assert (len(listed(bakery)), len(listed(clinic))) == (1, 0)
    viewer = signed_in_user(bakery.member.colleague(bakery.id, "viewer"))
    assert "/companies/steps" not in viewer.get("/companies").text
    fields["form_token"] = [viewer.token("/password")]
    fields["client_id"] = [str(bakery.id)]
    assert "Your role can only view" in page_text(sent(viewer, fields))
    employee = signed_in_user(bakery.member.colleague(bakery.id, "employee", bakery.listed()[0]["id"]))
    assert employee.get(STEPS).status_code == 404


def test_the_number_of_companies_and_payslips_is_bounded(service: Service) -> None:
    member = service.new_account()
    ids = [member.new_client(name=f"Company {number}") for number in range(MAX_COMPANIES + 1)]
    user = signed_in_user(member)
    answer = user.get(f"{STEPS}?{urlencode({'step': 'open', 'client_id': ids}, doseq=True)}")
    assert answer.headers["location"] == "/companies"
    assert "51 companies are selected. Select at most 50" in page_text(user.get("/companies"))
    assert user.get("/companies?select=all").text.count(" checked>") == MAX_COMPANIES

    company = ClientMembership(1, "Kopi Trading", "owner")
    sizes = [("large", 9), ("small", 2), ("late", 2)]
    planned = [PlannedStep(company, key=key, payslips=size) for key, size in sizes]
    assert [item.problems for item in limit_payslips(planned, 8)] == [(), (TOO_MANY,), (TOO_MANY,)]
    assert [item.problems for item in limit_payslips(planned[::-1], 8)] == [(), (), (TOO_MANY,)]


def test_the_list_of_companies_links_to_the_steps_of_the_last_day(companies: tuple[Company, Company]) -> None:
    bakery, clinic = companies
    user, colleague = signed_in_user(bakery.member), signed_in_user(bakery.member.colleague(bakery.id, "payroll"))
    assert f'href="{STEPS}/' not in user.get("/companies").text
    answer = user.browser.post(STEPS, data=form_fields(reviewed(user, "open", *companies)))
    path = answer.headers["location"]
    finished(user, path)
    page = user.get("/companies")
    assert f'<a href="{path}">Open pay runs</a>' in page.text
    assert re.search(r"Open pay runs ?, [^:]+:\d\d: done in 2 of 2 companies", page_text(page))
    assert path not in colleague.get("/companies").text
    batch = path.rpartition("/")[2]
    bakery.member.service.as_owner(
        "UPDATE run_steps SET state = 'queued', finished_at = NULL, results = NULL WHERE batch = $1 AND client_id = $2",
        batch,
        clinic.id,
    )
    assert ": 1 of 2 companies finished" in page_text(user.get("/companies"))
    bakery.member.service.as_owner("DELETE FROM run_steps WHERE batch = $1", batch)
    assert path not in user.get("/companies").text
