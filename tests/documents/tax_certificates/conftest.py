"""These tests share one server."""

import pytest

from tests.support.running import Service


@pytest.fixture(scope="session")
def service(shared_service: Service) -> Service:
    """The server that is shared."""
    return shared_service
