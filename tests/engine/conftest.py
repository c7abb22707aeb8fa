"""The law, loaded once for all tests."""

import pytest

from gaji.law import book


@pytest.fixture(scope="session")
def law() -> book.Law:
    """The law as our own files have it."""
    return book.load()
