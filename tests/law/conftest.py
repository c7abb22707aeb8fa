"""Loads the law once for all tests."""

import pytest

from gaji.law import registry
from tests.support.law import LAW


@pytest.fixture(scope="session")
def law() -> registry.Law:
    """The law from the built-in parameter files."""
    return LAW
