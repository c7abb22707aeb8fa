"""Filings of companies that are late or due, and tax clearance of leavers."""

import re
from datetime import date, timedelta

from gaji.console.formats import format_day
from gaji.core import clock
from gaji.core.law_loader import current_law
from gaji.law.tax import clearance_filing_due
from tests.console.company_list_page import companies_of, row_of
from tests.console.console_user import ConsoleUser, page_text
from tests.documents.tax_certificates.certificate_client import generate_and_release
from tests.payroll.payment_runs.runs import hired, paid, payslips
from tests.support.company import Company, of_status
from tests.support.running import created


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
