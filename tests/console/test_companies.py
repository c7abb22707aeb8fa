"""The list of companies: what needs attention in each, filters and order."""

import re
from datetime import timedelta

import pytest

from gaji.company.clients.schemas import UNLIKELY_UEN
from gaji.company.clients.service import ClientMembership
from gaji.console.company_list import numbers_task
from gaji.console.formats import format_day
from gaji.core import clock
from gaji.core.errors import FieldError
from gaji.law.months import Month
from tests.approvals.second_person import require_approval
from tests.console.company_list_page import UEN, companies_of, row_of
from tests.console.console_user import ConsoleUser, page_text, signed_in_user
from tests.payroll.payment_runs.runs import done, hired, opened, paid
from tests.support.company import BANK_ACCOUNT, Company, of_status
from tests.support.running import Service, created


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


def test_the_fields_that_a_bank_requires_are_marked(owner: ConsoleUser) -> None:
    page = owner.get("/companies/new").text
    for field in ("bank_id", "account_number", "branch_code"):
        label = re.search(rf'<label for="bank_account-{field}">(.*?)</label>', page)
        assert label
        assert 'data-required-if="bank_account.bank_id=*"' in label[1]
