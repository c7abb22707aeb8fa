"""The format of an API key: a recognisable prefix, random characters and a checksum.

The prefix is for people and secret scanners. The checksum detects a mistyped or truncated key without a lookup.

>>> key = generate_key()
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


def generate_key() -> str:
    """Return a new key. It is shown once and stored only as a keyed hash."""
    body = PREFIX + "".join(secrets.choice(ALPHABET) for _ in range(RANDOM_CHARACTERS))
    return body + _checksum(body)


def is_well_formed(key: str) -> bool:
    """Return whether a key has the right prefix, length and checksum."""
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
