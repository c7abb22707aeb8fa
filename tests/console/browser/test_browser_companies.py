"""The list of companies in Chromium: selecting rows, totals, and names beside long tags."""

import pytest
from playwright.sync_api import Browser, expect

from tests.console.browser.windows import open_window
from tests.payroll.payment_runs.runs import hired, opened
from tests.support.company import Company
from tests.support.running import Service

pytestmark = pytest.mark.slow

HEADER_TOP = "document.querySelector('table.companies thead th').getBoundingClientRect().top"
PAGE_OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


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
