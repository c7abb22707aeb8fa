"""The examples in the docstrings of the law hold."""

import doctest
import importlib
import pkgutil

import pytest

import gaji.law

MODULES = [found.name for found in pkgutil.walk_packages(gaji.law.__path__, "gaji.law.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
