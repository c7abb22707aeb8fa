"""Pay runs of companies that are late, not paid, not posted or changed afterwards."""

import re
from dataclasses import replace
from datetime import date, datetime, time, timedelta

import pytest

from gaji.console.formats import format_day
from gaji.console.late_filings import UnpaidPeriod, late_text
from gaji.console.late_periods import MAX_LATER_PERIODS
from gaji.core import clock
from gaji.law.months import Month
from gaji.payroll.payment_runs.queries import is_payment_late
from gaji.payroll.payslips.summaries import NextPeriod
from tests.console.company_list_page import companies_of, cpf_months_due, row_of
from tests.console.console_user import ConsoleUser, page_text, signed_in_user
from tests.payroll.payment_runs.runs import done, hired, listed, opened, paid, payslips
from tests.payroll.payment_runs.test_corrections import change_salary, corrected, correction
from tests.payroll.payslips.slips import enter
from tests.payroll.retro_proposals.proposals import accepted
from tests.payroll.retro_proposals.test_missed import FOREIGNER, became_resident
from tests.support.company import Company
from tests.support.running import Service

POSTED = {"posted_to_accounting_system": True}
SUNDAY = 6


def test_a_run_that_is_not_marked_as_paid_in_time_needs_attention(bureau: tuple[Company, Company, ConsoleUser]) -> None:
    company, _, user = bureau
    [run_id] = [run["id"] for run in listed(company)]
    run, due = f"/payment_runs/{run_id}", clock.today() - timedelta(days=1)
    pages = {
        "/companies": f"Not paid, due {format_day(due)}",
        f"/companies/{company.id}": f"wages due {format_day(due)} are not marked as paid",
        f"/companies/{company.id}/payment_runs": "Not marked as paid",
    }
    assert company.member.patch(run, {"payment_date": str(due)}).status_code == 200
    for path, text in pages.items():
        assert text in page_text(user.get(path))
    done(company, run_id, "mark_paid")
    for path in pages:
        assert "marked as paid" not in page_text(user.get(path))


def test_a_run_is_late_for_three_months_after_its_due_date_and_its_finalisation() -> None:
    today = date(2026, 11, 18)
    midnight = datetime.combine(today, time(), clock.SINGAPORE)
    long_ago = midnight - timedelta(days=300)
    assert is_payment_late(today, long_ago, today) is False
    assert is_payment_late(today - timedelta(days=92), long_ago, today) is True
    assert is_payment_late(today - timedelta(days=93), long_ago, today) is False
    # A pay run of an old period that was finalised lately.
    assert is_payment_late(today - timedelta(days=200), midnight - timedelta(days=92), today) is True
    assert is_payment_late(today - timedelta(days=200), midnight - timedelta(days=93), today) is False


def test_an_old_period_that_is_finalised_late_is_still_to_be_paid_and_posted(service: Service) -> None:
    member = service.new_account()
    company, _ = (Company.of(member, name=name) for name in ("Bedok Tailors", "Yishun Clinic"))
    user, month = signed_in_user(member), Month.from_date(clock.today()) - 7
    hired(company, appointment_date=str((month - 1).first_day))
    assert member.patch(f"/payment_runs/{paid(company, str((month - 1).last_day))}", POSTED).status_code == 200
    run_id = paid(company, str(month.last_day))
    name, home = format_day(month.last_day), f"/companies/{company.id}"
    row = row_of(user, company)
    assert f"Not paid, due {name}" in row
    assert f"Not posted, {name}" in row
    assert f"wages due {name} are not marked as paid" in page_text(user.get(home))
    assert f"Journal {name} not posted" in page_text(user.get(home))
    step = user.get(f"/companies/steps?step=mark_paid&client_id={company.id}").text
    assert f'name="row" value="{run_id}"' in step
    done(company, run_id, "mark_paid")
    assert f"Not paid, due {name}" not in row_of(user, company)


