"""Key pairs for backups that the server cannot read: it knows the recipient, and only the identity can decrypt.

The recipient is the public key and the identity the private key of X25519, each as a text with a prefix that says which
of the two it is.
"""

import base64
import binascii

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

RECIPIENT_PREFIX = "gaji-recipient-"
IDENTITY_PREFIX = "gaji-identity-"
KEY_BYTES = 32


class InvalidKey(ValueError):
    """The text is not a recipient or an identity. The message does not contain it."""


def recipient_text(recipient: X25519PublicKey) -> str:
    """Encode a recipient."""
    return RECIPIENT_PREFIX + _encode(recipient.public_bytes_raw())


def identity_text(identity: X25519PrivateKey) -> str:
    """Encode an identity."""
    return IDENTITY_PREFIX + _encode(identity.private_bytes_raw())


def parse_recipient(text: str) -> X25519PublicKey:
    """Parse a recipient. Raises InvalidKey."""
    if text.startswith(IDENTITY_PREFIX):
        raise InvalidKey("is an identity, which must stay secret; use the recipient that `gaji backup-key` printed")
    recipient = X25519PublicKey.from_public_bytes(_decode(text, RECIPIENT_PREFIX, "a recipient"))
    try:
        X25519PrivateKey.generate().exchange(recipient)
    except ValueError:  # a low-order point
        raise InvalidKey("is not a recipient that `gaji backup-key` made") from None
    return recipient


def parse_identity(text: str) -> X25519PrivateKey:
    """Parse an identity. Raises InvalidKey."""
    return X25519PrivateKey.from_private_bytes(_decode(text, IDENTITY_PREFIX, "an identity"))


def _encode(key: bytes) -> str:
    return base64.urlsafe_b64encode(key).decode().rstrip("=")


def _decode(text: str, prefix: str, name: str) -> bytes:
    try:
        key = base64.b64decode(text.removeprefix(prefix) + "=", altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not text.startswith(prefix) or len(key) != KEY_BYTES:
        raise InvalidKey(f"is not {name} that `gaji backup-key` made")
    return key
