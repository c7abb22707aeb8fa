"""These tests share one server; each makes an account of its own."""

import pytest

from tests.leave.people import OnLeave
from tests.support.company import Company
from tests.support.running import Service


@pytest.fixture(scope="session")
def service(shared_service: Service) -> Service:
    """The server that is shared."""
    return shared_service


@pytest.fixture
def someone(company: Company) -> OnLeave:
    """An employee since 1 February 2024, Monday to Friday."""
    return OnLeave.hired(company)
