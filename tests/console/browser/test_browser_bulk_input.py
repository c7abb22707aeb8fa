"""The bulk input grid in Chromium, with the keyboard alone."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.console.browser.accessibility import BOTH, page_problems
from tests.console.browser.windows import open_window
from tests.console.console_user import PASSWORD
from tests.payroll.payment_runs.runs import hired
from tests.payroll.payslips.slips import enter
from tests.support.company import Company

pytestmark = pytest.mark.slow

COLUMNS = "input=calc.bonus.amount&input=calc.reimbursement.amount"


def press(page: Page, *keys: str) -> None:
    """Press keys one after another. Text is typed."""
    for key in keys:
        if re.fullmatch(r"[\d.]+", key):
            page.keyboard.type(key)
        else:
            page.keyboard.press(key)


def values(page: Page) -> list[list[str]]:
    """The text of all cells, by row."""
    result: list[list[str]] = page.evaluate(
        "[...document.querySelectorAll('#sheet tbody tr')]"
        ".map((row) => [...row.querySelectorAll('input')].map((input) => input.value))"
    )
    return result


def bonuses(company: Company, ids: list[int]) -> list[str | None]:
    """The bonus on the draft of each employee."""
    drafts = [
        company.member.get(f"/employees/{employee_id}/payslips").json()[0]["payslip"]["id"] for employee_id in ids
    ]
    payslips = [company.member.get(f"/payslips/{draft_id}").json()["payslip"] for draft_id in drafts]
    return [dict(payslip["income"]).get("bonus") for payslip in payslips]


@pytest.mark.parametrize("width", [1440, 390])
def test_the_grid_works_like_a_spreadsheet(browser: Browser, company: Company, width: int) -> None:
    ids = [hired(company, first_name=name) for name in ("Ali", "Bala", "Chen")]
    [draft] = company.member.get(f"/employees/{ids[1]}/payslips").json()
    enter(company, f"payslips/{draft['payslip']['id']}", "bonus", amount="700.00")
    enter(company, f"employees/{ids[2]}", "reimbursement", amount="45.00")
    window = open_window(browser, company.member.service.url, width=width)
    window.context.grant_permissions(["clipboard-read", "clipboard-write"])
    window.sign_in(company.member)
    page = window.page
    page.on("dialog", lambda dialog: dialog.accept())
    address = f"/companies/{company.id}/bulk_input?wave={company.wave_id}&{COLUMNS}"
    window.go(address)
    assert values(page) == [["", ""], ["700.00", ""], ["", ""]]
    expect(page.locator("#sheet input").last).to_have_attribute("placeholder", "45.00")

    page.locator("#sheet input").first.focus()
    press(page, "100", "ArrowRight", "20.5", "ArrowLeft", "Shift+ArrowRight")
    expect(page.locator("#selection")).to_have_text("2 cells selected, sum 120.5")
    press(page, "Shift+ArrowDown", "Shift+ArrowDown", "Control+d")
    assert values(page) == [["100", "20.5"]] * 3
    press(page, "Control+z")
    assert values(page) == [["100", "20.5"], ["700.00", ""], ["", ""]]
    press(
        page,
        "Control+y",
        "Control+z",
        "Control+Home",
        "Shift+ArrowRight",
        "Control+c",
        "Control+End",
        "ArrowLeft",
        "Control+v",
    )
    assert values(page) == [["100", "20.5"], ["700.00", ""], ["100", "20.5"]]
    press(page, "Control+Home", "ArrowDown", "Delete", "ArrowRight", "5", "Escape", "F2", "3", "Enter")
    assert values(page) == [["100", "20.5"], ["", "3"], ["100", "20.5"]]
    expect(page.locator("#status")).to_have_text("6 cells to save")
    assert page_problems(page, *BOTH) == []

    page.context.clear_cookies()
    press(page, "Control+s")
    expect(page.locator("#status")).to_contain_text("Your session has ended")
    page.get_by_role("link", name="Sign in").focus()
    press(page, "Enter")
    page.get_by_label("Email").fill(company.member.email)
    page.get_by_label("Password").fill(PASSWORD)
    press(page, "Enter")
    expect(page.locator("#restored-text")).to_have_text("6 cells restored.")
    assert values(page) == [["100", "20.5"], ["", "3"], ["100", "20.5"]]
    page.locator("#sheet input").first.focus()
    press(page, "Control+s")
    expect(page.locator("#status")).to_have_text("6 cells saved")
    assert bonuses(company, ids) == ["100.00", None, "100.00"]
    window.go(address)
    assert values(page) == [["100.00", "20.50"], ["", "3.00"], ["100.00", "20.50"]]
    assert page.evaluate("localStorage.length") == 0
    window.context.close()
    assert window.page_errors == []
