"""One-time codes: of an authenticator app (TOTP, RFC 6238), and recovery codes for a lost phone."""

import base64
import hmac
import re
import secrets
from hashlib import sha1
from urllib.parse import quote

STEP_S = 30
DIGITS = 6
TOLERATED_STEPS = 1
"""A phone's clock may be off, and typing takes a moment."""
SECRET_BYTES = 20
ISSUER = "Gaji"
RECOVERY_CODES = 10
RECOVERY_CODE_BYTES = 10
MAX_TYPED_LENGTH = 100


def code_at(secret: bytes, step: int) -> str:
    """Return the code of a time step.

    >>> code_at(b"12345678901234567890", 59 // STEP_S), code_at(b"12345678901234567890", 1111111109 // STEP_S)
    ('287082', '081804')
    """
    digest = hmac.digest(secret, step.to_bytes(8, "big"), sha1)
    offset = digest[-1] & 0x0F
    number = int.from_bytes(digest[offset : offset + 4], "big") & 0x7FFFFFFF
    return f"{number % 10**DIGITS:0{DIGITS}}"


def matching_step(secret: bytes, code: str, now_s: float, after: int = -1) -> int | None:
    """Return the current time step that a code matches, if it is after the step that was used last.

    >>> matching_step(b"12345678901234567890", "287082", 60), matching_step(b"12345678901234567890", "287082", 90)
    (1, None)
    """
    current = int(now_s) // STEP_S
    for step in range(current - TOLERATED_STEPS, current + TOLERATED_STEPS + 1):
        if step > after and hmac.compare_digest(code_at(secret, step).encode(), code.encode()):
            return step
    return None


def normalise_code(typed: str) -> str:
    """Return a code without separators, in lower case.

    >>> normalise_code(" 287 082"), normalise_code("K3JQ-7wmx")
    ('287082', 'k3jq7wmx')
    """
    return re.sub(r"[\s-]", "", typed[:MAX_TYPED_LENGTH]).lower()


def is_app_code(code: str) -> bool:
    """Return whether a normalised code has the format of an authenticator app.

    >>> is_app_code("287082"), is_app_code("k3jq7wmx")
    (True, False)
    """
    return re.fullmatch(rf"[0-9]{{{DIGITS}}}", code) is not None


def new_recovery_codes() -> list[str]:
    """Return new recovery codes."""
    texts = [_base32(secrets.token_bytes(RECOVERY_CODE_BYTES)).lower() for _ in range(RECOVERY_CODES)]
    return ["-".join(re.findall("....", text)) for text in texts]


def format_secret(secret: bytes) -> str:
    """Return a secret as it is typed into an app.

    >>> format_secret(b"12345678901234567890")
    'GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ'
    """
    return " ".join(re.findall("....", _base32(secret)))


def provisioning_uri(secret: bytes, email: str) -> str:
    """Return the content of the QR code that adds a secret to an app.

    >>> provisioning_uri(b"12345678901234567890", "mei@example.com")
    'otpauth://totp/Gaji:mei%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Gaji'
    """
    return f"otpauth://totp/{ISSUER}:{quote(email, safe='')}?secret={_base32(secret)}&issuer={ISSUER}"


def _base32(data: bytes) -> str:
    return base64.b32encode(data).decode()
