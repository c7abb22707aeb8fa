"""Codes that are good once: those that an app on a phone shows (RFC 6238), and those for when the phone is lost."""

import base64
import hmac
import re
import secrets
from hashlib import sha1
from urllib.parse import quote

STEP_S = 30
DIGITS = 6
STEPS_BESIDE = 1
"""A phone's clock may be this many steps off, and typing takes a moment."""
SECRET_BYTES = 20
ISSUER = "Gaji"
RECOVERY_CODES = 10
RECOVERY_CODE_BYTES = 10


def code_at(secret: bytes, step: int) -> str:
    """The code of a time step.

    >>> code_at(b"12345678901234567890", 59 // STEP_S), code_at(b"12345678901234567890", 1111111109 // STEP_S)
    ('287082', '081804')
    """
    digest = hmac.digest(secret, step.to_bytes(8, "big"), sha1)
    place = digest[-1] & 0x0F
    number = int.from_bytes(digest[place : place + 4], "big") & 0x7FFFFFFF
    return f"{number % 10**DIGITS:0{DIGITS}}"


def step_of(secret: bytes, code: str, now_s: float, after: int = -1) -> int | None:
    """The time step that a code is of, if it is one around now and later than the one that was used last.

    >>> step_of(b"12345678901234567890", "287082", 60), step_of(b"12345678901234567890", "287082", 90)
    (1, None)
    """
    current = int(now_s) // STEP_S
    for step in range(current - STEPS_BESIDE, current + STEPS_BESIDE + 1):
        if step > after and hmac.compare_digest(code_at(secret, step).encode(), code.encode()):
            return step
    return None


def compact(typed: str) -> str:
    """A code as it is compared: without what people put between its parts.

    >>> compact(" 287 082"), compact("K3JQ-7wmx")
    ('287082', 'k3jq7wmx')
    """
    return re.sub(r"[\s-]", "", typed[:100]).lower()


def is_from_app(code: str) -> bool:
    """Whether a compact code has the form of those that an app shows.

    >>> is_from_app("287082"), is_from_app("k3jq7wmx")
    (True, False)
    """
    return re.fullmatch(rf"[0-9]{{{DIGITS}}}", code) is not None


def new_recovery_codes() -> list[str]:
    """Fresh recovery codes, each with more chance in it than anyone can try."""
    texts = [_base32(secrets.token_bytes(RECOVERY_CODE_BYTES)).lower() for _ in range(RECOVERY_CODES)]
    return ["-".join(re.findall("....", text)) for text in texts]


def shown_secret(secret: bytes) -> str:
    """A secret as one types it into an app.

    >>> shown_secret(b"12345678901234567890")
    'GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ'
    """
    return " ".join(re.findall("....", _base32(secret)))


def address_of(secret: bytes, email: str) -> str:
    """What the picture says that an app takes a secret from.

    >>> address_of(b"12345678901234567890", "mei@example.com")
    'otpauth://totp/Gaji:mei%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Gaji'
    """
    return f"otpauth://totp/{ISSUER}:{quote(email, safe='')}?secret={_base32(secret)}&issuer={ISSUER}"


def _base32(data: bytes) -> str:
    return base64.b32encode(data).decode()
