"""Encrypted files of the archived write-ahead log (WAL), and the service that archives and restores them.

A file has a digest and then an encrypted file (`encrypted_file.py`) with the compressed segment. The digest is keyed
with the secret and covers the name too, so a segment under another name is refused. It also shows whether a segment is
archived already, without decrypting it.

PostgreSQL's user may not be able to run Python, and does not know the secret. So its commands only ask, with files in a
folder (`embedded/wal_archive.py`), and every process of Gaji that uses the database answers, in a thread.
"""

import hmac
import io
import os
import re
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import TracebackType

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from gaji.core.logs import LogLevel, log
from gaji.core.vault import Vault
from gaji.db.embedded.folders import sync_folder
from gaji.db.embedded.system_user import SystemUser
from gaji.db.embedded.wal_archive import ENCRYPTED, WalArchive
from gaji.db.encrypted_file import (
    ChangedFile,
    IdentityError,
    WrongSecret,
    open_compressed,
    write_compressed,
)

POLL_S = 0.1
DIGEST_BYTES = 32
COMPRESSION_LEVEL = 1
"""Higher levels take much longer and save little."""
SEGMENT_NAME = re.compile(r"[0-9A-F]{24}(\.[0-9A-F]{8}\.backup|\.partial)?|[0-9A-F]{8}\.history")


class SegmentError(Exception):
    """A segment cannot be archived or restored. The message says why."""


@dataclass(frozen=True)
class SegmentFiles:
    """The files of an archive, and the user to whom they belong."""

    archive: WalArchive
    user: SystemUser

    def store(self, name: str, content: bytes, vault: Vault, recipient: X25519PublicKey | None) -> None:
        """Write a segment durably. One that is archived already must be the same."""
        path = self._path(name)
        digest = _digest(vault, name, content)
        if os.path.lexists(path):
            with _opened(path) as file:
                if hmac.compare_digest(file.read(DIGEST_BYTES), digest):
                    return
            raise SegmentError(f"{path} exists and is another segment; use a folder of its own for each database")
        with new_file(path, self.user) as file:
            file.write(digest)
            with write_compressed(file, vault, recipient, COMPRESSION_LEVEL) as compressed:
                compressed.write(content)

    def load(
        self, name: str, vaults: Sequence[Vault], identity: X25519PrivateKey | None, *, allow_unencrypted: bool
    ) -> bytes | None:
        """Return a segment, or None if it is not in the archive. Raises SegmentError if it must not be used."""
        path, plain = self._path(name), self.archive.segments / name
        if not os.path.lexists(path):
            if not plain.exists():
                return None
            if not allow_unencrypted:
                raise SegmentError(f"{plain} is not encrypted. If you trust the archive, add --allow-unencrypted")
            return plain.read_bytes()
        try:
            with _opened(path) as file:
                digest = file.read(DIGEST_BYTES)
                content = open_compressed(file, vaults, identity).read()
        except WrongSecret:
            raise SegmentError(f"{path} was written with another secret, which must be in place") from None
        except IdentityError as error:
            raise SegmentError(f"{path} cannot be read: {error}") from None
        except (ChangedFile, EOFError):
            raise SegmentError(f"{path} was changed or truncated after it was written") from None
        except OSError as error:
            raise SegmentError(f"{path} cannot be read: {error}") from error
        if not any(hmac.compare_digest(_digest(vault, name, content), digest) for vault in vaults):
            raise SegmentError(f"{path} was changed, or renamed, after it was written")
        return content

    def _path(self, name: str) -> Path:
        return self.archive.segments / f"{name}{ENCRYPTED}"


@contextmanager
def new_file(path: Path, user: SystemUser) -> Iterator[io.BufferedWriter]:
    """Create a file of this user under a temporary name, and rename it when it is complete and on disk."""
    unfinished = path.with_name(f"unfinished-{secrets.token_hex(8)}")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        with open(descriptor, "wb") as file:
            if os.geteuid() == 0:
                os.fchown(descriptor, user.uid, user.gid)
            yield file
            file.flush()
            os.fsync(descriptor)
        unfinished.rename(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def _opened(path: Path) -> io.BufferedReader:
    return open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb")


def _digest(vault: Vault, name: str, content: bytes) -> bytes:
    return hmac.digest(vault.file_key(f"segment {name}".encode()), content, sha256)


@dataclass(frozen=True)
class SegmentKeys:
    """What decrypts the segments that a recovery asks for."""

    vaults: Sequence[Vault]
    identity: X25519PrivateKey | None = None
    allow_unencrypted: bool = False


class SegmentService:
    """Answers PostgreSQL's requests to archive and restore segments, in a thread."""

    def __init__(
        self,
        data: Path,
        files: SegmentFiles,
        recipient: X25519PublicKey | None,
        load_vault: Callable[[], Vault | None],
        keys: SegmentKeys | None = None,
    ) -> None:
        self.refusal = ""
        """Why a segment was not restored, if one was refused."""
        self._requests = files.archive.requests(data)
        self._log_folder = data.resolve() / "postgres" / "pg_wal"
        self._files = files
        self._recipient = recipient
        self._load_vault = load_vault
        self._vault: Vault | None = None
        self._keys = keys
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="WAL archive", daemon=True)

    def __enter__(self) -> "SegmentService":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.set()
        self._thread.join()

    def find_vault(self) -> Vault | None:
        """Return the vault whose secret matches the database, or None if it has none yet.

        It is looked for while the database accepts connections: the last segment is archived when it no longer does.
        """
        if self._vault is None:
            self._vault = self._load_vault()
        return self._vault

    def _serve(self) -> None:
        while not self._stopping.wait(POLL_S):
            with suppress(FileNotFoundError):  # the folder, before the first start
                for path in sorted(self._requests.iterdir()):
                    if path.suffix in (".archive", ".restore"):
                        self._answer(path)

    def _answer(self, request: Path) -> None:
        """Answer a request, unless another process does. Without an answer, PostgreSQL asks again."""
        taken, name = request.with_suffix(".taken"), request.stem
        try:
            request.rename(taken)
        except FileNotFoundError:
            return
        try:
            if SEGMENT_NAME.fullmatch(name) is None:
                raise SegmentError(f"{name!r} is not the name of a segment")
            if request.suffix == ".archive":
                self._archive(name)
                taken.rename(request.with_suffix(".done"))
            else:
                self._restore(name, request)
        except Exception as error:
            log(LogLevel.ERROR, "log not archived", file=name, error=f"{type(error).__name__}: {error}")
        finally:
            taken.unlink(missing_ok=True)

    def _archive(self, name: str) -> None:
        vault = self.find_vault()
        if vault is None:
            raise SegmentError("the database has no secret yet")
        with _opened(self._log_folder / name) as file:
            content = file.read()
        self._files.store(name, content, vault, self._recipient)

    def _restore(self, name: str, request: Path) -> None:
        if self._keys is None:
            return
        keys = self._keys
        try:
            content = self._files.load(name, keys.vaults, keys.identity, allow_unencrypted=keys.allow_unencrypted)
        except SegmentError as error:
            self.refusal = str(error)
            request.with_suffix(".refused").touch()
            return
        if content is not None:
            with new_file(request.with_suffix(".done"), self._files.user) as file:
                file.write(content)