def test_the_dashboard_lists_the_oldest_unfinished_runs_first(service: Service) -> None:
    company = Company.of(service.new_account(), name="Bedok Tailors")
    months = [Month.from_date(clock.today()) - ago for ago in (5, 4, 3, 2, 1)]
    hired(company, appointment_date=str(months[0].first_day))
    run_ids = [paid(company, str(month.last_day)) for month in months]
    assert company.member.patch(f"/payment_runs/{run_ids[0]}", POSTED).status_code == 200
    page = page_text(signed_in_user(company.member).get(f"/companies/{company.id}"))
    names = [format_day(month.last_day) for month in months]
    assert re.findall(r"Not paid (\d+ \w+ \d+)", page) == names[:3]
    assert re.findall(r"Not released (\d+ \w+ \d+)", page) == names[:3]
    assert re.findall(r"Journal (\d+ \w+ \d+)", page) == names[1:4]
    assert "2 more pay runs are not marked as paid" in page


def test_a_correction_that_is_not_paid_is_late_when_the_corrected_wages_were_due(service: Service) -> None:
    member = service.new_account()
    company, _ = (Company.of(member, name=name) for name in ("Bedok Tailors", "Yishun Clinic"))
    user, month = signed_in_user(member), Month.from_date(clock.today()) - 2
    employee_id = hired(company, "3000.00", appointment_date=str(month.first_day))
    run_id = paid(company, str(month.last_day))
    done(company, run_id, "mark_paid")
    done(company, paid(company, str((month + 1).last_day)), "mark_paid")
    change_salary(company, employee_id, "3300.00", str(month.first_day))
    corrected(company, run_id)
    due, corrected_name = format_day(month.last_day + timedelta(days=7)), format_day(month.last_day)
    row = row_of(user, company)
    assert "Correction not paid" in row
    assert f"Wages of the correction of {corrected_name} are not marked as paid" in row
    home = page_text(user.get(f"/companies/{company.id}"))
    assert f"Not paid Correction of {corrected_name} wages due {due} are not marked as paid" in home
    step = page_text(user.get(f"/companies/steps?step=mark_paid&client_id={company.id}"))
    assert f"Correction of {corrected_name}" in step


def test_the_list_has_what_the_dashboard_has_about_changes(service: Service) -> None:
    member = service.new_account()
    company, other = (Company.of(member, name=name) for name in ("Bedok Tailors", "Yishun Clinic"))
    user, today = signed_in_user(member), clock.today()
    month = Month.from_date(today) - 5
    company.member.patch(f"/clients/{company.id}", {"cpf_submission_number": "202699999EPTE01"})
    employee_id = hired(company, "3000.00", appointment_date=str(month.first_day))
    run_id = paid(company, str(month.last_day))
    assert company.member.get(f"/clients/{company.id}/filings/{month}/cpf").status_code == 200
    for page in (row_of(user, company), page_text(user.get(f"/companies/{company.id}"))):
        assert "Differs" not in page
        assert "changed" not in page
    change_salary(company, employee_id, "3300.00", str(month.first_day))
    assert f"Differs, {format_day(month.last_day)}" in row_of(user, company)
    assert companies_of(user, "show=differs") == ["Bedok Tailors"]
    assert "Differs" in page_text(user.get(f"/companies/{company.id}"))
    corrected(company, run_id)
    name = f"{month.first_day:%b %Y}"
    assert f"CPF {name}, changed" in row_of(user, company)
    assert f"Changed CPF for {name}" in page_text(user.get(f"/companies/{company.id}"))
    assert "Differs" not in row_of(user, company)
    assert "changed" not in row_of(user, other)
    files = user.get(f"/companies/cpf_files?client_id={company.id}&client_id={other.id}")
    assert f'name="row" value="{company.id}-{month}" checked' in files.text
    assert "Changed" in page_text(files)
    assert "Late $112.00" in page_text(files)
    assert company.member.get(f"/clients/{company.id}/filings/{month}/cpf").status_code == 200
    assert "changed" not in row_of(user, company)
    assert f"{company.id}-{month}" not in user.get(f"/companies/cpf_files?client_id={company.id}").text


