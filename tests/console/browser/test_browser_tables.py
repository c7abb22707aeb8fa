"""Tables by keyboard alone, in Chromium: search, sort and header."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.console.browser.windows import BrowserWindow, open_window
from tests.support.company import Company
from tests.support.running import Service

pytestmark = pytest.mark.slow

MAX_TABS = 60
FIELDS = 30
HEADER_IS_IN_VIEW = """region => {
    region.scrollTop = region.scrollHeight;
    const header = region.querySelector("thead th").getBoundingClientRect();
    return region.scrollTop > 0 && Math.abs(header.top - region.getBoundingClientRect().top) < 2;
}"""


def press_until_focused(page: Page, text: str) -> None:
    """Press Tab until a link in the header of a table has the focus."""
    for _ in range(MAX_TABS):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('thead a') && document.activeElement.textContent") == text:
            return
    raise AssertionError(f"{text} cannot be reached with the keyboard")


@pytest.mark.parametrize("width", [1440, 390])
def test_a_table_is_searched_and_sorted_with_the_keyboard(
    browser: Browser, service: Service, company: Company, width: int
) -> None:
    for number in range(1, FIELDS + 1):
        company.field(name=f"Locker {number}" if number > 2 else f"Umbrella {number}", type="text")
    window = open_window(browser, service.url, width=width)
    window.sign_in(company.member)
    page = window.page
    window.go(f"/companies/{company.id}/settings/custom_fields")
    rows = page.locator("#results tbody tr")
    expect(rows).to_have_count(FIELDS)
    assert page.locator("#results .scroll").evaluate(HEADER_IS_IN_VIEW)

    press_until_focused(page, "Name")
    page.keyboard.press("Enter")
    expect(page.locator("th[aria-sort=ascending]")).to_have_text("Name ↑")
    expect(rows.nth(1)).to_contain_text("Locker 4")
    press_until_focused(page, "Name ↑")
    page.keyboard.press("Enter")
    expect(page.locator("th[aria-sort=descending]")).to_have_text("Name ↓")
    expect(rows.nth(2)).to_contain_text(f"Locker {FIELDS}")

    page.keyboard.press("/")
    expect(page.get_by_role("searchbox", name="Search")).to_be_focused()
    page.keyboard.type("umb")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("Umbrella 2")

    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog", name="Command palette")).to_be_visible()
    window.context.close()
    assert window.page_errors == []


def test_the_audit_log_is_sorted_with_the_keyboard(owner_window: BrowserWindow, company: Company) -> None:
    page = owner_window.page
    company.field(name="Locker", type="text")
    company.field(name="Umbrella", type="text")
    owner_window.go(f"/companies/{company.id}/settings/changes?kind=custom_employee_fields")
    rows = page.locator("tbody tr")
    expect(rows.first).to_contain_text("Umbrella")
    press_until_focused(page, "When")
    page.keyboard.press("Enter")
    expect(page.locator("th[aria-sort=descending]")).to_have_text("When ↓")
    press_until_focused(page, "When ↓")
    page.keyboard.press("Enter")
    expect(page.locator("th[aria-sort=ascending]")).to_have_text("When ↑")
    expect(rows.first).to_contain_text("Locker")
