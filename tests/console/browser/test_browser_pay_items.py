"""Recurring and once-off pay items, and working hours, in Chromium."""

import pytest
from playwright.sync_api import Browser, expect

from tests.console.browser.windows import open_window
from tests.payroll.payment_runs.runs import hired
from tests.support.company import Company
from tests.support.running import Service

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("width", "scripts"), [(1440, True), (390, False)])
def test_pay_is_entered_as_recurring_and_once_off_items_and_a_week(
    browser: Browser, service: Service, company: Company, width: int, scripts: bool
) -> None:
    employee_id = hired(company, "4576.00")
    window = open_window(browser, service.url, scripts=scripts, width=width)
    window.sign_in(company.member)
    page = window.page
    window.go(f"/employees/{employee_id}?tab=pay")
    recurring, once_off = page.locator("#recurring"), page.locator("#once-off")
    recurring.get_by_label("Add a recurring pay item").select_option("Transport allowance")
    recurring.get_by_role("button", name="Add", exact=True).click()
    if scripts:
        expect(page.get_by_label("Amount")).to_be_focused()
    page.get_by_label("Amount").fill("150")
    page.get_by_label("Valid from").fill("2026-01-01")
    page.get_by_role("button", name="Save").click()
    expect(recurring.get_by_role("row", name="Transport allowance")).to_contain_text("1 Jan 2026")
    expect(recurring).not_to_contain_text("Overtime")

    once_off.get_by_label("Add a once-off pay item").select_option("Overtime")
    once_off.get_by_role("button", name="Add", exact=True).click()
    expect(once_off).to_contain_text("1.5 times the hourly basic rate")
    if scripts:
        expect(once_off.get_by_label("Overtime hours", exact=True)).to_be_focused()
    once_off.get_by_label("Overtime hours", exact=True).fill("10")
    once_off.get_by_role("button", name="Save").click()
    expect(once_off.get_by_role("row", name="Overtime")).to_contain_text("$360.00")

    page.get_by_role("link", name="Edit working hours").click()
    week = page.get_by_role("region", name="Working week")
    expect(week.locator("tbody tr")).to_have_count(7)
    week.get_by_label("Saturday", exact=True).select_option("Working day")
    week.get_by_label("Hours on Saturday").fill("4")
    if scripts:
        expect(week).to_contain_text("44 hours")
    page.get_by_label("Effective from").fill("2026-01-05")
    page.get_by_role("button", name="Save").click()
    hours = page.get_by_role("region", name="Working hours")
    expect(hours.get_by_role("row", name="Saturday")).to_contain_text("4")
    expect(hours.get_by_role("row", name="Week")).to_contain_text("44")
    expect(page.get_by_text("From 5 Jan 2026")).to_be_visible()
    window.context.close()
    assert window.page_errors == []
