"""The API reference in Chromium: search by keyboard, a copied sample, and a request with a key."""

import pytest
from playwright.sync_api import Browser, expect

from tests.console.browser.accessibility import BOTH, page_problems
from tests.console.browser.windows import open_window
from tests.support.running import Service

pytestmark = pytest.mark.slow

IS_COPIED = "async (text) => (await navigator.clipboard.readText()) === text"
WITHOUT_CLIPBOARD = "Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined })"
"""As on pages of another host without HTTPS."""


@pytest.mark.parametrize("width", [1440, 390])
def test_an_operation_is_found_copied_and_tried(browser: Browser, service: Service, width: int) -> None:
    account = service.new_account()
    client_id = account.new_client(name="Tampines Bakery")
    window = open_window(browser, service.url, width=width)
    window.go("/docs")
    page = window.page
    page.keyboard.press("/")
    page.keyboard.type("read client")
    expect(page.locator("#results a").first).to_contain_text("Read client")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/docs/clients#read_client")
    article = page.locator("#read_client")
    sample = article.locator("figure", has_text="curl")
    window.context.grant_permissions(["clipboard-read", "clipboard-write"])
    sample.get_by_role("button", name="Copy").click()
    page.wait_for_function(IS_COPIED, arg=sample.locator("pre").text_content())
    article.get_by_text("Try it").click()
    article.get_by_label("API key").fill(account.key)
    article.get_by_label("client_id").fill(str(client_id))
    assert page_problems(page, *BOTH) == []  # the page of one resource, because the start page takes long to check
    article.get_by_role("button", name="Send").click()
    expect(article.locator(".trial pre")).to_contain_text("Tampines Bakery")
    article.get_by_label("client_id").fill("999999999")
    article.get_by_role("button", name="Send").click()
    expect(article.locator(".trial pre")).to_contain_text("404")
    window.go("/docs#create_wave")
    page.wait_for_url("**/docs/waves#create_wave")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    window.context.close()


def test_without_a_clipboard_there_is_no_button_to_copy(browser: Browser, service: Service) -> None:
    window = open_window(browser, service.url)
    window.context.add_init_script(WITHOUT_CLIPBOARD)
    window.go("/docs/clients")
    expect(window.page.get_by_text("Try it").first).to_be_visible()
    expect(window.page.get_by_role("button", name="Copy")).to_have_count(0)
    window.context.close()
