"""The file format of a backup: a compressed tar with a manifest, the rows of each table in parts, and a checksum.

It is written and read as a stream, so its size does not matter. The file is encrypted (`encrypted_file.py`). Those of
format 1 were not; the checksum at their end covers everything before it.
"""

import contextlib
import gzip
import io
import tarfile
import zlib
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import IO, Protocol

import msgspec
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from gaji.core.system_rights import as_starter
from gaji.core.vault import Vault
from gaji.db.encrypted_file import ChangedFile, DecryptingFile, IdentityError, is_encrypted, write_compressed

FORMAT = 2
MANIFEST = "manifest.json"
CHECKSUM = "sha256"
PART_BYTES = 4 * 1024 * 1024
BLOCK_BYTES = 1024 * 1024
MAX_MANIFEST_BYTES = 16 * 1024 * 1024
COMPRESSION_LEVEL = 4
"""Higher levels take much longer and save little."""


class BackupError(Exception):
    """The backup cannot be created or restored. The message says why and what to do."""


class TableRows(msgspec.Struct, frozen=True):
    """The number of rows of one table in a backup."""

    name: str
    columns: tuple[str, ...]
    rows: int


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """The first entry of a backup: its version and contents."""

    format: int = FORMAT
    gaji_version: str
    schema_version: int
    made_at: datetime
    check: bytes
    """A value that only the right secret can decrypt."""
    tables: tuple[TableRows, ...]
    """In the order of the file, in which they can also be filled."""
    sequences: dict[str, int]
    """The next value of each sequence."""

    @property
    def rows(self) -> int:
        """The number of rows in all tables."""
        return sum(table.rows for table in self.tables)


class _FormatOnly(msgspec.Struct):
    format: int


class Digest(Protocol):
    """A hash object of hashlib."""

    def update(self, data: bytes, /) -> None:
        """Add bytes."""

    def hexdigest(self) -> str:
        """Return the hash of all bytes."""


class ArchiveWriter:
    """Appends entries, and computes the checksum over all of them."""

    def __init__(self, tar: tarfile.TarFile, made_at: datetime) -> None:
        self._tar = tar
        self._hash: Digest = sha256()
        self._made_at = int(made_at.timestamp())

    def add(self, name: str, data: bytes) -> None:
        """Append one entry."""
        _add_header(self._hash, name, len(data))
        self._hash.update(data)
        self._append(name, data)

    def add_checksum(self) -> None:
        """Append the checksum as the last entry."""
        self._append(CHECKSUM, self._hash.hexdigest().encode())

    def _append(self, name: str, data: bytes) -> None:
        entry = tarfile.TarInfo(name)
        entry.size, entry.mode, entry.mtime = len(data), 0o600, self._made_at
        self._tar.addfile(entry, io.BytesIO(data))


