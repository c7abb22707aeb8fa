"""The file of a backup: a compressed tar with a manifest, the rows of each table in pieces, and a seal at the end.

It is written and read as a stream, so its size does not matter. The seal is a hash over all that comes before it: a
file that was cut short, or of which one byte changed, has no seal or a wrong one.
"""

import contextlib
import gzip
import io
import tarfile
import zlib
from collections.abc import Generator, Iterator
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import IO, Protocol

import msgspec

FORMAT = 1
MANIFEST = "manifest.json"
SEAL = "sha256"
PIECE_BYTES = 4 * 1024 * 1024
BLOCK_BYTES = 1024 * 1024
MOST_MANIFEST_BYTES = 16 * 1024 * 1024
COMPRESSION = 4
"""Most of the size goes with the first levels, most of the time with the last."""


class BackupError(Exception):
    """The backup cannot be made or restored; the message says why and what to do."""


class TableRows(msgspec.Struct, frozen=True):
    """What a backup has of one table."""

    name: str
    columns: tuple[str, ...]
    rows: int


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a backup is, ahead of what is in it."""

    format: int = FORMAT
    gaji_version: str
    schema_version: int
    made_at: datetime
    check: bytes
    """Opens with the right secret only."""
    tables: tuple[TableRows, ...]
    """In the order in which the file holds them, and in which they can be filled."""
    sequences: dict[str, int]
    """What each gives next."""

    @property
    def rows(self) -> int:
        """How many rows there are in all tables together."""
        return sum(table.rows for table in self.tables)


class _FormatOnly(msgspec.Struct):
    format: int


class Hash(Protocol):
    """What hashlib gives."""

    def update(self, data: bytes, /) -> None:
        """Take more bytes in."""

    def hexdigest(self) -> str:
        """The hash of all bytes so far."""


class Writer:
    """Appends entries, and remembers the hash over all of them."""

    def __init__(self, tar: tarfile.TarFile, made_at: datetime) -> None:
        self._tar = tar
        self._hash: Hash = sha256()
        self._made_at = int(made_at.timestamp())

    def add(self, name: str, data: bytes) -> None:
        """Append one entry."""
        _take_in(self._hash, name, len(data))
        self._hash.update(data)
        self._append(name, data)

    def seal(self) -> None:
        """Append the last entry, without which the file is not whole."""
        self._append(SEAL, self._hash.hexdigest().encode())

    def _append(self, name: str, data: bytes) -> None:
        entry = tarfile.TarInfo(name)
        entry.size, entry.mode, entry.mtime = len(data), 0o600, self._made_at
        self._tar.addfile(entry, io.BytesIO(data))


@contextlib.contextmanager
def writing(file: IO[bytes], manifest: Manifest) -> Iterator[Writer]:
    """The archive of this manifest, for the rows to be added; it is sealed only when the block ends well."""
    with (
        gzip.GzipFile(filename="", fileobj=file, mode="wb", compresslevel=COMPRESSION) as compressed,
        tarfile.open(fileobj=compressed, mode="w:") as tar,
    ):
        writer = Writer(tar, manifest.made_at)
        writer.add(MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)))
        yield writer
        writer.seal()


class TableWriter:
    """The rows of one table on their way into the file, gathered into pieces of a fair size."""

    def __init__(self, writer: Writer, table: str) -> None:
        self._writer = writer
        self._table = table
        self._pieces = 0
        self._gathered = bytearray()

    async def write(self, data: bytes) -> None:
        """Take what the database sends."""
        self._gathered += data
        if len(self._gathered) >= PIECE_BYTES:
            self.flush()

    def flush(self) -> None:
        """Append what is gathered as one entry."""
        if self._gathered:
            self._pieces += 1
            self._writer.add(f"tables/{self._table}/{self._pieces:06d}", bytes(self._gathered))
            self._gathered.clear()


def read_manifest(path: Path) -> Manifest:
    """The manifest alone; the rest of the file may still turn out to be broken."""
    data = bytearray()
    with contextlib.closing(contents(path)) as entries:
        for name, block in entries:
            if name != MANIFEST:
                break
            data += block
            if len(data) > MOST_MANIFEST_BYTES:
                raise _broken(path, "its manifest is too long")
    try:
        found = msgspec.json.decode(data, type=_FormatOnly).format
        if found > FORMAT:
            raise BackupError(f"{path} was made by a newer Gaji (format {found}); restore it with that one")
        return msgspec.json.decode(data, type=Manifest)
    except msgspec.DecodeError as error:
        raise _broken(path, "it does not begin with a manifest") from error


def verify(path: Path) -> None:
    """Read the whole file once and refuse it unless it is as it was written."""
    for _ in contents(path):
        pass


def contents(path: Path) -> Generator[tuple[str, bytes], None, None]:
    """The name and bytes of each entry, in blocks; refuses at the end, at the latest, a file that is not whole."""
    try:
        with path.open("rb") as file, tarfile.open(fileobj=_decompressed(file), mode="r|") as tar:
            seen: Hash = sha256()
            sealed = False
            for entry in tar:
                if sealed or not entry.isreg():
                    raise _broken(path, f"it has an entry {entry.name!r} that does not belong there")
                if entry.name == SEAL:
                    sealed = b"".join(_blocks(tar, entry, most=64)) == seen.hexdigest().encode()
                    continue
                _take_in(seen, entry.name, entry.size)
                for block in _blocks(tar, entry, most=entry.size):
                    seen.update(block)
                    yield entry.name, block
            _read_to_the_end(tar)
        if not sealed:
            raise _broken(path, "it was cut short or changed")
    except (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError, ValueError) as error:
        raise _broken(path, str(error)) from error


def table_of(name: str) -> str:
    """The table that an entry has rows of."""
    return name.split("/")[1] if name.startswith("tables/") else ""


def _blocks(tar: tarfile.TarFile, entry: tarfile.TarInfo, most: int) -> Iterator[bytes]:
    file = tar.extractfile(entry)
    left = min(entry.size, most)
    while file is not None and left > 0:
        block = file.read(min(BLOCK_BYTES, left))
        if not block:
            raise EOFError("it was cut short")
        left -= len(block)
        yield block


def _read_to_the_end(tar: tarfile.TarFile) -> None:
    # Only at the end of the compressed file is its own check sum compared.
    while tar.fileobj is not None and tar.fileobj.read(BLOCK_BYTES):
        pass


def _decompressed(file: IO[bytes]) -> IO[bytes]:
    """The tar inside, also of a file that someone decompressed already."""
    is_compressed = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    return gzip.GzipFile(fileobj=file, mode="rb") if is_compressed else file  # type: ignore[return-value]


def _take_in(seen: Hash, name: str, size: int) -> None:
    seen.update(f"{name}\n{size}\n".encode())


def _broken(path: Path, why: str) -> BackupError:
    return BackupError(f"{path} is not a whole backup of Gaji: {why}. Use another copy of it")
