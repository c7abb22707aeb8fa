"""Encrypted files of the archived write-ahead log (WAL), and the service that archives and restores them.

A file has a digest and then an encrypted file (`encrypted_file.py`) with the compressed segment. The digest is keyed
with the secret and covers the name too, so a segment under another name is refused. It also shows whether a segment is
archived already, without decrypting it.

PostgreSQL's user may not be able to run Python, and does not know the secret. Its commands only create request files in
a folder (`embedded/wal_archive.py`), and every process of Gaji that uses the database answers, in a thread.
"""

import hmac
import io
import os
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import TracebackType

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from gaji.core.logs import LogLevel, log
from gaji.core.system_rights import rights_lock
from gaji.core.vault import Vault
from gaji.db.embedded.folders import sync_folder
from gaji.db.embedded.system_user import SystemUser
from gaji.db.embedded.wal_archive import ENCRYPTED, WalArchive
from gaji.db.encrypted_file import (
    ChangedFile,
    IdentityError,
    WrongSecret,
    has_known_secret,
    open_compressed,
    write_compressed,
)

POLL_S = 0.1
RETRY_S = 1.0
PAUSE_S = 30.0
"""How long a process that cannot write to the archive leaves requests to other processes."""
GRACE_S = 2.0
"""How long it leaves each of them to others. Without others, PostgreSQL should not wait for an answer in vain."""
END_TIMEOUT_S = 20.0
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

    def store(self, name: str, content: bytes, vaults: Sequence[Vault], recipient: X25519PublicKey | None) -> None:
        """Write a segment durably, with the first vault. One that is archived already must be the same."""
        path = self._path(name)
        if _exists(path):
            with _opened(path) as file:
                digest = file.read(DIGEST_BYTES)
                if any(hmac.compare_digest(_digest(vault, name, content), digest) for vault in vaults):
                    sync_folder(path.parent)
                    return
                # After a rotation, the secret of an earlier segment may be gone.
                if not vaults[0].is_rotated or has_known_secret(file, vaults):
                    raise SegmentError(f"{path} exists and is another segment; use a separate folder for each database")
            # It may also be of another database that uses the same folder by mistake, so it is kept.
            replaced = path.with_name(f"{name}.replaced-{secrets.token_hex(8)}{ENCRYPTED}")
            os.link(path, replaced)  # not renamed: there is a file at any time
            try:
                self.write(name, content, vaults[0], recipient)
            except BaseException:
                replaced.unlink()
                raise
            reason = "encrypted with an unknown secret"
            log(LogLevel.WARNING, "log archived again", file=name, reason=reason, kept=replaced.name)
        else:
            self.write(name, content, vaults[0], recipient)

    def write(self, name: str, content: bytes, vault: Vault, recipient: X25519PublicKey | None) -> None:
        """Write a segment durably. Replace one that is archived already."""
        with new_file(self._path(name), self.user) as file:
            file.write(_digest(vault, name, content))
            with write_compressed(file, vault, recipient, COMPRESSION_LEVEL) as compressed:
                compressed.write(content)

    def load(
        self, name: str, vaults: Sequence[Vault], identities: Sequence[X25519PrivateKey], *, allow_unencrypted: bool
    ) -> bytes | None:
        """Return a segment, or None if it is not in the archive. Raises SegmentError if it must not be used."""
        path, plain = self._path(name), self.archive.segments / name
        if not _exists(path):
            if not _exists(plain):
                return None
            if not allow_unencrypted:
                raise SegmentError(f"{plain} is not encrypted. If you trust the archive, add --allow-unencrypted")
            return plain.read_bytes()
        try:
            with _opened(path) as file:
                digest = file.read(DIGEST_BYTES)
                content = open_compressed(file, vaults, identities).read()
        except WrongSecret:
            raise SegmentError(
                f"{path} cannot be read: it was encrypted with another secret; restore that secret first"
            ) from None
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
    with rights_lock:
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        with open(descriptor, "wb") as file:
            if os.fstat(descriptor).st_uid != user.uid:
                os.fchown(descriptor, user.uid, user.gid)
            yield file
            file.flush()
            os.fsync(descriptor)
        unfinished.rename(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def _exists(path: Path) -> bool:
    """Return whether there is a file. Unlike `os.path.lexists`, raises an error if that cannot be found out."""
    try:
        path.lstat()
    except FileNotFoundError:
        return False
    return True


def _opened(path: Path) -> io.BufferedReader:
    return open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb")


def _digest(vault: Vault, name: str, content: bytes) -> bytes:
    return hmac.digest(vault.file_key(f"segment {name}".encode()), content, sha256)


@dataclass(frozen=True)
class SegmentKeys:
    """What decrypts the segments that a recovery asks for."""

    vaults: Sequence[Vault]
    identities: Sequence[X25519PrivateKey] = ()
    allow_unencrypted: bool = False


class SegmentService:
    """Answers PostgreSQL's requests to archive and restore segments, in a thread."""

    def __init__(
        self,
        data: Path,
        files: SegmentFiles,
        recipient: X25519PublicKey | None,
        load_vaults: Callable[[], Sequence[Vault]],
        keys: SegmentKeys | None = None,
    ) -> None:
        self.refusal = ""
        """Why a segment was not restored, if one was refused."""
        self._requests = files.archive.requests(data)
        self._log_folder = data.resolve() / "postgres" / "pg_wal"
        self._files = files
        self._recipient = recipient
        self._load_vaults = load_vaults
        self._vaults: Sequence[Vault] = ()
        self._keys = keys
        self._paused_until = 0.0
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="WAL archive", daemon=True)

    def __enter__(self) -> "SegmentService":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.set()
        self._thread.join(END_TIMEOUT_S)  # not for ever: the disk of the archive may hang

    def find_vaults(self) -> Sequence[Vault]:
        """Return the vault whose secret matches the database, then others that are known. Empty if it has none yet.

        They are loaded while the database accepts connections: the last segment is archived when it no longer does.
        """
        if not self._vaults:
            self._vaults = self._load_vaults()
        return self._vaults

    def _serve(self) -> None:
        while not self._stopping.wait(POLL_S):
            try:
                self._answer_all()
            except FileNotFoundError:  # the folder, before the first start
                pass
            except Exception as error:
                log(LogLevel.ERROR, "log archive failed", error=_describe(error))
                self._stopping.wait(RETRY_S)

    def _answer_all(self) -> None:
        for path in sorted(self._requests.iterdir()):
            if path.suffix == ".archive" and not self._leaves_to_others(path):
                self._answer(path, self._archive)
            elif path.suffix == ".restore" and self._keys is not None:
                self._answer(path, self._restore)

    def _leaves_to_others(self, request: Path) -> bool:
        return time.monotonic() < self._paused_until and time.time() - request.stat().st_mtime < GRACE_S

    def _answer(self, request: Path, answer: Callable[[Path], None]) -> None:
        """Answer a request, unless another process does."""
        taken = request.with_suffix(".taken")
        try:
            request.rename(taken)
        except FileNotFoundError:
            return
        answer(taken)

    def _archive(self, taken: Path) -> None:
        """Archive a segment. Without an answer, PostgreSQL asks again."""
        try:
            self._store(taken.stem)
        except Exception as error:
            log(LogLevel.ERROR, "log not archived", file=taken.stem, error=_describe(error))
            if isinstance(error, OSError):
                self._paused_until = time.monotonic() + PAUSE_S
            taken.unlink(missing_ok=True)
        else:
            with suppress(FileNotFoundError):  # PostgreSQL did not wait so long, and asks again
                taken.rename(taken.with_suffix(".done"))

    def _store(self, name: str) -> None:
        vaults = self.find_vaults()
        if not vaults:
            raise SegmentError("the database has no secret yet")
        _require_segment_name(name)
        self._files.store(name, read_file(self._log_folder / name), vaults, self._recipient)

    def _restore(self, taken: Path) -> None:
        """Restore a segment, if it is in the archive. If that fails, the recovery must end."""
        try:
            content = self._load(taken.stem)
            if content is not None:
                with new_file(taken.with_suffix(".done"), self._files.user) as file:
                    file.write(content)
        except Exception as error:
            self.refusal = str(error) if isinstance(error, SegmentError) else _describe(error)
            log(LogLevel.ERROR, "log not restored", file=taken.stem, error=self.refusal)
            taken.rename(taken.with_suffix(".refused"))
        else:
            taken.unlink(missing_ok=True)

    def _load(self, name: str) -> bytes | None:
        keys = self._keys or SegmentKeys(())
        _require_segment_name(name)
        return self._files.load(name, keys.vaults, keys.identities, allow_unencrypted=keys.allow_unencrypted)


def read_file(path: Path) -> bytes:
    """Return the content of a file. Links are not followed."""
    with _opened(path) as file:
        return file.read()


def _require_segment_name(name: str) -> None:
    if SEGMENT_NAME.fullmatch(name) is None:
        raise SegmentError(f"{name!r} is not the name of a segment")


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
