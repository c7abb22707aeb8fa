"""What tests of the console share."""

import pytest

from tests.console.officers import Officer, officer
from tests.support.company import Company


@pytest.fixture
def owner(company: Company) -> Officer:
    """The owner of the company, signed in."""
    return officer(company.member)


@pytest.fixture
def viewer(company: Company) -> Officer:
    """Someone who may only look at the company, signed in."""
    return officer(company.member.colleague(company.id, "viewer"))
