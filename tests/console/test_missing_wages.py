"""Wages that another payroll paid earlier in the year are asked for before pay runs are finalised."""

import re
from typing import Any

import httpx
import pytest

from gaji.core import clock
from tests.console.company_steps_pages import reviewed, rows_of
from tests.console.console_user import ConsoleUser, page_text, signed_in_user
from tests.payroll.payment_runs.runs import JANUARY, done, hired, opened
from tests.payroll.payslips.slips import enter
from tests.support.company import MONTHLY, Company
from tests.support.running import Member, Service, created

OCTOBER, NOVEMBER = "2026-10-31", "2026-11-30"
MISSING = "Wages paid earlier in 2026 are missing for 1 employee"
NEEDED = "The CPF ceiling for additional wages needs them"


def company_since(member: Member, first_end: str, **client: Any) -> Company:
    """A company whose only pay schedule starts with a period."""
    client_id = member.new_client(**client)
    wave = {**MONTHLY, "first_end_date": first_end}
    return Company(member, client_id, created(member.post(f"/clients/{client_id}/waves", wave)))


@pytest.fixture
def late(service: Service) -> Company:
    """A company that is paid here from October 2026 on, with an employee of earlier service and a new one."""
    company = company_since(service.new_account(), OCTOBER, name="Late Bakery")
    hired(company, "6000.00", first_name="Old", appointment_date="2024-03-01")
    hired(company, "6000.00", first_name="New", appointment_date="2026-10-01")
    return company


def old_employee(company: Company) -> int:
    """The employee of earlier service."""
    [employee_id] = [employee["id"] for employee in company.listed() if employee["first_name"] == "Old"]
    return int(employee_id)


def save_without_amounts(user: ConsoleUser, company: Company) -> None:
    """Save the opening balances of the employee of earlier service without amounts."""
    saved = user.post(f"/employees/{old_employee(company)}/take_on/edit", {"year": "2026"})
    assert saved.status_code == 303, saved.text


def test_missing_wages_are_pointed_out_until_opening_balances_are_saved(late: Company) -> None:
    user = signed_in_user(late.member)
    run_id = opened(late, OCTOBER)
    opening = f'href="/companies/{late.id}/settings/take_on#people"'
    for path in (f"/payment_runs/{run_id}", f"/payment_runs/{run_id}/finalise"):
        page = user.get(path)
        assert f"{MISSING}." in page_text(page)
        assert opening in page.text
        assert NEEDED not in page_text(page)
    text = page_text(user.get(f"/payment_runs/{run_id}"))
    assert "Review warnings to check" in text
    assert "Check the warnings, then finalise" in text
    assert MISSING in rows_of(reviewed(user, "finalise", late))["Late Bakery"]
    done(late, run_id, "finalise")
    assert MISSING not in page_text(user.get(f"/payment_runs/{run_id}"))
    november = opened(late, NOVEMBER)
    assert MISSING in page_text(user.get(f"/payment_runs/{november}"))
    save_without_amounts(user, late)
    assert MISSING not in page_text(user.get(f"/payment_runs/{november}"))
    assert MISSING not in page_text(user.get(f"/payment_runs/{november}/finalise"))
    assert MISSING not in rows_of(reviewed(user, "finalise", late))["Late Bakery"]


def test_additional_wages_need_the_missing_wages(late: Company) -> None:
    user = signed_in_user(late.member)
    run_id = opened(late, OCTOBER)
    [payslip_id] = [
        payslip["payslip"]["id"]
        for payslip in late.member.get(f"/employees/{old_employee(late)}/payslips").json()
        if payslip["payslip"]["date"] == OCTOBER
    ]
    enter(late, f"payslips/{payslip_id}", "bonus", amount="60000.00")
    for path in (f"/payment_runs/{run_id}", f"/payment_runs/{run_id}/finalise"):
        text = page_text(user.get(path))
        assert f"{MISSING}. {NEEDED}." in text
        assert "to 1 of them" in text
    assert f"{MISSING}. {NEEDED}" in rows_of(reviewed(user, "finalise", late))["Late Bakery"]


def test_the_dashboard_asks_for_the_wages_of_this_year(service: Service) -> None:
    year = clock.today().year
    missing = f"Wages paid earlier in {year} are missing for 1 employee"
    company = company_since(service.new_account(), f"{year}-02-28")
    hired(company, first_name="Old", appointment_date=f"{year - 1}-12-01")
    user = signed_in_user(company.member)
    dashboard = f"/companies/{company.id}"
    assert missing in page_text(user.get(dashboard))
    assert "1 employee in service without amounts Missing" in page_text(user.get(f"{dashboard}/settings/take_on"))
    saved = user.post(f"/employees/{old_employee(company)}/take_on/edit", {"year": str(year)})
    assert saved.status_code == 303
    assert missing not in page_text(user.get(dashboard))


def count_tasks(listed: httpx.Response) -> int:
    """Return how many tasks the page has, after the first one, of the only company that it lists."""
    [number] = re.findall(r"and (\d+) more", page_text(listed))
    return int(number)


def test_the_list_of_companies_has_what_the_dashboard_has_of_missing_wages(service: Service) -> None:
    year, member = clock.today().year, service.new_account()
    bakery = company_since(member, f"{year}-02-28", name="Tampines Bakery")
    clinic = company_since(member, f"{year}-01-31", name="Yishun Clinic")
    for company in (bakery, clinic):
        hired(company, first_name="Old", appointment_date=f"{year - 1}-12-01")
        hired(company, first_name="Older", appointment_date=f"{year - 2}-12-01")
    user = signed_in_user(member)
    badge = f'href="/companies/{bakery.id}/settings/take_on#people">Earlier wages missing</a>'
    listed = user.get("/companies?show=earlier_wages")
    assert "Tampines Bakery" in listed.text
    assert "Yishun Clinic" not in listed.text
    assert badge in listed.text
    tasks = count_tasks(listed)
    for employee in bakery.listed():
        assert badge in user.get("/companies").text
        saved = user.post(f"/employees/{employee['id']}/take_on/edit", {"year": str(year)})
        assert saved.status_code == 303
    assert "No company is listed under" in page_text(user.get("/companies?show=earlier_wages"))
    listed = user.get("/companies?search=tampines")
    assert "Earlier wages missing" not in listed.text
    assert count_tasks(listed) == tasks - 1


@pytest.mark.parametrize("first_end", ["2026-01-31", "2025-10-31"])
def test_nothing_is_missing_if_the_year_began_here(service: Service, first_end: str) -> None:
    company = company_since(service.new_account(), first_end)
    hired(company, appointment_date="2024-03-01")
    user = signed_in_user(company.member)
    if first_end != JANUARY:
        for end in ("2025-10-31", "2025-11-30", "2025-12-31"):
            run_id = opened(company, end)
            assert "Wages paid earlier in 2025 are missing" in page_text(user.get(f"/payment_runs/{run_id}"))
            done(company, run_id, "finalise")
    run_id = opened(company, JANUARY)
    assert "Wages paid earlier" not in page_text(user.get(f"/payment_runs/{run_id}"))
    assert "Wages paid earlier" not in page_text(user.get(f"/companies/{company.id}"))
