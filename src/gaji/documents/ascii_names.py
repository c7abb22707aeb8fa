"""Transliteration of names for file formats that only support ASCII.

>>> to_ascii("Nguyễn  Thị Ánh"), to_ascii("D’Souza–Müller"), to_ascii("Łukasz Groß")
('Nguyen Thi Anh', "D'Souza-Muller", 'Lukasz Gross')
>>> unsupported_characters("Chen 陈美玲", frozenset()), unsupported_characters("Tan_Mei", frozenset("_"))
('陈美玲', '_')
"""

import unicodedata
from collections.abc import Set

from gaji.core.errors import ErrorCode, FieldError

SPELLINGS = str.maketrans(
    {
        **dict.fromkeys("‘’ʻʼ´`", "'"),
        **dict.fromkeys("‐‑‒–—−", "-"),
    }
    | {"ß": "ss", "ẞ": "SS", "Æ": "AE", "æ": "ae", "Œ": "OE", "œ": "oe", "Ø": "O", "ø": "o", "Ł": "L", "ł": "l"}
    | {"Đ": "D", "đ": "d", "Ð": "D", "ð": "d", "Þ": "Th", "þ": "th", "ı": "i"}
)
"""Characters that Unicode decomposition does not turn into ASCII, and the grave accent."""
FIRST_PRINTABLE, LAST_PRINTABLE = " ", "~"

UNSUPPORTED_CHARACTERS = ErrorCode(
    "unsupported_characters", "the name {name} contains characters that the file does not support: {characters}"
)
NO_SUPPORTED_CHARACTERS = ErrorCode(
    "no_supported_characters", "the name {name} contains no characters that the file supports"
)


def to_ascii(text: str, replaced: Set[str] = frozenset()) -> str:
    """Return the text without diacritics, with the `replaced` characters as spaces and with single spaces."""
    spelled = text.replace("`", "'") if text.isascii() else text.translate(SPELLINGS)
    if not spelled.isascii():
        decomposed = unicodedata.normalize("NFKD", spelled)
        spelled = "".join(character for character in decomposed if not unicodedata.combining(character))
    if not replaced.isdisjoint(spelled):
        spelled = "".join(" " if character in replaced else character for character in spelled)
    return " ".join(spelled.split())


def unsupported_characters(text: str, forbidden: Set[str]) -> str:
    """Return the characters that a file cannot hold, each once."""
    if text.isascii() and text.isprintable() and forbidden.isdisjoint(text):
        return ""
    unsupported = (
        character for character in text if not FIRST_PRINTABLE <= character <= LAST_PRINTABLE or character in forbidden
    )
    return "".join(dict.fromkeys(unsupported))


def name_error(path: str, name: str, text: str, forbidden: Set[str] = frozenset()) -> FieldError | None:
    """Return the error if a name cannot be written as this transliterated text."""
    if characters := unsupported_characters(text, forbidden):
        return FieldError(path, UNSUPPORTED_CHARACTERS, {"name": name, "characters": " ".join(characters)})
    return None if text else FieldError(path, NO_SUPPORTED_CHARACTERS, {"name": name})
