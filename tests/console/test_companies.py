"""The list of companies with what is due and late, and search."""

import re
from dataclasses import replace
from datetime import date, datetime, time, timedelta

import pytest

from gaji.company.clients.schemas import UNLIKELY_UEN
from gaji.company.clients.service import ClientMembership
from gaji.console.company_list import numbers_task
from gaji.console.formats import format_day
from gaji.console.late_filings import UnpaidPeriod, late_text
from gaji.console.late_periods import MAX_LATER_PERIODS
from gaji.core import clock
from gaji.core.errors import FieldError
from gaji.core.law_loader import current_law
from gaji.law.months import Month
from gaji.law.tax import clearance_filing_due
from gaji.payroll.payment_runs.queries import is_payment_late
from gaji.payroll.payslips.summaries import NextPeriod
from tests.approvals.second_person import require_approval
from tests.console.console_user import ConsoleUser, page_text, signed_in_user
from tests.documents.tax_certificates.certificate_client import generate_and_release
from tests.payroll.payment_runs.runs import done, hired, listed, opened, paid, payslips
from tests.payroll.payment_runs.test_corrections import change_salary, corrected, correction
from tests.payroll.payslips.slips import enter
from tests.payroll.retro_proposals.proposals import accepted
from tests.payroll.retro_proposals.test_missed import FOREIGNER, became_resident
from tests.support.company import BANK_ACCOUNT, Company, of_status
from tests.support.running import Service, created

POSTED = {"posted_to_accounting_system": True}
SUNDAY = 6
UEN = "202699999E"


def companies_of(user: ConsoleUser, query: str = "") -> list[str]:
    """Return the names of the companies in the list."""
    text = user.get(f"/companies?{query}").text
    return re.findall(r'<a class="row" href="/companies/\d+">([^<]*)</a>', text)


def row_of(user: ConsoleUser, company: Company) -> str:
    """Return the text of the row of a company, without the pay dates that passed later."""
    page = user.get("/companies").text
    [row] = re.findall(
        rf'<tr><th scope="row">[^\n]*?<a class="row" href="/companies/{company.id}">.*?</tr>', page, re.DOTALL
    )
    text = " ".join(re.sub(r"<[^>]+>", " ", row).split())
    return re.sub(r" \d+ pay dates late: [A-Z][\w ,()]*? \d{4}(?=$| [A-Z])", "", text)


def cpf_months_due(company: Company) -> list[str]:
    """Return the months of the CPF files that the API lists as due."""
    deadlines = [element["deadline"] for element in company.member.get(f"/clients/{company.id}/deadlines").json()]
    return [deadline["month"] for deadline in deadlines if deadline["type"] == "cpf"]


def found(user: ConsoleUser, query: str) -> dict[str, str]:
    """Return the text of the search results by path."""
    page = user.get(f"/search?{query}").text
    results = re.findall(r'<li><a href="([^"]*)">(.*?)</a></li>', page)
    return {path: " ".join(re.sub(r"<[^>]+>", " ", text).split()) for path, text in results}


@pytest.fixture
def bureau(service: Service) -> tuple[Company, Company, ConsoleUser]:
    """Two companies of one account: one is late with everything, and the other has no employees."""
    member = service.new_account()
    late = Company.of(member, name="Tampines Bakery")
    hired(late, first_name="Siti", last_name="Aminah")
    paid(late)
    empty = Company.of(member, name="Queenstown Clinic", uen=UEN)
    return late, empty, signed_in_user(member)


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


