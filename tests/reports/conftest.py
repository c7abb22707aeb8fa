"""A company with finalised months, shared by tests that only read it."""

import pytest

from tests.reports.sample_payroll import SamplePayroll, pay_three_months
from tests.support.running import Service


@pytest.fixture(scope="session")
def payroll(service: Service) -> SamplePayroll:
    """A company with three finalised months. Tests must not change it."""
    return pay_three_months(service.new_account())
