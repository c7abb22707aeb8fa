"""Secrets and signatures of webhooks, by Standard Webhooks 1.0."""

import base64
import hmac
import os
from collections.abc import Sequence
from hashlib import sha256

PREFIX = "whsec_"
SECRET_BYTES = 32


def new_secret() -> str:
    """Return a new random secret, as users and receivers see it."""
    return PREFIX + base64.b64encode(os.urandom(SECRET_BYTES)).decode()


def sign(secrets: Sequence[str], message_id: str, timestamp: int, body: bytes) -> str:
    """Return the value of the header `webhook-signature`: one signature for each secret.

    >>> secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    >>> sign([secret], "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
    """
    content = f"{message_id}.{timestamp}.".encode() + body
    return " ".join(f"v1,{_signature(secret, content)}" for secret in secrets)


def _signature(secret: str, content: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(PREFIX))
    return base64.b64encode(hmac.digest(key, content, sha256)).decode()
