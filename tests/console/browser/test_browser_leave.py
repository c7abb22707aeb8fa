"""Leave of an employee in a real browser: record, cancel and change days."""

from playwright.sync_api import expect

from tests.console.browser.windows import BrowserWindow
from tests.leave.people import OnLeave
from tests.support.company import Company


def test_an_officer_cancels_a_day_and_makes_another_a_half_day(owner_window: BrowserWindow, company: Company) -> None:
    person = OnLeave.hired(company)
    page = owner_window.page
    page.goto(f"/employees/{person.id}?tab=leave")
    expect(page.get_by_label("Hours", exact=True)).to_be_hidden()
    page.get_by_label("Leave type").select_option(label="Unpaid leave")
    page.get_by_label("First day").fill("2026-03-02")
    page.get_by_label("Last day").fill("2026-03-04")
    page.get_by_role("button", name="Record").click()
    expect(page.get_by_role("status")).to_contain_text("3 days of leave recorded")
    page.get_by_label("Choose 3 Mar 2026, unpaid leave").check()
    page.get_by_role("button", name="Cancel chosen days").click()
    expect(page.get_by_role("status")).to_contain_text("1 day of leave cancelled")
    page.get_by_role("link", name="Change 4 Mar 2026").click()
    page.get_by_label("Time").select_option(label="Half day")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("Leave day changed")
    assert [(day["date"], day["days"]) for day in person.listed()] == [("2026-03-02", 1), ("2026-03-04", 0.5)]