def test_companies_are_listed_with_what_is_late(bureau: tuple[Company, Company, ConsoleUser]) -> None:
    late, empty, user = bureau
    row = row_of(user, late)
    assert row.startswith(
        "Tampines Bakery 1 employee Details missing: CPF submission number Pay run due on 28 Feb 2026 and "
    )
    assert (
        "in Tampines Bakery 28 Feb 2026 Late Not opened , period to 28 Feb 2026 1 payslip "
        "Not paid, due 31 Jan 2026 Not released, 31 Jan 2026 CPF Jan 2026"
    ) in row
    assert row_of(user, empty) == "Queenstown Clinic 0 employees Set up the company – Not set up – –"
    assert "2 companies, 1 needs attention" in page_text(user.get("/companies"))
    run_id = opened(late, "2026-02-28")
    assert f'<a href="/payment_runs/{run_id}">In progress<' in user.get("/companies").text
    weekly = late.wave(frequency="weekly", first_end_date="2026-03-06")
    hired(late, wave_id=weekly, appointment_date="2026-03-02")
    row = row_of(user, late)
    assert "28 Feb 2026 Late 6 Mar 2026 Late" in row
    assert "period to 6 Mar 2026 1 payslip" in row
    type_id = int(next(iter(late.member.get(f"/clients/{late.id}/leave_types").json())))
    employee, request = f"/employees/{late.listed()[0]['id']}", {"dates": [{"date": "2026-03-10", "type_id": type_id}]}
    granted = {"type_id": type_id, "date": "2026-03-01", "days": 5, "reason": "Agreed"}
    created(late.member.post(f"{employee}/leave_adjustments", granted))
    created(late.member.post(f"{employee}/leave_requests", request))
    assert "CPF Jan 2026 CPF Feb 2026 CPF Mar 2026" in row_of(user, late)
    assert row_of(user, late).endswith(" 1 leave")
    late.member.patch(f"/clients/{late.id}", {"uen": "202699999E", "cpf_submission_number": "202699999EPTE01"})
    assert late.member.get(f"/clients/{late.id}/filings/2026-01/cpf").status_code == 200
    assert "CPF Jan 2026" not in row_of(user, late)


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


@pytest.mark.parametrize(
    ("days", "text"), [(-1, "A work pass ended on {}"), (0, "A work pass ends on {}"), (60, "A work pass ends on {}")]
)
def test_work_passes_that_end_need_attention(service: Service, days: int, text: str) -> None:
    member = service.new_account()
    company, other = (Company.of(member, name=name) for name in ("Bedok Tailors", "Yishun Clinic"))
    last_day = clock.today() + timedelta(days=days)
    employee = of_status("FOREIGNER", pass_to=str(last_day), appointment_date=str(clock.today()))
    created(company.post(employee))
    created(other.post({**employee, "pass_to": str(clock.today() + timedelta(days=61))}))
    user = signed_in_user(member)
    assert text.format(format_day(last_day)) in row_of(user, company)
    for show in ("passes", "attention"):
        assert companies_of(user, f"show={show}") == ["Bedok Tailors"]
    assert "work pass" in page_text(user.get(f"/companies/{company.id}"))
    assert "Work pass" not in row_of(user, other)
    created(company.post({**employee, "fin": "G1234567X"}))
    plural = "2 work passes have ended" if days < 0 else "2 work passes end soon"
    assert plural in row_of(user, company)


def test_work_passes_of_those_who_leave_before_they_end_need_no_attention(
    bureau: tuple[Company, Company, ConsoleUser],
) -> None:
    _, company, user = bureau
    today = clock.today()
    employee = of_status("FOREIGNER", pass_to=str(today + timedelta(days=20)), appointment_date=str(today))
    leaver = created(company.post(employee))
    pages = (f"/companies/{company.id}", f"/companies/{company.id}/employees?state=expiring", "/companies?show=passes")
    for days, is_listed in ((21, True), (20, False), (19, False)):
        company.leave(leaver, str(today + timedelta(days=days)), ir21=True)
        for path, text in zip(pages, ("work pass ends on", "Mei Ling Tan", "Queenstown Clinic"), strict=True):
            assert (text in page_text(user.get(path))) is is_listed, (path, days)


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


def test_numbers_of_companies_are_compared_with_those_that_the_user_can_see(service: Service) -> None:
    member = service.new_account()
    bakery, clinic, hidden = (
        Company.of(member, name=name, uen=uen, cpf_submission_number=number)
        for name, uen, number in (
            ("Tampines Bakery", "202699999E", "202699999EPTE01"),
            ("Yishun Clinic", "202699999E", "202699999EPTE01"),
            ("Bedok Tailors", "202699998N", "202699999EPTE02"),
        )
    )
    user = signed_in_user(member)
    for path in (f"/companies/{bakery.id}", f"/companies/{bakery.id}/settings", f"/companies/{bakery.id}/details"):
        assert "Yishun Clinic has the same number" in page_text(user.get(path)), path
    differs = "begins with 202699999E, but the UEN of the company is 202699998N"
    hired(hidden)
    paid(hidden)
    home = f"/companies/{hidden.id}"
    for path in (home, f"{home}/settings", f"{home}/filings?month=2026-01"):
        assert differs in page_text(user.get(path)), path
    assert sorted(companies_of(user, "show=numbers")) == ["Bedok Tailors", "Tampines Bakery", "Yishun Clinic"]
    assert "Check CPF number" in row_of(user, clinic)
    colleague = signed_in_user(member.colleague(bakery.id, "payroll"))
    for path in (f"/companies/{bakery.id}", f"/companies/{bakery.id}/settings", f"/companies/{bakery.id}/details"):
        assert "same number" not in page_text(colleague.get(path)), path
    assert companies_of(colleague, "show=numbers") == []


