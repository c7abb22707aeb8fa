"""The form of an API key: a prefix that people and secret scanners recognise, randomness, and a checksum.

The checksum catches a key with a character changed or cut off before anything is looked up.

>>> key = new_key()
>>> key.startswith("gaji_"), is_well_formed(key), is_well_formed(key[:-1] + "!"), is_well_formed("")
(True, True, False, False)
"""

import secrets
import string
import zlib

PREFIX = "gaji_"
RANDOM_CHARACTERS = 40
CHECKSUM_CHARACTERS = 6
ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase


def new_key() -> str:
    """A fresh key; it is shown once and stored only as a keyed hash."""
    body = PREFIX + "".join(secrets.choice(ALPHABET) for _ in range(RANDOM_CHARACTERS))
    return body + _checksum(body)


def is_well_formed(key: str) -> bool:
    """Whether this could be a key that Gaji made."""
    if len(key) != len(PREFIX) + RANDOM_CHARACTERS + CHECKSUM_CHARACTERS or not key.isascii():
        return False
    body, checksum = key[:-CHECKSUM_CHARACTERS], key[-CHECKSUM_CHARACTERS:]
    return body.startswith(PREFIX) and _checksum(body) == checksum


def _checksum(body: str) -> str:
    number = zlib.crc32(body.encode())
    digits = []
    for _ in range(CHECKSUM_CHARACTERS):
        number, digit = divmod(number, len(ALPHABET))
        digits.append(ALPHABET[digit])
    return "".join(reversed(digits))
