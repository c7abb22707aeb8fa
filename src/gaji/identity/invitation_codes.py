"""Codes of printed slips, for invitations and new passwords, short enough to type on a phone."""

import re
import secrets

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Without letters that look like digits or like one another."""
LENGTH = 16
"""80 random bits: nobody guesses a code, whatever the number of attempts."""
GROUP = 4
_CODE = re.compile(f"[{ALPHABET}]{{{LENGTH}}}")
_SEPARATORS = "- \u00a0\u2010\u2011\u2012\u2013\u2014\u2212"
"""Copied text may have other spaces and dashes."""
_LOOKALIKES = str.maketrans({"O": "0", "I": "1", "L": "1", **dict.fromkeys(_SEPARATORS)})


def new_code() -> str:
    """Return a random code."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def format_code(code: str) -> str:
    """Return a code as it is printed.

    >>> format_code("K7QF3MPDW9XR2HTN")
    'K7QF-3MPD-W9XR-2HTN'
    """
    return "-".join(code[start : start + GROUP] for start in range(0, LENGTH, GROUP))


def count_characters(text: str) -> int:
    """Return the number of characters of a code as it was entered, without its separators.

    >>> count_characters("K7QF-3MPD W9XR "), count_characters("K7QF\u20133MPD")
    (12, 8)
    """
    return len(text.strip().translate(_LOOKALIKES))


def parse_token(text: str) -> str:
    """Return the token that was entered: a code without its separators, or the token of a link as it is.

    >>> parse_token(" k7qf 3mpd-w9xr-2htn "), parse_token("ol1i-0000-0000-0000"), parse_token("f3S_x-token")
    ('K7QF3MPDW9XR2HTN', '0111000000000000', 'f3S_x-token')
    """
    code = text.strip().upper().translate(_LOOKALIKES)
    return code if _CODE.fullmatch(code) else text.strip()