@pytest.mark.parametrize(("role", "page"), [("owner", "details#uen"), ("viewer", "settings")])
def test_a_number_to_check_leads_to_a_page_that_the_role_can_open(role: str, page: str) -> None:
    task = numbers_task(ClientMembership(7, "Bedok Tailors", role), [FieldError("uen", UNLIKELY_UEN, {"value": "x"})])
    assert task.path == f"/companies/7/{page}"


def test_late_pay_dates_are_counted_up_to_a_limit_for_each_pay_schedule() -> None:
    def unpaid(wave_id: int, later: int) -> UnpaidPeriod:
        first = date(2024, 1, 5)
        period = NextPeriod(wave_id, 0, first, payslips=1, attention=0, pay_date=first)
        return UnpaidPeriod(period, None, [first + timedelta(weeks=number) for number in range(1, later + 1)])

    assert late_text([unpaid(1, 60), unpaid(2, 60)]).startswith("122 pay dates late: ")
    assert late_text([unpaid(1, MAX_LATER_PERIODS)]).startswith("100 or more pay dates late: ")


def test_a_uen_with_a_wrong_check_letter_needs_attention(bureau: tuple[Company, Company, ConsoleUser]) -> None:
    _, company, user = bureau
    assert company.member.patch(f"/clients/{company.id}", {"uen": "202699999A"}).status_code == 200
    assert "202699999A does not have the check letter" in page_text(user.get(f"/companies/{company.id}"))
    assert "Check UEN" in row_of(user, company)
    assert "2 companies, 2 need attention" in page_text(user.get("/companies"))


def test_the_filters_count_the_companies_that_match_the_search(bureau: tuple[Company, Company, ConsoleUser]) -> None:
    _, _, user = bureau
    options = re.findall(r'<option value="(\w+)"[^>]*>[^<]*\((\d+)\)</option>', user.get("/companies?search=clin").text)
    assert options == [("not_set_up", "1")]


def test_late_tax_filings_are_listed_until_they_are_done(bureau: tuple[Company, Company, ConsoleUser]) -> None:
    _, company, user = bureau
    today = clock.today()
    year = today.year - (1 if today > date(today.year, 3, 1) else 2)
    hired(company, appointment_date=f"{year}-12-01")
    paid(company, f"{year}-12-31")
    home = f"/companies/{company.id}"
    assert f'href="{home}/tax_certificates/check?year={year}">IR8A {year}</a>' in user.get("/companies").text
    assert f"IR8A for {year} certificates were not released by 1 Mar {year + 1}" in page_text(user.get(home))
    generate_and_release(company, year)
    assert "IR8A" not in row_of(user, company)
    assert "IR8A" not in page_text(user.get(home))


