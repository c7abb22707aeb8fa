"""Messages of a real SMTP server, opened in a real browser."""

import re
from collections.abc import Iterator
from email.message import EmailMessage

import pytest
from playwright.sync_api import Page, expect

from gaji.core.settings import Settings
from tests.console.browser.windows import BrowserWindow, with_separate_runner
from tests.support.company import Company
from tests.support.mailbox import Mailbox, receiving
from tests.support.running import Service, running_service

SITE = "http://localhost"
NEW = "seven green kettles sing"


@pytest.fixture(scope="module")
def mailbox() -> Mailbox:
    return Mailbox()


@pytest.fixture(scope="module")
def service(settings: Settings, mailbox: Mailbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A server and a worker that send mail."""
    with receiving(mailbox) as port:
        variables = {
            "GAJI_SMTP_URL": f"smtp://127.0.0.1:{port}",
            "GAJI_MAIL_FROM": "payroll@example.com",
            "GAJI_PUBLIC_URL": SITE,
        }
        with running_service(settings, tmp_path_factory.mktemp("mail"), variables) as running:
            yield with_separate_runner(running)


def open_link(window: BrowserWindow, message: EmailMessage) -> None:
    """Show the HTML form of a message, and open the page that its button leads to."""
    html = message.get_body(("html",))
    assert html
    window.go("about:blank")  # other pages allow no inline styles, which mail needs
    window.page.set_content(html.get_content())
    link = window.page.get_by_role("link").first.get_attribute("href")
    assert link
    assert link.startswith(f"{SITE}/")
    window.go(link.removeprefix(SITE))


def set_password(page: Page, button: str) -> None:
    for field in page.locator("input[type=password]").all():
        field.fill(NEW)
    page.get_by_role("button", name=button).click()


def test_a_forgotten_password_is_set_with_the_link_of_a_message(
    window: BrowserWindow, company: Company, mailbox: Mailbox
) -> None:
    member, page = company.member.colleague(company.id, "payroll"), window.page
    company.member.service.as_owner("UPDATE users SET password_hash = 'none' WHERE id = $1", member.user_id)
    window.go("/sign-in")
    page.get_by_role("link", name="Forgotten password").click()
    page.get_by_label("Email").fill(member.email)
    page.get_by_role("main").get_by_role("button").click()
    expect(page.get_by_role("status")).to_be_visible()
    open_link(window, mailbox.wait_for(member.email))
    set_password(page, "Set password and sign in")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Kopi Trading")


def test_an_invited_person_accepts_with_the_link_of_a_message(
    owner_window: BrowserWindow, company: Company, mailbox: Mailbox
) -> None:
    page, email = owner_window.page, f"invited-{company.id}@example.com"
    owner_window.go(f"/companies/{company.id}/settings/users/new")
    page.get_by_label("Email").fill(email)
    page.get_by_label("Role").select_option("payroll")
    page.get_by_role("main").get_by_role("button", name=re.compile("Invite|Add|Send")).click()
    expect(page.get_by_role("main")).to_contain_text(email)
    owner_window.context.clear_cookies()
    open_link(owner_window, mailbox.wait_for(email))
    page.locator("#name").fill("Siti Aminah")
    set_password(page, "Set password and sign in")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Kopi Trading")
