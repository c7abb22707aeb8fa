"""The statutory parameters of this process: our files, overridden by the operator's, loaded once."""

from functools import cache

from gaji.core.settings import Settings
from gaji.law import registry
from gaji.law.parameters import from_text
from gaji.law.registry import Law


@cache
def current_law() -> Law:
    """Return the law that payslips are calculated with. Raises InvalidParameterFile and SettingsError."""
    return registry.load(Settings.from_environment().law)


@cache
def law_from_text(text: str) -> Law:
    """Return the law that was stored as this text."""
    return registry.from_files(from_text(text))