def test_an_ir21_is_late_while_pay_is_withheld(bureau: tuple[Company, Company, ConsoleUser]) -> None:
    _, company, user = bureau
    last = clock.today().replace(day=1) - timedelta(days=1)
    first = last.replace(day=1)
    leaver = hired(company, appointment_date=str(first), first_name="Arun", last_name="Kumar")
    company.leave(leaver, str(last), ir21=True, notice_date=str(first))
    assert "IR21 of Arun Kumar" in row_of(user, company)
    run_id = paid(company, str(last))
    due = format_day(clearance_filing_due(current_law().tax, first, last))
    assert f'href="/employees/{leaver}#clearance">IR21 of Arun Kumar</a>' in user.get("/companies").text
    [payslip] = payslips(company, run_id)
    card, profile = f"/payslips/{payslip['id']}#clearance", user.get(f"/employees/{leaver}").text
    assert "Pay is withheld for tax clearance (IR21)" in profile
    assert f"Form IR21 was due by {due}. It is listed as late until it is recorded as sent" in profile
    assert f'<a href="{card}">$' in profile
    assert f'href="{card}">Withheld for tax clearance</a>' in user.get(f"/employees/{leaver}?tab=payslips").text
    assert 'id="clearance"' in user.get(f"/payslips/{payslip['id']}").text
    [path] = set(re.findall(r'href="([^"]*#tax-clearance)"', user.get(f"/search?q=ir21&company={company.id}").text))
    assert f'href="/employees/{leaver}#clearance">Arun Kumar</a>' in user.get(path).text
    for query, text in {
        "tax clearance": "Companies with late filings",
        "cpf files": "Companies with late filings",
        "needs attention": "Companies that need attention",
        "correction": "Companies with corrections to finalise",
        "journal": "Companies with journals not posted",
        "work pass": "Companies with work passes that end",
    }.items():
        assert text in page_text(user.get(f"/search?q={query.replace(' ', '+')}")), query
    home = page_text(user.get(f"/companies/{company.id}"))
    assert f"IR21 of Arun Kumar the form is not recorded as sent; due by {due}" in home
    assert company.member.post(f"/payslips/{payslip['id']}/release_payment").status_code == 200
    assert "IR21" not in row_of(user, company)
    # An employee who has given notice, is still in service, and has had no finalised payslip since.
    leaving = hired(company, appointment_date=str(first), first_name="Mei", last_name="Goh")
    yesterday, last = clock.today() - timedelta(days=1), clock.today() + timedelta(days=10)
    company.leave(leaving, str(last), ir21=True, notice_date=str(yesterday))
    assert "IR21 of Mei Goh" in row_of(user, company)
    assert "Tax clearance (IR21) is required" in page_text(user.get(f"/employees/{leaving}"))
    assert "Pay is withheld" not in page_text(user.get(f"/employees/{leaver}"))


def test_an_ir21_needs_attention_a_week_before_it_is_due(bureau: tuple[Company, Company, ConsoleUser]) -> None:
    _, company, user = bureau
    today, home = clock.today(), f"/companies/{company.id}"
    leaver = hired(company, appointment_date=str(today), first_name="Arun", last_name="Kumar")
    for days in (0, 7):
        due = today + timedelta(days=days)
        company.leave(leaver, str(due), ir21=True, notice_date=str(due))
        text = f"IR21 of Arun Kumar is due by {format_day(due)}"
        assert text in row_of(user, company)
        assert f"Due {text}" in page_text(user.get(home))
        assert f"Late {text}" not in page_text(user.get(home))
        assert f'href="/employees/{leaver}#clearance"' in user.get(home).text
        for show in ("clearances", "attention"):
            assert "Queenstown Clinic" in companies_of(user, f"show={show}")
        assert "Queenstown Clinic" not in companies_of(user, "show=late_filings")
    due = today + timedelta(days=8)
    company.leave(leaver, str(due), ir21=True, notice_date=str(due))
    assert "IR21" not in row_of(user, company)
    company.leave(leaver, str(today), ir21=True, notice_date=str(today))
    company.act(leaver, "end_service", ir21_filed_on=str(today))
    assert "IR21" not in row_of(user, company)


def test_foreigners_who_leave_without_tax_clearance_are_listed(bureau: tuple[Company, Company, ConsoleUser]) -> None:
    _, company, user = bureau
    today, home = clock.today(), f"/companies/{company.id}"
    appointed = str(today - timedelta(days=40))
    foreigner = created(company.post(of_status("FOREIGNER", appointment_date=appointed, pass_to="2099-12-31")))
    resident = company.hire(appointment_date=appointed)
    for days, verb in ((-31, "left"), (0, "leaves"), (31, "leaves")):
        last = today + timedelta(days=days)
        for employee_id in (foreigner, resident):
            company.leave(employee_id, str(last))
        text = f"{verb} on {format_day(last)} without tax clearance: check whether form IR21 is required"
        assert page_text(user.get(home)).count(text) == 1
        assert f'href="/employees/{foreigner}#no-clearance"' in user.get(home).text
        assert 'id="no-clearance"' in user.get(f"/employees/{foreigner}").text
        assert companies_of(user, "show=clearances") == ["Queenstown Clinic"]
    for days in (-32, 32):
        company.leave(foreigner, str(today + timedelta(days=days)))
        assert companies_of(user, "show=clearances") == []
    company.leave(foreigner, str(today + timedelta(days=31)), ir21=True)
    assert "without tax clearance" not in page_text(user.get(home))


