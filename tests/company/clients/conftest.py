"""These tests share one server; each makes an account of its own."""

import pytest

from tests.support.running import Service


@pytest.fixture(scope="session")
def service(shared_service: Service) -> Service:
    """The server that is shared."""
    return shared_service