@dataclass(frozen=True)
class BackupFile:
    """A backup to read, the vaults of which one can decrypt it, and identities if it is for a recipient."""

    path: Path
    vaults: Sequence[Vault]
    identities: Sequence[X25519PrivateKey] = ()

    @contextlib.contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Open the tar file inside. Raises WrongSecret, IdentityError and ChangedFile."""
        with as_starter():
            file = self.path.open("rb")
        with file:
            if is_encrypted(self.path):
                decrypting = DecryptingFile(file, self.vaults, self.identities)
                yield _decompressed(io.BufferedReader(decrypting, BLOCK_BYTES))
            elif self.identities:
                raise IdentityError("it is not encrypted; leave out --identity")
            else:
                yield _decompressed(file)


@contextlib.contextmanager
def open_archive(
    file: IO[bytes], manifest: Manifest, vault: Vault, recipient: X25519PublicKey | None = None
) -> Iterator[ArchiveWriter]:
    """Write the manifest and yield the writer for the rows. The file is completed if the block succeeds."""
    with (
        write_compressed(file, vault, recipient, COMPRESSION_LEVEL) as compressed,
        tarfile.open(fileobj=compressed, mode="w:") as tar,
    ):
        writer = ArchiveWriter(tar, manifest.made_at)
        writer.add(MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)))
        yield writer
        writer.add_checksum()


class TableWriter:
    """Writes the rows of one table in parts of a suitable size."""

    def __init__(self, writer: ArchiveWriter, table: str) -> None:
        self._writer = writer
        self._table = table
        self._parts = 0
        self._buffer = bytearray()

    async def write(self, data: bytes) -> None:
        """Add data from the database."""
        self._buffer += data
        if len(self._buffer) >= PART_BYTES:
            self.flush()

    def flush(self) -> None:
        """Append the buffered data as one entry."""
        if self._buffer:
            self._parts += 1
            self._writer.add(f"tables/{self._table}/{self._parts:06d}", bytes(self._buffer))
            self._buffer.clear()


def read_manifest(file: BackupFile) -> Manifest:
    """Return the manifest. The rest of the file is not checked."""
    data, path = bytearray(), file.path
    with contextlib.closing(read_entries(file)) as entries:
        for name, block in entries:
            if name != MANIFEST:
                break
            data += block
            if len(data) > MAX_MANIFEST_BYTES:
                raise _invalid_file(path, "its manifest is too long")
    try:
        file_format = msgspec.json.decode(data, type=_FormatOnly).format
        if file_format > FORMAT:
            raise BackupError(
                f"{path} was made by a newer version of Gaji (format {file_format}); restore it with that version"
            )
        return msgspec.json.decode(data, type=Manifest)
    except msgspec.DecodeError as error:
        raise _invalid_file(path, "it does not begin with a manifest") from error


def verify(file: BackupFile) -> None:
    """Read the whole file and check it. Raises BackupError."""
    for _ in read_entries(file):
        pass


def read_entries(file: BackupFile) -> Generator[tuple[str, bytes], None, None]:
    """Yield the name and data of each entry, in blocks. Raises BackupError, at the end at the latest."""
    path = file.path
    try:
        with file.open() as opened, tarfile.open(fileobj=opened, mode="r|") as tar:
            digest: Digest = sha256()
            verified = False
            for entry in tar:
                if verified or not entry.isreg():
                    raise _invalid_file(path, f"it has an unexpected entry {entry.name!r}")
                if entry.name == CHECKSUM:
                    verified = b"".join(_blocks(tar, entry, max_bytes=64)) == digest.hexdigest().encode()
                    continue
                _add_header(digest, entry.name, entry.size)
                for block in _blocks(tar, entry, max_bytes=entry.size):
                    digest.update(block)
                    yield entry.name, block
            _read_to_end(tar)
        if not verified:
            raise _invalid_file(path, "it is truncated or corrupted")
    except (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError, ValueError, ChangedFile) as error:
        raise _invalid_file(path, str(error)) from error


def table_name(name: str) -> str:
    """Return the table of an entry, or an empty string."""
    return name.split("/")[1] if name.startswith("tables/") else ""


def _blocks(tar: tarfile.TarFile, entry: tarfile.TarInfo, max_bytes: int) -> Iterator[bytes]:
    file = tar.extractfile(entry)
    left = min(entry.size, max_bytes)
    while file is not None and left > 0:
        block = file.read(min(BLOCK_BYTES, left))
        if not block:
            raise EOFError("it is truncated")
        left -= len(block)
        yield block


def _read_to_end(tar: tarfile.TarFile) -> None:
    # gzip compares its own checksum only at the end of the file.
    while tar.fileobj is not None and tar.fileobj.read(BLOCK_BYTES):
        pass


def _decompressed(file: io.BufferedReader) -> IO[bytes]:
    """Return the tar file, which may already have been decompressed."""
    is_compressed = file.peek(2)[:2] == b"\x1f\x8b"
    return gzip.GzipFile(fileobj=file, mode="rb") if is_compressed else file  # type: ignore[return-value]


def _add_header(digest: Digest, name: str, size: int) -> None:
    digest.update(f"{name}\n{size}\n".encode())


def _invalid_file(path: Path, reason: str) -> BackupError:
    return BackupError(f"{path} is not a valid backup of Gaji: {reason}. Use another copy")
