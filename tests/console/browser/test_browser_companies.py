"""The list of companies in Chromium: selecting rows, totals, and names beside long tags."""

from dataclasses import replace

import pytest
from playwright.sync_api import Browser, expect

from gaji.core import clock
from gaji.law.months import Month
from tests.console.browser.windows import open_window
from tests.payroll.payment_runs.runs import done, hired, opened, paid, payslips
from tests.payroll.payslips.slips import enter
from tests.support.company import Company
from tests.support.running import Service

pytestmark = pytest.mark.slow

HEADER_TOP = "document.querySelector('table.companies thead th').getBoundingClientRect().top"
PAGE_OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
OVERFLOW = "region => region.scrollWidth - region.clientWidth"
CUT_TAGS = """tags => {
    const right = element => element.getBoundingClientRect().right;
    return tags.filter(tag => right(tag) > right(tag.closest("th, td"))).map(tag => tag.textContent);
}"""


@pytest.mark.parametrize("width", [1440, 390])
def test_companies_are_selected_by_range_and_all_at_once(browser: Browser, service: Service, width: int) -> None:
    member = service.new_account()
    companies = [Company.of(member, name=f"Kopi Trading and Catering Services {number} Pte Ltd") for number in range(9)]
    hired(companies[0])
    window = open_window(browser, service.url, width=width)
    window.sign_in(member)
    page = window.page
    window.go("/companies")
    boxes = page.locator("tbody input[type=checkbox]")
    everything = page.get_by_role("checkbox", name="Select all", exact=True)
    boxes.nth(1).click()
    boxes.nth(4).click(modifiers=["Shift"])
    expect(page.get_by_role("status").filter(has_text="4 selected")).to_be_visible()
    boxes.nth(2).click(modifiers=["Shift"])
    expect(page.get_by_role("status").filter(has_text="1 selected")).to_be_visible()
    if width == 1440:
        expect(everything).to_have_js_property("indeterminate", True)
        everything.click()
        expect(page.get_by_role("status").filter(has_text="9 selected")).to_be_visible()
        expect(page.locator("tbody input[type=checkbox]:checked")).to_have_count(9)
        everything.click()
        expect(page.get_by_text("Selected companies")).to_be_visible()
    else:
        expect(everything).to_be_hidden()
    assert page.evaluate(PAGE_OVERFLOW) <= 0
    window.context.close()


def test_the_header_of_the_companies_stays_in_view(browser: Browser, service: Service) -> None:
    member = service.new_account()
    for number in range(30):
        Company.of(member, name=f"Kopi Trading {number} Pte Ltd")
    window = open_window(browser, service.url, width=1440)
    window.sign_in(member)
    window.go("/companies")
    window.page.get_by_text("Kopi Trading 29 Pte Ltd", exact=True).scroll_into_view_if_needed()
    assert window.page.evaluate("window.scrollY") > 0
    assert abs(window.page.evaluate(HEADER_TOP)) < 2
    window.context.close()


def test_totals_follow_the_selection(browser: Browser, service: Service) -> None:
    member = service.new_account()
    companies = [Company.of(member, name=name) for name in ("Tampines Bakery", "Yishun Clinic")]
    for company, salary in zip(companies, ("4200.00", "3000.00"), strict=True):
        hired(company, salary)
        opened(company)
    window = open_window(browser, service.url)
    window.sign_in(member)
    ids = "".join(f"&client_id={company.id}" for company in companies)
    window.go(f"/companies/steps?step=finalise{ids}")
    total = window.page.locator("tfoot tr")
    expect(total).to_contain_text("Total of 2 selected pay runs")
    expect(total).to_contain_text("$7,200.00")
    window.page.get_by_role("checkbox", name="Tampines Bakery").click()
    expect(total).to_contain_text("Total of 1 selected pay run")
    expect(total).to_contain_text("$3,000.00")


def test_a_table_with_many_tags_is_as_wide_as_its_card(browser: Browser, service: Service) -> None:
    member = service.new_account()
    company, _ = (Company.of(member, name=f"Kopi Trading and Catering Services {name} Pte Ltd") for name in "AB")
    months = [Month.from_date(clock.today()) - ago for ago in (2, 1)]
    employee_id = hired(company, appointment_date=str(months[0].first_day))
    run_ids = [paid(company, str(month.last_day)) for month in months]
    assert member.patch(f"/payment_runs/{run_ids[0]}", {"posted_to_accounting_system": True}).status_code == 200
    once_off_id = opened(company, str(months[1].last_day), special=True, employee_ids=[employee_id])
    [payslip] = payslips(company, once_off_id)
    enter(company, f"payslips/{payslip['id']}", "bonus", amount="500.00")
    done(company, once_off_id, "finalise")
    opened(company, str(months[1].last_day), special=True, employee_ids=[employee_id])
    window = open_window(browser, service.url, width=1440)
    window.sign_in(member)
    window.go("/companies")
    expect(window.page.get_by_text("Once-off not released")).to_be_visible()
    expect(window.page.get_by_text("Details missing: CPF submission number").first).to_be_visible()
    assert window.page.locator("#results .scroll").evaluate(OVERFLOW) <= 0
    assert window.page.locator("#results .badge").evaluate_all(CUT_TAGS) == []
    window.context.close()


def test_the_access_log_with_long_names_is_as_wide_as_its_card(browser: Browser, service: Service) -> None:
    company = Company.of(service.new_account())
    member = replace(company.member, email=f"payroll-{company.id}@payroll.tampines-bakery.example.com")
    service.as_owner("UPDATE users SET email = $2 WHERE email = $1", company.member.email, member.email)
    agent = {"User-Agent": "TampinesPayrollIntegration/2026.11.19-build.4711+linux.x86_64"}
    assert member.get(f"/clients/{company.id}/employees/export", headers=agent).status_code == 200
    window = open_window(browser, service.url, width=1440)
    window.sign_in(member)
    window.go("/access-log")
    assert window.page.locator("main .scroll").evaluate(OVERFLOW) <= 0
    window.context.close()
