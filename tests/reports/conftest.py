"""A company with finalised months, shared by the tests that only read."""

import pytest

from tests.reports.payroll import Payroll, pay_three_months
from tests.support.running import Service


@pytest.fixture(scope="session")
def payroll(service: Service) -> Payroll:
    """A company with three finalised months; no test changes it."""
    return pay_three_months(service.new_account())