def test_a_week_that_spans_two_months_changes_the_earlier_month(service: Service) -> None:
    member = service.new_account()
    monthly, _ = (Company.of(member, name=name) for name in ("Bedok Tailors", "Yishun Clinic"))
    this_month = Month.from_date(clock.today())
    month = next(month for month in (this_month - 2, this_month - 3) if month.last_day.weekday() != SUNDAY)
    week_end = month.last_day + timedelta(days=SUNDAY - month.last_day.weekday())
    first_end = week_end - timedelta(days=7)
    company = replace(monthly, wave_id=monthly.wave(frequency="weekly", first_end_date=str(first_end)))
    member.patch(f"/clients/{company.id}", {"cpf_submission_number": "202699999EPTE01"})
    hired(company, "600.00", wave_id=company.wave_id, appointment_date=str(first_end - timedelta(days=6)))
    paid(company, str(first_end))
    filing = f"/clients/{company.id}/filings/{month}"
    assert member.get(f"{filing}/cpf").status_code == 200
    paid(company, str(week_end))
    assert member.get(filing).json()[0]["filing"]["state"] == "changed"
    user, name = signed_in_user(member), f"{month.first_day:%b %Y}"
    assert f"CPF {name}, changed" in row_of(user, company)
    assert "Bedok Tailors" in companies_of(user, "show=late_filings")
    assert f"Changed CPF for {name}" in page_text(user.get(f"/companies/{company.id}"))
    row = f'name="row" value="{company.id}-{month}" checked'
    assert row in user.get(f"/companies/cpf_files?client_id={company.id}").text
    assert str(month) in cpf_months_due(company)
    assert member.get(f"{filing}/cpf").status_code == 200
    assert f"CPF {name}, changed" not in row_of(user, company)
    assert f"Changed CPF for {name}" not in page_text(user.get(f"/companies/{company.id}"))
    assert row not in user.get(f"/companies/cpf_files?client_id={company.id}").text
    assert str(month) not in cpf_months_due(company)


def test_a_refund_is_listed_until_it_is_old_whatever_is_downloaded(service: Service) -> None:
    member = service.new_account()
    company, _ = (Company.of(member, name=name) for name in ("Bedok Tailors", "Yishun Clinic"))
    user, month = signed_in_user(member), Month.from_date(clock.today()) - 5
    member.patch(f"/clients/{company.id}", {"cpf_submission_number": "202699999EPTE01"})
    employee_id = hired(company, "3000.00", appointment_date=str(month.first_day))
    run_id = paid(company, str(month.last_day))
    file = member.get(f"/clients/{company.id}/filings/{month}/cpf").content
    done(company, run_id, "unfinalise")
    enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount="2800.00")
    done(company, run_id, "finalise")
    name, home = f"{month.first_day:%b %Y}", f"/companies/{company.id}"
    for _ in range(2):
        row = row_of(user, company)
        assert f"CPF {name}, refund" in row
        assert "changed" not in row
        assert f"Refund CPF for {name} less is payable than was submitted" in page_text(user.get(home))
        assert str(month) not in cpf_months_due(company)
        page = user.get(f"{home}/filings?month={month}")
        text = page_text(page)
        assert text.index("Too much was submitted.") < text.index("In the last file")
        assert text.count("Too much was submitted.") == 1
        assert "If you have not sent the file, discard it below and download it again." in text
        assert "download=cpf" not in page.text
        assert "Download again" in text
        assert member.get(f"/clients/{company.id}/filings/{month}/cpf").content == file
    long_ago = "UPDATE payment_runs SET finalised_at = finalised_at - interval '93 days' WHERE client_id = $1"
    earlier = "UPDATE cpf_submissions SET downloaded_at = downloaded_at - interval '94 days' WHERE client_id = $1"
    for statement in (long_ago, earlier):
        service.as_owner(statement, company.id)
    assert f"CPF {name}" not in row_of(user, company)


