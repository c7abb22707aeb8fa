"""Encrypted files: a header, then frames that are encrypted and authenticated, written and read as a stream.

The key of a file is derived from the secret of the installation and a random salt in the header. The key of a file for
a recipient is also derived from the X25519 shared secret of a new key pair and the recipient's public key: whoever
wrote the file cannot read it, and nobody can write one without the secret of the installation.

The number of a frame and whether it is the last one are part of its nonce. So a file in which anything was changed,
moved, added or cut off cannot be decrypted.
"""

import gzip
import hmac
import io
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import IO, TYPE_CHECKING

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from gaji.core.recipients import KEY_BYTES
from gaji.core.system_rights import as_starter
from gaji.core.vault import Vault

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

MAGIC = b"Gaji encrypted 1\n"
RECIPIENT_MAGIC = b"Gaji encrypted 2\n"
"""Has the same length as `MAGIC`."""
SALT_BYTES = 16
CHECK_BYTES = 16
HEADER_BYTES = len(MAGIC) + SALT_BYTES + CHECK_BYTES
RECIPIENT_BYTES = KEY_BYTES + CHECK_BYTES
"""What follows in the header of a file for a recipient."""
FRAME_BYTES = 1024 * 1024
TAG_BYTES = 16
COUNTER_BYTES = 11


class ChangedFile(Exception):
    """The file was changed or truncated after it was written."""


class WrongSecret(Exception):
    """The file was encrypted with another secret."""


class IdentityError(Exception):
    """The identity is missing, or of another recipient. The message says which."""


@contextmanager
def write_compressed(
    file: IO[bytes], vault: Vault, recipient: X25519PublicKey | None, level: int
) -> Iterator[gzip.GzipFile]:
    """Yield a file whose content is compressed and encrypted. It is complete if the block succeeds."""
    encrypting = EncryptingFile(file, vault, recipient)
    with gzip.GzipFile(filename="", fileobj=encrypting, mode="wb", compresslevel=level) as compressed:
        yield compressed
    encrypting.finish()


def open_compressed(
    file: IO[bytes], vaults: Sequence[Vault], identities: Sequence[X25519PrivateKey] = ()
) -> gzip.GzipFile:
    """Return the content of an encrypted file, decompressed. Raises what DecryptingFile does."""
    decrypting = io.BufferedReader(DecryptingFile(file, vaults, identities), FRAME_BYTES)
    return gzip.GzipFile(fileobj=decrypting, mode="rb")


def has_known_secret(file: IO[bytes], vaults: Sequence[Vault]) -> bool:
    """Return whether an encrypted file was encrypted with the secret of one of these vaults. Raises ChangedFile."""
    try:
        _find_key(file.read(HEADER_BYTES), vaults)
    except WrongSecret:
        return False
    return True


def is_encrypted(path: Path) -> bool:
    """Return whether a file begins like an encrypted one."""
    with as_starter(), path.open("rb") as file:
        return file.read(len(MAGIC)) in (MAGIC, RECIPIENT_MAGIC)


class EncryptingFile(io.RawIOBase):
    """Encrypts what is written to it. The file is complete only after `finish`."""

    def __init__(self, file: IO[bytes], vault: Vault, recipient: X25519PublicKey | None = None) -> None:
        salt = os.urandom(SALT_BYTES)
        key = vault.file_key(salt)
        self._file = file
        self._header = (MAGIC if recipient is None else RECIPIENT_MAGIC) + salt + _key_check(key)
        if recipient is not None:
            pair = X25519PrivateKey.generate()
            key = _shared_key(pair.exchange(recipient), key, pair.public_key(), recipient)
            self._header += pair.public_key().public_bytes_raw() + _key_check(key)
        self._cipher = AESGCM(key)
        self._buffer = bytearray()
        self._frames = 0
        file.write(self._header)

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, data: "ReadableBuffer", /) -> int:
        """Encrypt the data, in frames."""
        size = memoryview(data).nbytes
        self._buffer += data
        while len(self._buffer) > FRAME_BYTES:
            self._write_frame(bytes(self._buffer[:FRAME_BYTES]), is_last=False)
            del self._buffer[:FRAME_BYTES]
        return size

    def finish(self) -> None:
        """Write the last frame."""
        self._write_frame(bytes(self._buffer), is_last=True)
        self._buffer.clear()

    def _write_frame(self, plain: bytes, *, is_last: bool) -> None:
        self._file.write(self._cipher.encrypt(_nonce(self._frames, is_last), plain, self._header))
        self._frames += 1


