"""The secret and what is made with it: key hashes, look-up hashes and encrypted identifiers.

Three keys are derived from one secret, so that none can stand in for another. An encrypted value is bound to the
client, row and column it belongs to: moved anywhere else, it does not open.
"""

import hmac
import os
import secrets
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

SECRET_BYTES = 32
NONCE_BYTES = 12
VISIBLE_CHARACTERS = 4


class CannotOpen(Exception):
    """The value was sealed with another secret, or for another place."""


class Place(NamedTuple):
    """Where a sealed value lives. Tables that belong to no client use client 0."""

    client_id: int
    table: str
    row_id: int
    column: str

    def __bytes__(self) -> bytes:
        return f"{self.client_id}/{self.table}/{self.row_id}/{self.column}".encode()


class Vault:
    """Seals, opens and hashes with keys derived from one secret."""

    def __init__(self, secret: bytes, api_key_hashing: bytes | None = None) -> None:
        self._sealing = AESGCM(_derive(secret, "sealing"))
        self._lookup = _derive(secret, "lookup")
        self.api_key_hashing = api_key_hashing or _derive(secret, "api keys")
        """Kept across a change of secret, because the keys it hashed are not known any more."""

    def seal(self, plain: str | bytes, place: Place) -> bytes:
        """Encrypt a value for its place."""
        nonce = os.urandom(NONCE_BYTES)
        data = plain.encode() if isinstance(plain, str) else plain
        return nonce + self._sealing.encrypt(nonce, data, bytes(place))

    def open_bytes(self, sealed: bytes, place: Place) -> bytes:
        """Decrypt what was sealed for this very place."""
        try:
            return self._sealing.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], bytes(place))
        except (InvalidTag, ValueError) as error:
            raise CannotOpen(f"{place.table}.{place.column} of row {place.row_id} does not open") from error

    def open(self, sealed: bytes, place: Place) -> str:
        """Decrypt a text that was sealed for this very place."""
        return self.open_bytes(sealed, place).decode()

    def open_row(
        self, client_id: int, table: str, row_id: int, columns: Sequence[str], sealed: Sequence[bytes | None]
    ) -> list[str | None]:
        """Decrypt the sealed columns of one row, those that are not null."""
        return [
            None if value is None else self.open(value, Place(client_id, table, row_id, column))
            for column, value in zip(columns, sealed, strict=True)
        ]

    def api_key_hash(self, key: str) -> bytes:
        """What is stored of an API key."""
        return hmac.digest(self.api_key_hashing, key.encode(), sha256)

    def lookup_hash(self, column: str, value: str) -> bytes:
        """What equality and uniqueness of an encrypted column are decided on."""
        return hmac.digest(self._lookup, f"{column}/{value}".encode(), sha256)


def masked(value: str) -> str:
    """The value with all but its last four characters hidden; a shorter one is hidden whole.

    >>> masked("S1234567D")
    '*****567D'
    >>> masked("1234")
    '****'
    """
    hidden = len(value) - VISIBLE_CHARACTERS
    return "*" * len(value) if hidden <= 0 else "*" * hidden + value[hidden:]


def new_secret() -> str:
    """A fresh secret in the form GAJI_SECRET_KEY and the secret file take."""
    return secrets.token_urlsafe(SECRET_BYTES)


def _derive(secret: bytes, purpose: str) -> bytes:
    return HKDF(SHA256(), SECRET_BYTES, salt=None, info=f"gaji {purpose}".encode()).derive(secret)