def test_missed_contributions_in_a_later_pay_run_change_the_earlier_month(service: Service) -> None:
    member = service.new_account()
    company, _ = (Company.of(member, name=name) for name in ("Bedok Tailors", "Yishun Clinic"))
    user, month = signed_in_user(member), Month.from_date(clock.today()) - 5
    member.patch(f"/clients/{company.id}", {"cpf_submission_number": "202699999EPTE01"})
    employee_id = hired(company, "3000.00", **{**FOREIGNER, "appointment_date": str(month.first_day)})
    paid(company, str(month.last_day))
    assert member.get(f"/clients/{company.id}/filings/{month}/cpf").status_code == 200
    became_resident(company, employee_id)
    accepted(company, employee_id, treatment="missed")
    paid(company, str((month + 1).last_day))
    assert f"CPF {month.first_day:%b %Y}, changed" in row_of(user, company)
    assert str(month) in cpf_months_due(company)


def test_a_correction_that_is_not_finalised_needs_attention(service: Service) -> None:
    member = service.new_account()
    company, _ = (Company.of(member, name=name) for name in ("Bedok Tailors", "Yishun Clinic"))
    user, month = signed_in_user(member), Month.from_date(clock.today()) - 1
    employee_id = hired(company, "3000.00", appointment_date=str(month.first_day))
    run_id = paid(company, str(month.last_day))
    done(company, run_id, "mark_paid")
    done(company, run_id, "release")
    company.member.patch(f"/clients/{company.id}", {"cpf_submission_number": "202699999EPTE01"})
    assert company.member.get(f"/clients/{company.id}/filings/{month}/cpf").status_code == 200
    change_salary(company, employee_id, "3300.00", str(month.first_day))
    correction_id = correction(company, run_id)
    name = format_day(month.last_day)
    assert f"Correction, {name}" in row_of(user, company)
    assert f"The correction of {name} is not finalised" in row_of(user, company)
    for show in ("corrections", "attention"):
        assert companies_of(user, f"show={show}") == ["Bedok Tailors"]
    home = page_text(user.get(f"/companies/{company.id}"))
    assert f"Correction {name} not finalised" in home
    done(company, correction_id, "finalise")
    assert companies_of(user, "show=corrections") == []
    assert "Correction," not in row_of(user, company)
    assert "Correction not released" in row_of(user, company)
    assert "not finalised" not in page_text(user.get(f"/companies/{company.id}"))


@pytest.mark.parametrize(("months_ago", "is_late"), [(1, True), (-1, False)])
def test_a_once_off_pay_run_is_late_after_its_pay_date(service: Service, months_ago: int, is_late: bool) -> None:
    member = service.new_account()
    company = Company.of(member, name="Bedok Tailors")
    Company.of(member, name="Yishun Clinic")
    user, month = signed_in_user(member), Month.from_date(clock.today()) - months_ago
    employee_id = hired(company, appointment_date=str(month.first_day))
    run_id = opened(company, str(month.last_day), special=True, employee_ids=[employee_id])
    [slip] = payslips(company, run_id)
    enter(company, f"payslips/{slip['id']}", "bonus", amount="100.00")
    regular_id = paid(company, str(month.last_day))
    done(company, regular_id, "mark_paid")
    due, home = format_day(month.last_day), f"/companies/{company.id}"
    assert f"Once-off, due {due}" in row_of(user, company)
    assert f'href="/payment_runs/{run_id}">Once-off, due' in user.get("/companies").text
    assert (companies_of(user, "show=late_runs") == ["Bedok Tailors"]) is is_late
    assert (f"Once-off pay run due on {due}" in row_of(user, company)) is is_late
    assert ("Late Once-off pay run not finalised" in page_text(user.get(home))) is is_late
    done(company, run_id, "finalise")
    assert f"Once-off not released, {due}" in row_of(user, company)
    assert f"Not released, {due}" in row_of(user, company)
    assert "Once-off not posted" not in row_of(user, company)
    posted = {"posted_to_accounting_system": True}
    assert member.patch(f"/payment_runs/{regular_id}", posted).status_code == 200
    assert f"Once-off not posted, {due}" in row_of(user, company)
    assert f"Journal {due} Once-off not posted" in page_text(user.get(home))


