"""The law of the built-in parameter files, loaded once for all tests."""

from gaji.law import registry

LAW = registry.load()
