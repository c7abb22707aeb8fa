"""These tests share one server, and those that only read share one company with finalised months."""

import pytest

from tests.reports.payroll import Payroll, pay_three_months
from tests.support.running import Service


@pytest.fixture(scope="session")
def service(shared_service: Service) -> Service:
    """The server that is shared."""
    return shared_service


@pytest.fixture(scope="session")
def payroll(shared_service: Service) -> Payroll:
    """A company with three finalised months; nobody changes it."""
    return pay_three_months(shared_service.new_account())
