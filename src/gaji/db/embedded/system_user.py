"""The operating-system user of PostgreSQL: the current user, or `gaji` for root, as which PostgreSQL does not run."""

import fcntl
import grp
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from gaji.core.forks import postponed_forks
from gaji.db.embedded.errors import EmbeddedServerError

DEDICATED = "gaji"
USER_DATABASE = "/etc"
"""The folder of the files with users and groups."""
MESSAGE_BYTES = 4000
"""How much of the end of a program's messages is reported."""

# Other variables are not passed on: GAJI_SECRET_KEY is secret, and PG* variables would change the programs' behaviour.
PASSED_VARIABLES = ("PATH", "LD_LIBRARY_PATH")

_FIRST_BLOCKED = """
number=0
for folder; do
  test -x "$folder" || { echo "$number"; exit; }
  number=$((number + 1))
done
"""


@dataclass(frozen=True)
class SystemUser:
    """The user that PostgreSQL runs as."""

    name: str
    uid: int
    gid: int
    is_dedicated: bool

    @property
    def may_log_in(self) -> tuple[str, ...]:
        """The operating-system users that may log in to the server."""
        return (pwd.getpwuid(0).pw_name, self.name) if self.is_dedicated else (self.name,)

    def run(
        self, command: Sequence[str | Path], *, stdin: str = "", stderr: int = subprocess.PIPE
    ) -> subprocess.CompletedProcess[str]:
        """Run a program as this user, in a new session, and return its exit code and output."""
        with postponed_forks():
            return subprocess.run(
                command,
                input=stdin,
                stdout=subprocess.PIPE,
                stderr=stderr,
                encoding="utf-8",
                errors="replace",
                check=False,
                cwd="/",  # the user may not have access to our working directory
                env=_environment(),
                umask=0o077,
                start_new_session=True,  # Ctrl-C must not reach the server, which we stop in order
                user=self.uid if self.is_dedicated else None,
                group=self.gid if self.is_dedicated else None,
                extra_groups=() if self.is_dedicated else None,
            )

    @contextmanager
    def start(
        self, command: Sequence[str | Path], *, shows_messages: bool = False
    ) -> Iterator[subprocess.Popen[bytes]]:
        """Run a program as this user during the block, with pipes. It is killed if the block fails.

        Raises EmbeddedServerError if the program fails, with its messages unless they are shown.
        """
        # Messages go to a file: nobody reads them before the program ends, and a pipe could become full.
        with tempfile.TemporaryFile() as messages:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None if shows_messages else messages,
                cwd="/",
                env=_environment(),
                umask=0o077,
                start_new_session=True,
                user=self.uid if self.is_dedicated else None,
                group=self.gid if self.is_dedicated else None,
                extra_groups=() if self.is_dedicated else None,
            )
            with process:
                try:
                    with suppress(BrokenPipeError):  # the program ended early, and says why
                        yield process
                    process.communicate()
                except BaseException:
                    process.kill()
                    with suppress(BrokenPipeError):
                        cast(IO[bytes], process.stdin).close()
                    raise
            if process.returncode != 0:
                raise EmbeddedServerError(f"{Path(command[0]).name} failed: {_end(messages) or 'see its messages'}")

    def first_blocked(self, folders: Iterable[Path]) -> Path | None:
        """Return the first of these folders that this user cannot enter."""
        candidates = list(folders)
        number = self.run(["/bin/sh", "-c", _FIRST_BLOCKED, "sh", *candidates]).stdout.strip()
        return candidates[int(number)] if number else None


def _end(messages: IO[bytes]) -> str:
    messages.seek(max(0, messages.seek(0, os.SEEK_END) - MESSAGE_BYTES))
    return messages.read().decode(errors="replace").strip()


def server_user() -> SystemUser:
    """Return the user that PostgreSQL runs as. For root, the dedicated user is created if it is missing."""
    if os.geteuid() == 0:
        entry = _dedicated_entry()
        return SystemUser(entry.pw_name, entry.pw_uid, entry.pw_gid, is_dedicated=True)
    try:
        entry = pwd.getpwuid(os.geteuid())
    except KeyError:
        raise EmbeddedServerError(
            f"User id {os.geteuid()} has no name on this system, and PostgreSQL runs only as a named user; "
            "add it to the system's users, or set GAJI_DATABASE_URL to your own PostgreSQL server"
        ) from None
    return SystemUser(entry.pw_name, os.geteuid(), os.getegid(), is_dedicated=False)


def _dedicated_entry() -> pwd.struct_passwd:
    entry = _find_user(DEDICATED) or _create_dedicated()
    if entry.pw_uid == 0:
        raise EmbeddedServerError(
            f"The user {DEDICATED} has user ID 0, and PostgreSQL does not run as root; change its ID"
        )
    return entry


def _create_dedicated() -> pwd.struct_passwd:
    problem = ""
    with _lock_user_creation():
        for _ in range(5):  # another program may hold the lock of the user database
            if entry := _find_user(DEDICATED):
                return entry
            for command in _creation_commands():
                problem = subprocess.run(command, capture_output=True, text=True, check=False).stderr.strip()
            if entry := _find_user(DEDICATED):
                return entry
            time.sleep(0.5)
    raise EmbeddedServerError(
        f"Could not create the system user {DEDICATED} that PostgreSQL runs as when Gaji is started by root "
        f"({problem or 'neither useradd nor adduser is installed'}); create it, or start Gaji as another user"
    )


@contextmanager
def _lock_user_creation() -> Iterator[None]:
    """Let one process at a time create the user.

    Two processes that run useradd for the same name at once may both succeed, and the second one gives the user another
    ID. The lock is on a folder that every system has, so it leaves no file behind.
    """
    folder = os.open(USER_DATABASE, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _creation_commands() -> list[list[str]]:
    home, shell = "/nonexistent", "/usr/sbin/nologin"
    if shutil.which("useradd"):
        group = ["--gid", DEDICATED] if _has_group(DEDICATED) else ["--user-group"]
        options = ["--system", "--no-create-home", "--home-dir", home, "--shell", shell]
        return [["useradd", *options, *group, DEDICATED]]
    if shutil.which("adduser"):  # BusyBox, as in Alpine Linux
        options = ["-S", "-D", "-H", "-h", home, "-s", shell, "-G", DEDICATED]
        return [["addgroup", "-S", DEDICATED], ["adduser", *options, DEDICATED]]
    return []


def _find_user(name: str) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        return None


def _has_group(name: str) -> bool:
    try:
        grp.getgrnam(name)
    except KeyError:
        return False
    return True


def _environment() -> dict[str, str]:
    variables = {name: os.environ[name] for name in PASSED_VARIABLES if name in os.environ}
    return variables | {"LC_ALL": "C"}
