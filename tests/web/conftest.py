"""One tenant with records for all tests of a module that change nothing of it."""

import pytest

from tests.support.running import Service
from tests.web.every_operation import Tenant, Writer, tenant_with_records


@pytest.fixture(scope="module")
def tenant(service: Service) -> Tenant:
    """A tenant whose records are read, or not even that."""
    member = service.new_account()
    return Tenant(member, tenant_with_records(member))


@pytest.fixture(scope="module")
def writer(service: Service) -> Writer:
    """Sends writes to tenants that no other test reads."""
    return Writer(service)
