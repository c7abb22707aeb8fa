"""The law of this process: our parameter files with the operator's laid over them, read and checked once."""

from functools import cache

from gaji.core.settings import Settings
from gaji.law import registry
from gaji.law.parameters import from_text
from gaji.law.registry import Law


@cache
def law() -> Law:
    """The law that payslips are calculated with; raises WrongParameters and SettingsError."""
    return registry.load(Settings.from_environment().law)


@cache
def law_of(text: str) -> Law:
    """The law that was kept as this text."""
    return registry.from_files(from_text(text))
