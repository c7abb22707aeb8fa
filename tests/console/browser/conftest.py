"""What tests in a real browser share."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.console.browser.windows import BrowserWindow, launch_browser, open_window, with_separate_runner
from tests.support.company import Company
from tests.support.running import Service


@pytest.fixture(scope="module")
def service(service: Service) -> Service:
    """The shared server."""
    return with_separate_runner(service)


@pytest.fixture(scope="module")
def browser(service: Service) -> Iterator[Browser]:
    """One browser for all tests of a module; opened after the server, which is started with a loop of its own."""
    with sync_playwright() as playwright:
        one = launch_browser(playwright)
        yield one
        one.close()


@pytest.fixture
def someone(browser: Browser, service: Service) -> Iterator[BrowserWindow]:
    """Someone with a fresh window; whatever a page complained about is a failure."""
    one = open_window(browser, service.url)
    yield one
    one.context.close()
    assert one.faults == []


@pytest.fixture
def boss(someone: BrowserWindow, company: Company) -> BrowserWindow:
    """The owner of the company, signed in."""
    someone.sign_in(company.member)
    return someone
