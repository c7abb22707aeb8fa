"""Passkeys in a browser with a virtual authenticator."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.console.browser.accessibility import DARK_AND_NARROW, LIGHT_AND_WIDE, page_problems
from tests.console.browser.windows import BrowserWindow, open_window
from tests.console.console_user import PASSWORD
from tests.console.test_passkeys import origin
from tests.support.running import Member

pytestmark = pytest.mark.slow


@pytest.fixture
def passkey_window(browser: Browser, account: Member) -> Iterator[BrowserWindow]:
    """A window at localhost, where passkeys work, with an authenticator that verifies its user."""
    window = open_window(browser, origin(account))
    session = window.context.new_cdp_session(window.page)
    session.send("WebAuthn.enable")
    properties = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    session.send("WebAuthn.addVirtualAuthenticator", {"options": properties})
    yield window
    window.context.close()
    assert window.page_errors == []


def sign_out(page: Page) -> None:
    page.goto("/password")
    page.locator("details.account summary").click()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/sign-in")


def sign_in_with_password(page: Page, member: Member) -> None:
    page.get_by_label("Email").fill(member.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def test_a_passkey_is_added_used_alone_and_after_the_password_and_removed(
    passkey_window: BrowserWindow, account: Member
) -> None:
    page = passkey_window.page
    passkey_window.sign_in_with_form(account)
    passkey_window.go("/passkeys")
    page.get_by_label("Name").fill("Work laptop")
    page.get_by_role("button", name="Add passkey").click()
    expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    page.get_by_role("link", name="I have saved them").click()
    expect(page.get_by_label("Name of the passkey Work laptop")).to_be_visible()
    assert page_problems(page, LIGHT_AND_WIDE, DARK_AND_NARROW) == []

    sign_out(page)
    page.get_by_role("button", name="Sign in with a passkey").click()
    page.wait_for_url(lambda url: "/sign-in" not in url)
    passkey_window.go("/passkeys")
    expect(page.get_by_text("Never")).to_have_count(0)

    sign_out(page)
    sign_in_with_password(page, account)
    expect(page.get_by_role("heading", name="Use your passkey")).to_be_visible()
    assert page_problems(page, LIGHT_AND_WIDE, DARK_AND_NARROW) == []
    page.get_by_role("button", name="Use a passkey").click()
    page.wait_for_url(lambda url: "/sign-in" not in url)

    passkey_window.go("/passkeys")
    page.get_by_role("button", name="Remove… Work laptop").click()
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_text("No passkeys yet")).to_be_visible()
    sign_out(page)
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_text("The passkey was not accepted")).to_be_visible()


def test_an_old_session_is_confirmed_with_a_passkey(passkey_window: BrowserWindow, account: Member) -> None:
    page = passkey_window.page
    passkey_window.sign_in_with_form(account)
    passkey_window.go("/passkeys")
    page.get_by_label("Name").fill("Work laptop")
    page.get_by_role("button", name="Add passkey").click()
    expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    account.service.as_owner("UPDATE console_sessions SET confirmed_at = confirmed_at - interval '16 minutes'")
    passkey_window.go("/passkeys")
    expect(page.get_by_role("heading", name="Confirm that it is you")).to_be_visible()
    assert page_problems(page, LIGHT_AND_WIDE, DARK_AND_NARROW) == []
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_label("Name of the passkey Work laptop")).to_be_visible()
