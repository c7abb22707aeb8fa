"""The list of companies and the command palette in Chromium, by keyboard alone."""

import re

import pytest
from playwright.sync_api import Browser, expect

from tests.console.browser.accessibility import BOTH, page_problems
from tests.console.browser.windows import open_window
from tests.support.company import Company
from tests.support.running import Service

pytestmark = pytest.mark.slow

ALL_ROWS_ARE_IN_VIEW = """region =>
    getComputedStyle(region).maxHeight === "none" && region.scrollWidth <= region.clientWidth"""


def test_the_switcher_says_how_many_companies_it_leaves_out(browser: Browser, service: Service) -> None:
    member = service.new_account()
    companies = [Company.of(member, name=f"Simei Traders {number:02}") for number in range(15)]
    window = open_window(browser, service.url)
    window.sign_in(member)
    page = window.page
    page.goto(f"{service.url}/companies/{companies[0].id}")
    page.get_by_role("link", name="Switch", exact=True).click()
    palette = page.get_by_role("dialog", name="Command palette")
    expect(palette.get_by_placeholder("Company name or UEN")).to_be_focused()
    expect(palette.get_by_role("option")).to_have_count(12)
    expect(palette.get_by_role("status")).to_have_text("3 more companies. Type a name or UEN to find them")
    assert page_problems(page, *BOTH) == []
    page.keyboard.type("14")
    expect(palette.get_by_role("option")).to_have_count(1)
    expect(palette.get_by_role("status")).to_be_hidden()
    page.keyboard.type("x")
    expect(palette.get_by_role("status")).to_contain_text("Nothing found. Try the beginning of a name, or a UEN.")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    expect(palette.get_by_placeholder("Search for pages, people, companies and actions")).to_be_focused()
    window.context.close()
    assert window.page_errors == []


@pytest.mark.parametrize("width", [1440, 390])
def test_a_bureau_moves_between_companies_people_and_actions(browser: Browser, service: Service, width: int) -> None:
    member = service.new_account()
    bakery = Company.of(member, name="Tampines Bakery")
    clinic = Company.of(member, name="Queenstown Clinic")
    employee_id = bakery.hire(first_name="Siti", last_name="Aminah")
    window = open_window(browser, service.url, width=width)
    window.sign_in(member)
    page = window.page
    assert page.locator("#results .scroll").evaluate(ALL_ROWS_ARE_IN_VIEW)
    page.get_by_label("Search").first.focus()
    page.keyboard.type("clin")
    expect(page.locator("#results tbody tr")).to_have_count(1)
    page.get_by_role("link", name="Queenstown Clinic").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/companies/{clinic.id}")
    page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog", name="Command palette")
    field = palette.get_by_role("combobox")
    expect(field).to_be_focused()
    page.keyboard.type("siti")
    expect(palette.get_by_role("option")).to_have_count(1)
    assert page_problems(page, *BOTH) == []
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/employees/{employee_id}")
    page.keyboard.press("Control+k")
    expect(palette.get_by_role("option", selected=True)).to_contain_text("Dashboard")
    page.keyboard.press("ArrowDown")
    expect(palette.get_by_role("option", selected=True)).to_contain_text("Employees")
    page.keyboard.type("queens")
    expect(palette.get_by_role("option")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(field).to_be_hidden()
    page.get_by_role("link", name="Switch").focus()
    page.keyboard.press("Enter")
    expect(palette.get_by_role("option")).to_have_text([re.compile("Queenstown Clinic"), re.compile("Tampines Bakery")])
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/companies/{clinic.id}")
    window.context.close()
    assert window.page_errors == []
