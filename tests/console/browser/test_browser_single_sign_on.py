"""Single sign-on in a real browser, from the settings to the session."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.console.browser.accessibility import DARK_AND_NARROW, LIGHT_AND_WIDE, page_problems
from tests.console.browser.windows import BrowserWindow
from tests.support.company import Company
from tests.support.identity_provider import CLIENT_ID, CLIENT_SECRET, IdentityProvider, Person, running_provider


@pytest.fixture
def provider(company: Company) -> Iterator[IdentityProvider]:
    """A provider at which the administrator signs in with a button."""
    with running_provider() as running:
        running.person, running.asks = Person(company.member.email), True
        yield running


def save_settings(page: Page, provider: IdentityProvider) -> None:
    for label, text in (("Issuer", provider.issuer), ("Client ID", CLIENT_ID), ("Client secret", CLIENT_SECRET)):
        page.get_by_label(label).fill(text)
    page.get_by_label("Turn on single sign-on").check()
    page.get_by_role("button", name="Save").click()


def test_single_sign_on_is_set_up_used_and_required(
    owner_window: BrowserWindow, company: Company, provider: IdentityProvider
) -> None:
    page = owner_window.page
    page.locator("details.account summary").click()
    page.get_by_role("link", name="Single sign-on").click()
    page.get_by_role("button", name="Set up single sign-on").click()
    expect(page.locator("#redirect")).to_contain_text("/callback")
    save_settings(page, provider)
    expect(page.get_by_role("status")).to_contain_text("Single sign-on saved")
    assert page_problems(page, LIGHT_AND_WIDE, DARK_AND_NARROW) == []
    page.get_by_role("link", name="Try it yourself").click()
    page.get_by_role("button", name="Sign in as Mei").click()
    page.get_by_label("Who must use it").select_option("Everyone")
    assert page_problems(page, LIGHT_AND_WIDE, DARK_AND_NARROW) == []
    page.get_by_role("button", name="Save").last.click()
    expect(page.get_by_role("status")).to_contain_text("Single sign-on is required now")
    page.locator("details.account summary").click()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("link", name="Continue with single sign-on").click()
    page.get_by_role("button", name="Sign in as Mei").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    owner_window.go("/devices")
    expect(page.get_by_role("row", name="This device")).to_contain_text("Single sign-on")


def test_a_refused_person_reads_why(window: BrowserWindow, company: Company, provider: IdentityProvider) -> None:
    window.sign_in(company.member)
    page = window.page
    window.go("/single-sign-on")
    page.get_by_role("button", name="Set up single sign-on").click()
    save_settings(page, provider)
    provider.person = Person("stranger@example.com")
    page.get_by_role("link", name="Try it yourself").click()
    page.get_by_role("button", name="Sign in as Mei").click()
    expect(page.get_by_role("alert")).to_contain_text("ask one of its owners to invite stranger@example.com")
    assert page_problems(page, LIGHT_AND_WIDE, DARK_AND_NARROW) == []