def test_missing_details_are_listed_if_files_need_them(bureau: tuple[Company, Company, ConsoleUser]) -> None:
    late, empty, user = bureau
    assert "Details missing: CPF submission number" in row_of(user, late)
    assert "Details missing" not in row_of(user, empty), "it has no employees"
    assert companies_of(user, "show=details") == ["Tampines Bakery"]
    home = f"/companies/{late.id}"
    assert "The CPF submission number is missing" in page_text(user.get(home))
    late.hire(payment_method="eft_manual", bank_account=BANK_ACCOUNT)
    assert "Details missing: Bank account, CPF submission number" in row_of(user, late)
    [link] = re.findall(rf'href="({home}/details[^"]+)"', user.get("/companies?show=details").text)
    assert link == f"{home}/details?return_to=/companies%3Fshow%3Ddetails#bank_account"
    page = user.get(link)
    assert "Save and return to the companies" in page_text(page)
    assert 'id="bank_account"' in page.text
    assert 'name="return_to" value="/companies?show=details"' in page.text
    body = {"cpf_submission_number": "202699999EPTE01"}
    assert late.member.patch(f"/clients/{late.id}", body).status_code == 200
    assert "Details missing: Bank account" in row_of(user, late)
    assert "CPF submission number" not in row_of(user, late)
    assert "CPF submission number is missing" not in page_text(user.get(home))
    viewer = signed_in_user(late.member.colleague(late.id, "viewer"))
    assert f'href="{home}/settings">Details missing' in viewer.get("/companies").text


def test_companies_are_searched_sorted_and_filtered(bureau: tuple[Company, Company, ConsoleUser]) -> None:
    _, _, user = bureau
    assert companies_of(user) == ["Queenstown Clinic", "Tampines Bakery"]
    assert re.findall(r'href="([^"]*sort=-headcount)">Employees', user.get("/companies").text)
    assert companies_of(user, "sort=-headcount") == ["Tampines Bakery", "Queenstown Clinic"]
    assert companies_of(user, "sort=-name") == ["Tampines Bakery", "Queenstown Clinic"]
    assert companies_of(user, "sort=nonsense&page=x") == ["Queenstown Clinic", "Tampines Bakery"]
    assert companies_of(user, "show=attention") == ["Tampines Bakery"]
    assert companies_of(user, "search=clin") == ["Queenstown Clinic"]
    assert companies_of(user, f"search={UEN[:6]}") == ["Queenstown Clinic"]
    assert "No matching companies" in page_text(user.get("/companies?search=nothing"))


def test_companies_that_need_attention_are_listed_by_what_is_most_overdue(service: Service) -> None:
    member = service.new_account()
    names = ("Ang Mo Kio Clinic", "Bedok Tailors", "Changi Cafe", "Dover Books")
    companies = [Company.of(member, name=name) for name in names]
    month = Month.from_date(clock.today())
    for company, ago in zip(companies, (1, 2, 3), strict=False):
        hired(company, appointment_date=str((month - ago).first_day))
        run_id = paid(company, str((month - ago).last_day))
        if ago < 3:
            done(company, run_id, "mark_paid")
    user = signed_in_user(member)
    listed_names = ["Changi Cafe", "Bedok Tailors", "Ang Mo Kio Clinic"]
    assert companies_of(user, "show=attention") == listed_names
    assert companies_of(user, "show=attention&sort=-next_step") == listed_names[::-1]
    assert companies_of(user, "show=attention&sort=name") == listed_names[::-1]
    assert companies_of(user, "sort=next_step") == [*listed_names, "Dover Books"]
    assert companies_of(user) == list(names)
    page = user.get("/companies?show=attention").text
    assert '<th scope="col" aria-sort="ascending"><a href="/companies?show=attention&amp;sort=-next_step">' in page
    assert '<input type="hidden" name="sort"' not in page


