"""Tenants with records of every kind."""

import pytest

from tests.support.running import Service
from tests.web.every_operation import TenantRecords, Writer, tenant_with_records


@pytest.fixture(scope="module")
def tenant(service: Service) -> TenantRecords:
    """A tenant for tests that do not change its records."""
    member = service.new_account()
    return TenantRecords(member, tenant_with_records(member))


@pytest.fixture(scope="module")
def writer(service: Service) -> Writer:
    """Sends writes to tenants that no other test uses."""
    return Writer(service)
