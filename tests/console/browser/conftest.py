"""What tests in a real browser share."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.console.browser.people import Person, beside_a_browser, launched, person
from tests.support.company import Company
from tests.support.running import Service


@pytest.fixture(scope="module")
def service(service: Service) -> Service:
    """The shared server."""
    return beside_a_browser(service)


@pytest.fixture(scope="module")
def browser(service: Service) -> Iterator[Browser]:
    """One browser for all tests of a module; opened after the server, which is started with a loop of its own."""
    with sync_playwright() as playwright:
        one = launched(playwright)
        yield one
        one.close()


@pytest.fixture
def someone(browser: Browser, service: Service) -> Iterator[Person]:
    """Someone with a fresh window; whatever a page complained about is a failure."""
    one = person(browser, service.url)
    yield one
    one.context.close()
    assert one.faults == []


@pytest.fixture
def boss(someone: Person, company: Company) -> Person:
    """The owner of the company, signed in."""
    someone.sign_in(company.member)
    return someone
