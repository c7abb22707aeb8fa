"""The statutory parameters of this process: our files, overridden by the operator's, loaded once."""

from dataclasses import replace
from functools import cache

from gaji.core.settings import Settings
from gaji.law import registry
from gaji.law.parameters import from_text, read_files
from gaji.law.registry import Law
from gaji.law.wage_offsets import WageOffsetParameters


@cache
def current_law() -> Law:
    """Return the law that payslips are calculated with. Raises InvalidParameterFile and SettingsError."""
    return registry.load(Settings.from_environment().law)


def current_wage_offsets() -> WageOffsetParameters:
    """Return the wage offset parameters. The built-in files always contain them."""
    parameters = current_law().wage_offsets
    if parameters is None:
        raise LookupError("the law has no wage offset parameters")
    return parameters


@cache
def law_from_text(text: str) -> Law:
    """Return the law that was stored as this text. Subjects added since then are those of today."""
    stored = from_text(text)
    law = registry.from_files(stored.with_subjects_of(read_files()))
    return replace(law, rules_version=stored.version, text=text)
