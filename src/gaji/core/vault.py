"""Encryption of identifiers, and hashes of API keys and of values to look up.

Independent keys are derived from one secret. An encrypted value is bound to its client, row and column: it cannot
be decrypted anywhere else.
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
from cryptography.hazmat.primitives.hmac import HMAC
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

SECRET_BYTES = 32
NONCE_BYTES = 12
VISIBLE_CHARACTERS = 4


class DecryptionError(Exception):
    """The value was sealed with another secret, or for another cell."""


class SealedCell(NamedTuple):
    """The cell of a sealed value. Tables that do not belong to a client use client 0."""

    client_id: int
    table: str
    row_id: int
    column: str

    def __bytes__(self) -> bytes:
        return f"{self.client_id}/{self.table}/{self.row_id}/{self.column}".encode()


class Vault:
    """Encrypts, decrypts and hashes with keys derived from one secret."""

    def __init__(
        self, secret: bytes, api_key_hashing: bytes | None = None, earlier_audit_keys: Sequence[bytes] = ()
    ) -> None:
        self._sealing = AESGCM(_derive(secret, "sealing"))
        self._lookup = _derive(secret, "lookup")
        self._identifiers = HMAC(_derive(secret, "identifiers"), SHA256())
        """Copied for each hash. A copy takes half the time of `hmac.HMAC`."""
        self._files = _derive(secret, "files")
        self.api_key_hashing = api_key_hashing or _derive(secret, "api keys")
        """Kept when the secret changes, because the texts of the API keys are not stored."""
        self.audit_keys = (*earlier_audit_keys, _derive(secret, "audit log"))
        """The keys of the chains of the audit log, oldest first. The last one is that of this secret."""

    @property
    def is_rotated(self) -> bool:
        """Whether there was an earlier secret."""
        return len(self.audit_keys) > 1

    def seal(self, plain: str | bytes, cell: SealedCell) -> bytes:
        """Encrypt a value for its cell."""
        nonce = os.urandom(NONCE_BYTES)
        data = plain.encode() if isinstance(plain, str) else plain
        return nonce + self._sealing.encrypt(nonce, data, bytes(cell))

    def open_bytes(self, sealed: bytes, cell: SealedCell) -> bytes:
        """Decrypt a value that was sealed for this cell. Raises DecryptionError."""
        try:
            return self._sealing.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], bytes(cell))
        except (InvalidTag, ValueError) as error:
            raise DecryptionError(f"{cell.table}.{cell.column} of row {cell.row_id} cannot be decrypted") from error

    def open(self, sealed: bytes, cell: SealedCell) -> str:
        """Decrypt a text that was sealed for this cell. Raises DecryptionError."""
        return self.open_bytes(sealed, cell).decode()

    def open_row(
        self, client_id: int, table: str, row_id: int, columns: Sequence[str], sealed: Sequence[bytes | None]
    ) -> list[str | None]:
        """Decrypt the sealed columns of one row. Null stays null."""
        return [
            None if value is None else self.open(value, SealedCell(client_id, table, row_id, column))
            for column, value in zip(columns, sealed, strict=True)
        ]

    def api_key_hash(self, key: str) -> bytes:
        """Return the hash to store for an API key."""
        return hmac.digest(self.api_key_hashing, key.encode(), sha256)

    def lookup_hash(self, purpose: str, value: str) -> bytes:
        """Return the hash by which a value is counted or recognised without being stored."""
        return hmac.digest(self._lookup, f"{purpose}/{value}".encode(), sha256)

    def identifier_hash(self, client_id: int, column: str, value: str) -> bytes:
        """Return the hash by which values of an encrypted column of a client are looked up and kept unique.

        It is different for each client, so it does not show who works for two of them.
        """
        keyed = self._identifiers.copy()
        keyed.update(f"{client_id}/{column}/{value}".encode())
        return keyed.finalize()

    def audit_hash(self, data: bytes, key_number: int) -> bytes:
        """Return the hash of a part of the audit log, with one of `audit_keys`."""
        return hmac.digest(self.audit_keys[key_number], data, sha256)

    def file_key(self, salt: bytes) -> bytes:
        """Return the key of one encrypted file."""
        return HKDF(SHA256(), SECRET_BYTES, salt=salt, info=b"gaji file").derive(self._files)


def mask(value: str) -> str:
    """Return the value with all but its last four characters masked. A shorter value is masked completely.

    >>> mask("S1234567D")
    '*****567D'
    >>> mask("1234")
    '****'
    """
    masked_length = len(value) - VISIBLE_CHARACTERS
    return "*" * len(value) if masked_length <= 0 else "*" * masked_length + value[masked_length:]


def new_secret() -> str:
    """Return a new random secret for GAJI_SECRET_KEY or the secret file."""
    return secrets.token_urlsafe(SECRET_BYTES)


def _derive(secret: bytes, purpose: str) -> bytes:
    return HKDF(SHA256(), SECRET_BYTES, salt=None, info=f"gaji {purpose}".encode()).derive(secret)
