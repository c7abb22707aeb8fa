"""The law, loaded once for all tests."""

import pytest

from gaji.law import registry


@pytest.fixture(scope="session")
def law() -> registry.Law:
    """The law as our own files have it."""
    return registry.load()
