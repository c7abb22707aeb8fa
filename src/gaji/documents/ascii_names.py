"""Names in files that know the letters of ASCII and nothing else: what can be spelled in them, and what cannot.

>>> spelled("Nguyễn  Thị Ánh"), spelled("D’Souza–Müller"), spelled("Łukasz Groß")
('Nguyen Thi Anh', "D'Souza-Muller", 'Lukasz Gross')
>>> unprintable("Chen 陈美玲", frozenset()), unprintable("Tan_Mei", frozenset("_"))
('陈美玲', '_')
"""

import unicodedata
from collections.abc import Set

SPELLINGS = str.maketrans(
    {
        **dict.fromkeys("‘’ʻʼ´`", "'"),
        **dict.fromkeys("‐‑‒–—−", "-"),
    }
    | {"ß": "ss", "ẞ": "SS", "Æ": "AE", "æ": "ae", "Œ": "OE", "œ": "oe", "Ø": "O", "ø": "o", "Ł": "L", "ł": "l"}
    | {"Đ": "D", "đ": "d", "Ð": "D", "ð": "d", "Þ": "Th", "þ": "th", "ı": "i"}
)
"""Letters that do not come apart into one of ours and a mark, and signs that a typewriter has one of."""
FIRST_PRINTABLE, LAST_PRINTABLE = " ", "~"


def spelled(text: str, blanked: Set[str] = frozenset()) -> str:
    """The text with marks dropped from its letters, the blanked characters made spaces, and single spaces."""
    apart = unicodedata.normalize("NFKD", text.translate(SPELLINGS))
    kept = (" " if one in blanked else one for one in apart if not unicodedata.combining(one))
    return " ".join("".join(kept).split())


def unprintable(text: str, forbidden: Set[str]) -> str:
    """The characters of a text that a file cannot carry, each once."""
    found = (one for one in text if not FIRST_PRINTABLE <= one <= LAST_PRINTABLE or one in forbidden)
    return "".join(dict.fromkeys(found))


def name_fault(name: str, text: str, forbidden: Set[str] = frozenset()) -> str | None:
    """Why a name cannot be carried as this text, if it cannot."""
    if characters := unprintable(text, forbidden):
        return f"the name {name} has characters that the file cannot carry: {' '.join(characters)}"
    return None if text else f"the name {name} has no letter that the file can carry"
