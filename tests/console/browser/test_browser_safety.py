"""Questions, refusals, unsaved entries and ended sessions in Chromium."""

import re

import pytest
from playwright.sync_api import Browser, expect

from tests.console.browser.accessibility import BOTH, page_problems
from tests.console.browser.windows import open_window
from tests.console.console_user import PASSWORD, end_sessions
from tests.payroll.payment_runs.runs import hired
from tests.support.company import Company

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_is_lost_by_one_click(browser: Browser, company: Company, width: int) -> None:
    employee_id = hired(company)
    window = open_window(browser, company.member.service.url, width=width)
    window.sign_in(company.member)
    page = window.page
    window.go(f"/employees/{employee_id}?tab=pay")
    page.get_by_role("button", name="Remove… Basic salary").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Remove this pay item?")
    assert page_problems(page, *BOTH) == []
    page.keyboard.press("Escape")  # closes the account menu, which the check has opened
    page.get_by_role("link", name="Cancel").click()
    page.get_by_role("button", name="Remove… Basic salary").click()
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_role("status")).to_contain_text("Pay item removed")

    window.go(f"/companies/{company.id}/settings")
    page.get_by_role("button", name=re.compile("Delete Monthly")).click()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing has been changed")
    expect(page.get_by_role("heading", level=1)).to_have_text("Settings")

    window.go(f"/companies/{company.id}/pay_points/new")
    name = page.get_by_role("textbox", name="Name *", exact=True)
    name.fill("Changi")
    page.once("dialog", lambda dialog: dialog.dismiss())
    with page.expect_event("dialog", lambda dialog: dialog.type == "beforeunload"):
        page.get_by_role("link", name="Cancel").click(no_wait_after=True)
    expect(name).to_have_value("Changi")

    end_sessions(company.member.service)
    page.get_by_role("button", name="Save").click()
    page.get_by_label("Email").fill(company.member.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your entries are back")
    expect(page.get_by_role("main")).to_contain_text("Changi")
    assert page_problems(page, *BOTH) == []
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("status")).to_contain_text("Pay point added")
    pay_points = company.member.get(f"/clients/{company.id}/pay_points").json()
    assert "Changi" in [element["pay_point"]["name"] for element in pay_points]
    window.context.close()
    assert window.page_errors == []