def test_companies_of_the_same_name_are_listed_with_their_uen(bureau: tuple[Company, Company, ConsoleUser]) -> None:
    bakery, clinic, user = bureau
    assert "UEN" not in row_of(user, clinic)
    other = Company.of(bakery.member, name="Queenstown Clinic", uen="202699998N")
    assert f"UEN {UEN}" in row_of(user, clinic)
    assert "UEN 202699998N" in row_of(user, other)


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


def test_companies_are_filtered_by_what_is_late(bureau: tuple[Company, Company, ConsoleUser]) -> None:
    _, empty, user = bureau
    names = ("late_runs", "unpaid", "unreleased", "late_filings")
    for name in names:
        assert companies_of(user, f"show={name}") == ["Tampines Bakery"]
    assert companies_of(user, "show=not_set_up") == ["Queenstown Clinic"]
    assert companies_of(user, "show=approvals") == []
    # Filters without any company are not offered.
    options = re.findall(r'<option value="(\w+)"[^>]*>[^<]*\((\d+)\)</option>', user.get("/companies").text)
    assert options == [(name, "1") for name in ("attention", *names, "details", "not_set_up")]
    officer = require_approval(empty)
    hired(empty, appointment_date=str(clock.today()))
    [employee] = empty.listed()
    account = {"employee": {"payment_method": "eft_manual", "bank_account": BANK_ACCOUNT}}
    path = f"/employees/{employee['id']}"
    assert empty.member.patch(path, account).status_code == 202
    assert companies_of(user, "show=approvals") == []
    assert row_of(user, empty).endswith("1 of yours awaits another person")
    assert "1 request of yours awaits another person" in page_text(user.get(f"/companies/{empty.id}"))
    assert "request awaits approval" not in page_text(user.get(f"/companies/{empty.id}"))
    account["employee"]["bank_account"] = {**BANK_ACCOUNT, "account_number": "0119988776", "branch_code": "011"}
    assert officer.patch(path, account).status_code == 202
    assert companies_of(user, "show=approvals") == ["Queenstown Clinic"]
    assert row_of(user, empty).endswith("1 to approve")
    assert f'href="/companies/{empty.id}/approvals"' in user.get("/companies").text


def test_search_finds_pages_people_companies_and_actions(bureau: tuple[Company, Company, ConsoleUser]) -> None:
    late, empty, user = bureau
    [employee] = late.listed()
    # Also from another company of the user.
    assert found(user, f"company={empty.id}&q=siti+am") == {
        f"/employees/{employee['id']}": "Siti Aminah 1 · Tampines Bakery"
    }
    assert found(user, f"company={late.id}&q=add")[f"/companies/{late.id}/employees/new"] == "Add employee"
    assert found(user, f"company={late.id}&q=audit") == {
        f"/companies/{late.id}/settings/changes": "Audit log",
        "/account/changes": "Account changes",
    }
    assert found(user, "q=queens") == {f"/companies/{empty.id}": "Queenstown Clinic Owner"}
    assert found(user, f"q={UEN.lower()}") == {f"/companies/{empty.id}": "Queenstown Clinic Owner"}
    assert set(found(user, "only=companies")) == {f"/companies/{late.id}", f"/companies/{empty.id}"}
    for path in found(user, f"company={late.id}"):
        assert user.get(path).status_code == 200, path
    assert "Nothing found" in page_text(user.get("/search?q=zzz"))


def test_search_says_how_many_companies_it_leaves_out(bureau: tuple[Company, Company, ConsoleUser]) -> None:
    late, _, user = bureau
    assert "more compan" not in page_text(user.get("/search?only=companies"))
    for number in range(11):
        Company.of(late.member, name=f"Simei Traders {number}")
    assert len(found(user, "only=companies")) == 12
    assert "1 more company. Type a name or UEN to find it" in page_text(user.get("/search?only=companies"))
    for number in range(11, 14):
        Company.of(late.member, name=f"Simei Traders {number}")
    assert "4 more companies. Type a name or UEN to find them" in page_text(user.get("/search"))
    page = page_text(user.get("/search?only=companies&q=simei"))
    assert "2 more companies. Type more of the name to find them" in page
    assert "Companies, by name or UEN" in page


