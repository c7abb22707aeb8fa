"""Step-up in a browser: an old session is asked, and the form comes back."""

import pytest
from playwright.sync_api import expect

from tests.console.browser.windows import BrowserWindow
from tests.console.console_user import PASSWORD
from tests.support.company import Company

pytestmark = pytest.mark.slow


def test_a_new_user_is_added_after_the_password(owner_window: BrowserWindow, company: Company) -> None:
    page = owner_window.page
    owner_window.go(f"/companies/{company.id}/settings/users/new")
    member = company.member
    member.service.as_owner(
        "UPDATE console_sessions SET confirmed_at = now() - interval '16 minutes' WHERE user_id = $1", member.user_id
    )
    page.get_by_label("Email").fill("new.colleague@example.com")
    page.get_by_label("Role").select_option("viewer")
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("heading", name="Confirm that it is you")).to_be_visible()
    page.get_by_label("Password").fill("not the password")
    page.get_by_role("button", name="Confirm", exact=True).click()
    expect(page.get_by_text("The password is incorrect")).to_be_visible()
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm", exact=True).click()
    expect(page.get_by_role("heading", name="Your entries are back")).to_be_visible()
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("new.colleague@example.com").first).to_be_visible()
    expect(page.get_by_text("/invitation?token=").first).to_be_visible()
