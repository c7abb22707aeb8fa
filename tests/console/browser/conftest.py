"""Fixtures for tests in a real browser."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.console.browser.windows import BrowserWindow, launch_browser, open_window, with_separate_runner
from tests.support.company import Company
from tests.support.running import WAIT_S, Service

# The default of five seconds is too short on a busy machine.
expect.set_options(timeout=WAIT_S * 1000)


@pytest.fixture(scope="module")
def service(service: Service) -> Service:
    """The shared server, with its runner in another thread."""
    return with_separate_runner(service)


@pytest.fixture(scope="module")
def browser(service: Service) -> Iterator[Browser]:
    """One browser for all tests of a module, started after the server."""
    with sync_playwright() as playwright:
        launched = launch_browser(playwright)
        yield launched
        launched.close()


@pytest.fixture
def window(browser: Browser, service: Service) -> Iterator[BrowserWindow]:
    """A new window. Page errors fail the test."""
    window = open_window(browser, service.url)
    yield window
    window.context.close()
    assert window.page_errors == []


@pytest.fixture
def owner_window(window: BrowserWindow, company: Company) -> BrowserWindow:
    """A window in which the owner of the company is signed in."""
    window.sign_in(company.member)
    return window