def test_search_lists_a_company_of_the_name_before_pages_of_others(
    bureau: tuple[Company, Company, ConsoleUser],
) -> None:
    bakery, _, user = bureau
    tours = Company.of(bakery.member, name="Tampines Tours")
    results = list(found(user, "q=tampines+ba"))
    assert results[0] == f"/companies/{bakery.id}"
    assert f"/companies/{tours.id}/payment_runs" in results


def test_search_lists_people_by_their_names_first(bureau: tuple[Company, Company, ConsoleUser]) -> None:
    late, empty, user = bureau
    late.hire(first_name="Aaron", last_name="Lim", job_title="Accountant")
    late.hire(first_name="Adam", last_name="Stanley")
    late.hire(first_name="Wei Ling", last_name="Tan")
    hired(empty, first_name="Tanya", last_name="Goh")
    names = [text.split(" · ")[0].rstrip("0123456789 ") for text in found(user, f"company={late.id}&q=TAN").values()]
    assert names == ["Wei Ling Tan", "Tanya Goh", "Aaron Lim", "Adam Stanley"]


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("cpf", "/filings"),
        ("levy", "/filings"),
        ("template", "/settings/payslip_template"),
        ("overtime", "/bulk_input"),
        ("working hours", "/employees"),
        ("weekly", "/waves/new"),
        ("logo", "/settings/payslip_options"),
        ("late", "/filings"),
        ("leave", "/leave"),
        ("release", "/payment_runs"),
        ("finalise", "/payment_runs"),
        ("pay run", "/payment_runs"),
        ("salary", "/employees"),
    ],
)
def test_pages_are_found_by_what_is_on_them(company: Company, query: str, path: str) -> None:
    assert f"/companies/{company.id}{path}" in found(signed_in_user(company.member), f"company={company.id}&q={query}")


def test_the_work_of_all_companies_and_the_own_sign_in_are_found(company: Company) -> None:
    user = signed_in_user(company.member)
    for query, path in {
        "cpf": "/companies?show=late_filings",
        "late": "/companies?show=attention",
        "waiting": "/companies?show=attention",
        "unpaid": "/companies?show=attention",
        "open pay run": "/companies?sort=pay_date",
        "finalise": "/companies?sort=pay_date",
        "leave": "/companies?show=approvals",
        "not released": "/companies?show=unreleased",
        "overdue payments": "/companies?show=unpaid",
        "unpaid wages": "/companies?show=unpaid",
        "late pay run": "/companies?show=late_runs",
        "email": "/email",
        "sessions": "/devices",
        "passkey": "/passkeys",
    }.items():
        assert path in found(user, f"q={query}"), query
        assert user.get(path).status_code == 200, path


def test_a_company_and_a_page_are_found_together(bureau: tuple[Company, Company, ConsoleUser]) -> None:
    late, empty, user = bureau
    filings = {f"/companies/{late.id}/filings": "Filings Tampines Bakery"}
    assert found(user, "q=tampines+filings") == filings
    assert found(user, f"company={empty.id}&q=cpf+bakery").items() >= filings.items()


def test_every_settings_page_is_found_by_its_name(company: Company) -> None:
    user = signed_in_user(company.member)
    page = user.get(f"/companies/{company.id}/settings").text
    pages = dict(re.findall(r'<a class="card link" href="([^"]*)"><span><strong>([^<]*)<', page))
    assert len(pages) > 10
    assert pages.items() <= found(user, f"company={company.id}").items()


def test_search_shows_only_what_the_user_may_see(
    bureau: tuple[Company, Company, ConsoleUser], company: Company
) -> None:
    late, _, _ = bureau
    foreign = signed_in_user(company.member)
    assert "Siti" not in str(found(foreign, f"company={late.id}&q=siti"))
    viewer = signed_in_user(late.member.colleague(late.id, "viewer"))
    assert "Add employee" not in found(viewer, f"company={late.id}").values()
    employee_id = late.listed()[0]["id"]
    employee = signed_in_user(late.member.colleague(late.id, "employee", employee_id))
    assert employee.get("/search?q=siti").status_code == 404


def test_the_fields_that_a_bank_requires_are_marked(owner: ConsoleUser) -> None:
    page = owner.get("/companies/new").text
    for field in ("bank_id", "account_number", "branch_code"):
        label = re.search(rf'<label for="bank_account-{field}">(.*?)</label>', page)
        assert label
        assert 'data-required-if="bank_account.bank_id=*"' in label[1]
