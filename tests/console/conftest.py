"""Fixtures for tests of the console."""

import pytest

from tests.console.company_list_page import create_bureau
from tests.console.console_user import ConsoleUser, signed_in_user
from tests.console.portal_pair import Pair, create_pair
from tests.support.company import Company
from tests.support.running import Service


@pytest.fixture
def owner(company: Company) -> ConsoleUser:
    """The signed-in owner of the company."""
    return signed_in_user(company.member)


@pytest.fixture
def viewer(company: Company) -> ConsoleUser:
    """A signed-in user with the role viewer."""
    return signed_in_user(company.member.colleague(company.id, "viewer"))


@pytest.fixture
def pair(company: Company) -> Pair:
    """Two employees whose January is paid and released, one of them signed in to the portal."""
    return create_pair(company)


@pytest.fixture
def bureau(service: Service) -> tuple[Company, Company, ConsoleUser]:
    """Two companies of one account: one is late with everything, and the other has no employees."""
    return create_bureau(service)
