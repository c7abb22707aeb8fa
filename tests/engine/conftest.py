"""Fixtures of the engine tests."""

import pytest

from gaji.law import registry
from tests.support.law import LAW


@pytest.fixture(scope="session")
def law() -> registry.Law:
    """The law of the bundled parameter files."""
    return LAW
