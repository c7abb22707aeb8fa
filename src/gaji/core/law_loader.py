"""The law of this process: our parameter files with the operator's laid over them, read and checked once."""

from functools import cache

from gaji.core.settings import Settings
from gaji.law import book
from gaji.law.book import Law
from gaji.law.parameters import from_text


@cache
def law() -> Law:
    """The law that payslips are calculated with; raises WrongParameters and SettingsError."""
    return book.load(Settings.from_environment().law)


@cache
def law_of(text: str) -> Law:
    """The law that was kept as this text."""
    return book.of(from_text(text))
