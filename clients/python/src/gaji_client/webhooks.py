"""Verification of webhooks that are signed by Standard Webhooks 1.0."""

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

SECRET_PREFIX = "whsec_"  # noqa: S105 - the prefix of secrets, not a secret
VERSION = "v1"
TOLERANCE_S = 300


class InvalidWebhook(Exception):
    """The request does not come from the sender that has the secret, or is too old."""


def verify_webhook(
    secrets: str | Sequence[str],
    headers: Mapping[str, str],
    body: bytes,
    *,
    tolerance_s: int = TOLERANCE_S,
    now_s: float | None = None,
) -> Any:
    """Return the JSON value of a webhook, or raise InvalidWebhook.

    While a secret is being rotated, pass the old and the new one. The body must be the bytes as they were received.
    """
    values = {name.lower(): value for name, value in headers.items()}
    try:
        message_id, timestamp = values["webhook-id"], values["webhook-timestamp"]
        sent = [part.split(",", 1)[1] for part in values["webhook-signature"].split() if part.startswith(f"{VERSION},")]
        age_s = (time.time() if now_s is None else now_s) - int(timestamp)
    except (KeyError, ValueError) as error:
        raise InvalidWebhook(f"A header is missing or malformed: {error}") from None
    if abs(age_s) > tolerance_s:
        raise InvalidWebhook("The timestamp is too old or in the future")
    content = f"{message_id}.{timestamp}.".encode() + body
    expected = [_signature(secret, content) for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    if not any(hmac.compare_digest(signature.encode(), given.encode()) for signature in expected for given in sent):
        raise InvalidWebhook("No signature matches")
    return json.loads(body)


def _signature(secret: str, content: bytes) -> str:
    try:
        key = base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    except binascii.Error:
        raise ValueError("The secret is not base64") from None
    return base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
