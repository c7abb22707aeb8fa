"""Fixtures for tests of the console."""

import pytest

from tests.console.console_user import ConsoleUser, signed_in_user
from tests.support.company import Company


@pytest.fixture
def owner(company: Company) -> ConsoleUser:
    """The signed-in owner of the company."""
    return signed_in_user(company.member)


@pytest.fixture
def viewer(company: Company) -> ConsoleUser:
    """A signed-in user with the role viewer."""
    return signed_in_user(company.member.colleague(company.id, "viewer"))
