"""A month with two people in a real browser: one requests, the other approves, also on a phone without scripts."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.approvals.second_person import NEW, TwoPeople, two_people
from tests.console.browser.windows import BrowserWindow, open_window
from tests.payroll.payment_runs.runs import opened, read
from tests.support.running import Member, Service

pytestmark = pytest.mark.slow


@pytest.fixture
def people(service: Service) -> TwoPeople:
    """A company that requires approval."""
    return two_people(service.new_account())


@pytest.fixture
def officer(browser: Browser, service: Service, people: TwoPeople) -> Iterator[BrowserWindow]:
    """The wide window of the officer, who requests."""
    yield from signed_in(open_window(browser, service.url, width=1440), people.officer)


@pytest.fixture
def owner(browser: Browser, service: Service, people: TwoPeople) -> Iterator[BrowserWindow]:
    """The phone of the owner, who approves without scripts."""
    yield from signed_in(open_window(browser, service.url, width=390, scripts=False), people.owner)


def signed_in(window: BrowserWindow, member: Member) -> Iterator[BrowserWindow]:
    window.sign_in(member)
    yield window
    window.context.close()
    assert window.page_errors == []


def approve(owner: BrowserWindow, people: TwoPeople, reason: str) -> None:
    """Find what is pending from the dashboard, and approve it."""
    page = owner.page
    page.goto(f"/companies/{people.company.id}")
    attention = page.locator("section", has=page.get_by_role("heading", name="Needs attention"))
    attention.get_by_role("link", name="Review").last.click()
    page.get_by_label("Reason").fill(reason)
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_role("status")).to_have_text("Request approved")


def test_two_people_change_an_account_and_pay_a_run(
    people: TwoPeople, officer: BrowserWindow, owner: BrowserWindow
) -> None:
    page = officer.page
    page.goto(f"/employees/{people.employee_id}/edit")
    page.get_by_label("Account number").fill(NEW["account_number"])
    page.get_by_label("Branch code").fill(NEW["branch_code"])
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("Another person has to approve the bank account")
    expect(page.get_by_role("heading", name="Bank account of Mei Ling Tan")).to_be_visible()
    expect(page.get_by_role("button", name="Approve")).to_have_count(0)
    approve(owner, people, "She sent a bank statement")
    assert people.account() == NEW

    run_id = opened(people.company)
    page.goto(f"/payment_runs/{run_id}")
    page.get_by_role("link", name="Request approval…").click()
    page.get_by_role("button", name="Request approval").click()
    expect(page.get_by_role("status")).to_contain_text("Another person has to approve the pay run")
    assert not read(people.company, run_id)["finalised"]
    approve(owner, people, "Compared with last month")
    assert read(people.company, run_id)["finalised"]

    page.goto(f"/payment_runs/{run_id}/files")
    expect(page.get_by_role("button", name="Download")).to_have_count(0)
    expect(page.get_by_role("button", name="Request approval")).to_have_count(0)
    page.get_by_label("Value date for the bank").fill("2199-12-30")
    page.get_by_role("button", name="Show in the files").click()
    page.get_by_role("button", name="Request approval").first.click()
    expect(page.get_by_role("status")).to_contain_text("Then it can be downloaded")
    approve(owner, people, "Right total and date")
    page.goto(f"/payment_runs/{run_id}/files")
    page.get_by_role("link", name="Show that file").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").first.click()
    assert download.value.suggested_filename


def test_an_employee_requests_a_change_on_a_phone(
    browser: Browser, service: Service, people: TwoPeople, owner: BrowserWindow
) -> None:
    employee = people.owner.colleague(people.company.id, "employee", people.employee_id)
    phone = open_window(browser, service.url, width=390)
    phone.sign_in(employee)
    page = phone.page
    page.goto(f"/own/{people.employee_id}/details")
    page.get_by_role("link", name="Request a change").click()
    page.get_by_label("Account number").fill(NEW["account_number"])
    page.get_by_label("Branch code").fill(NEW["branch_code"])
    page.get_by_role("button", name="Send request").click()
    expect(page.get_by_role("status")).to_contain_text("Request sent")
    expect(page.get_by_text("Awaits approval")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    approve(owner, people, "Called her")
    assert people.account()["account_number"] == NEW["account_number"]
    page.reload()
    expect(page.get_by_text("Awaits approval")).to_have_count(0)
    phone.context.close()
    assert phone.page_errors == []
