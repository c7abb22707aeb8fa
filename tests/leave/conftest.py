"""Fixtures for tests of leave."""

import pytest

from tests.leave.people import OnLeave
from tests.support.company import Company


@pytest.fixture
def someone(company: Company) -> OnLeave:
    """An employee since 1 February 2024, Monday to Friday."""
    return OnLeave.hired(company)