def test_a_journal_is_missed_in_companies_that_post_journals(service: Service) -> None:
    member = service.new_account()
    company, other = (Company.of(member, name=name) for name in ("Bedok Tailors", "Yishun Clinic"))
    month, user = Month.from_date(clock.today()) - 1, signed_in_user(member)
    for each in (company, other):
        hired(each, appointment_date=str((month - 1).first_day))
    run_ids = [paid(company, str(item.last_day)) for item in (month - 1, month)]
    paid(other, str((month - 1).last_day))
    assert companies_of(user, "show=unposted") == []
    reason = "Only companies that have posted a journal before are listed."
    assert reason in page_text(user.get("/companies?show=unposted"))
    assert reason not in page_text(user.get("/companies?show=released_pay"))
    assert member.patch(f"/payment_runs/{run_ids[0]}", POSTED).status_code == 200
    name, home = format_day(month.last_day), f"/companies/{company.id}"
    assert f"Not posted, {name}" in row_of(user, company)
    assert f'href="/payment_runs/{run_ids[1]}/accounting"' in user.get("/companies").text
    assert f"Journal {name} not posted" in page_text(user.get(home))
    assert companies_of(user, "show=unposted") == ["Bedok Tailors"]
    assert reason in page_text(user.get("/companies?show=unposted"))
    assert member.patch(f"/payment_runs/{run_ids[1]}", POSTED).status_code == 200
    assert companies_of(user, "show=unposted") == []
    assert "not posted" not in page_text(user.get(home))


def test_a_journal_without_lines_is_not_missed(service: Service) -> None:
    member = service.new_account()
    company, _ = (Company.of(member, name=name) for name in ("Bedok Tailors", "Yishun Clinic"))
    month, user = Month.from_date(clock.today()) - 1, signed_in_user(member)
    employee_id = hired(company, "3000.00", appointment_date=str(month.first_day))
    run_id = paid(company, str(month.last_day))
    assert member.patch(f"/payment_runs/{run_id}", POSTED).status_code == 200
    once_off_id = opened(company, str(month.last_day), special=True, employee_ids=[employee_id])
    done(company, once_off_id, "finalise")
    change_salary(company, employee_id, "2900.00", str(month.first_day))
    correction_id = corrected(company, run_id)
    for empty_id in (correction_id, once_off_id):
        assert "Journal no lines" in page_text(user.get(f"/payment_runs/{empty_id}"))
    assert companies_of(user, "show=unposted") == []
    assert "ot posted" not in row_of(user, company)
    assert "not posted" not in page_text(user.get(f"/companies/{company.id}"))
    done(company, correction_id, "unfinalise")
    change_salary(company, employee_id, "3300.00", str(month.first_day))
    done(company, correction_id, "calculate")
    done(company, correction_id, "finalise")
    assert companies_of(user, "show=unposted") == ["Bedok Tailors"]
    assert "Journal not posted" in page_text(user.get(f"/payment_runs/{correction_id}"))


def test_late_pay_dates_are_counted_up_to_a_limit_for_each_pay_schedule() -> None:
    def unpaid(wave_id: int, later: int) -> UnpaidPeriod:
        first = date(2024, 1, 5)
        period = NextPeriod(wave_id, 0, first, payslips=1, attention=0, pay_date=first)
        return UnpaidPeriod(period, None, [first + timedelta(weeks=number) for number in range(1, later + 1)])

    assert late_text([unpaid(1, 60), unpaid(2, 60)]).startswith("122 pay dates late: ")
    assert late_text([unpaid(1, MAX_LATER_PERIODS)]).startswith("100 or more pay dates late: ")


def test_pay_that_is_due_within_a_week_is_listed_as_not_marked_as_paid(
    bureau: tuple[Company, Company, ConsoleUser],
) -> None:
    company, _, user = bureau
    [run_id] = [run["id"] for run in listed(company)]
    for days, is_listed in ((7, True), (8, False)):
        due = clock.today() + timedelta(days=days)
        assert company.member.patch(f"/payment_runs/{run_id}", {"payment_date": str(due)}).status_code == 200
        row = row_of(user, company)
        assert "Not paid, due" not in row
        assert (f"Pay by {format_day(due)}" in row) == is_listed
        assert companies_of(user, "show=unpaid") == (["Tampines Bakery"] if is_listed else [])
    assert "are not marked as paid" not in page_text(user.get(f"/companies/{company.id}"))