class DecryptingFile(io.RawIOBase):
    """Decrypts a file while it is read. Raises ChangedFile, IdentityError, and WrongSecret if no vault fits.

    Files without a recipient need no identity.
    """

    def __init__(self, file: IO[bytes], vaults: Sequence[Vault], identities: Sequence[X25519PrivateKey] = ()) -> None:
        self._file = file
        self._header = file.read(HEADER_BYTES)
        key = _find_key(self._header, vaults)
        if self._header.startswith(RECIPIENT_MAGIC):
            self._header += file.read(RECIPIENT_BYTES)
            key = _key_for_recipient(self._header, key, identities)
        self._cipher = AESGCM(key)
        self._frames = 0
        self._plain = memoryview(b"")
        self._next = file.read(FRAME_BYTES + TAG_BYTES)

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, target: "WriteableBuffer", /) -> int:
        """Read decrypted bytes into a buffer."""
        if not self._plain:
            self._read_frame()
        view = memoryview(target).cast("B")
        size = min(len(view), len(self._plain))
        view[:size] = self._plain[:size]
        self._plain = self._plain[size:]
        return size

    def _read_frame(self) -> None:
        if not self._next and self._frames:
            return
        sealed, self._next = self._next, self._file.read(FRAME_BYTES + TAG_BYTES)
        try:
            plain = self._cipher.decrypt(_nonce(self._frames, not self._next), sealed, self._header)
        except (InvalidTag, ValueError) as error:
            raise ChangedFile("it was changed or truncated after it was written") from error
        self._plain = memoryview(plain)
        self._frames += 1


def _find_key(header: bytes, vaults: Sequence[Vault]) -> bytes:
    if len(header) != HEADER_BYTES or not header.startswith((MAGIC, RECIPIENT_MAGIC)):
        raise ChangedFile("it has no complete header")
    salt, check = header[len(MAGIC) : -CHECK_BYTES], header[-CHECK_BYTES:]
    for vault in vaults:
        key = vault.file_key(salt)
        if hmac.compare_digest(_key_check(key), check):
            return key
    raise WrongSecret


def _key_for_recipient(header: bytes, key: bytes, identities: Sequence[X25519PrivateKey]) -> bytes:
    """Return the key of a file for a recipient, whose identity must be given. `key` is that of the secret."""
    if not identities:
        raise IdentityError("it was encrypted for a recipient; pass its identity file with --identity")
    if len(header) != HEADER_BYTES + RECIPIENT_BYTES:
        raise ChangedFile("it has no complete header")
    sender = X25519PublicKey.from_public_bytes(header[HEADER_BYTES:-CHECK_BYTES])
    for identity in identities:
        try:
            shared = _shared_key(identity.exchange(sender), key, sender, identity.public_key())
        except ValueError as error:  # a low-order point
            raise ChangedFile("it was changed or truncated after it was written") from error
        if hmac.compare_digest(_key_check(shared), header[-CHECK_BYTES:]):
            return shared
    raise IdentityError("it was encrypted for another recipient, or its header was changed")


def _shared_key(exchanged: bytes, key: bytes, sender: X25519PublicKey, recipient: X25519PublicKey) -> bytes:
    """Return the key of a file for a recipient, from the X25519 shared secret and the key of the secret."""
    salt = sender.public_bytes_raw() + recipient.public_bytes_raw()
    return HKDF(SHA256(), KEY_BYTES, salt=salt, info=b"gaji file for a recipient").derive(exchanged + key)


def _key_check(key: bytes) -> bytes:
    """Return a value by which the right key is recognised before anything is decrypted."""
    return hmac.digest(key, b"check", sha256)[:CHECK_BYTES]


def _nonce(frame: int, is_last: bool) -> bytes:
    return frame.to_bytes(COUNTER_BYTES, "big") + bytes([is_last])
