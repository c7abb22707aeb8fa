"""What tests of the console share."""

import pytest

from tests.console.console_user import ConsoleUser, signed_in_user
from tests.support.company import Company


@pytest.fixture
def owner(company: Company) -> ConsoleUser:
    """The owner of the company, signed in."""
    return signed_in_user(company.member)


@pytest.fixture
def viewer(company: Company) -> ConsoleUser:
    """Someone who may only look at the company, signed in."""
    return signed_in_user(company.member.colleague(company.id, "viewer"))
