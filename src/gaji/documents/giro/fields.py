"""Fields of fixed width, and names in the characters that a format allows."""

from datetime import date
from functools import lru_cache

from gaji.documents.ascii_names import to_ascii


def text_field(text: str, width: int) -> str:
    """Return a text padded with spaces on the right. Raises ValueError if it is too long."""
    if len(text) > width:
        raise ValueError(f"{text!r} is longer than {width} characters")
    return text.ljust(width)


def name_field(name: str, width: int, replaced: frozenset[str] = frozenset()) -> str:
    """Return a name in ASCII, cut to the width of its field and without padding."""
    return to_ascii(name, replaced)[:width].rstrip()


def number_field(number: int, width: int) -> str:
    """Return a number padded with zeros on the left. Raises ValueError if it is too long."""
    digits = f"{number:0{width}}"
    if len(digits) > width:
        raise ValueError(f"{number} has more than {width} digits")
    return digits


@lru_cache(maxsize=100)
def day_field(day: date) -> str:
    """Return a date as DDMMYYYY. Cached because most payments of a file have the same date."""
    return f"{day:%d%m%Y}"
