"""Which operating-system user PostgreSQL runs as: ourselves, or `gaji` when we are root, which it refuses."""

import grp
import os
import pwd
import shutil
import subprocess
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gaji.db.embedded.errors import EmbeddedServerError

DEDICATED = "gaji"

# Everything else stays here: the environment holds GAJI_SECRET_KEY, and PG* variables would change where
# the programs look.
KEPT_VARIABLES = ("PATH", "LD_LIBRARY_PATH")

_FIRST_BLOCKED = """
number=0
for folder; do
  test -x "$folder" || { echo "$number"; exit; }
  number=$((number + 1))
done
"""


@dataclass(frozen=True)
class SystemUser:
    """The user that PostgreSQL runs as, and how to run a program as that user."""

    name: str
    uid: int
    gid: int
    is_dedicated: bool

    @property
    def may_log_in(self) -> tuple[str, ...]:
        """The operating-system users whose programs may log in to the server."""
        return (pwd.getpwuid(0).pw_name, self.name) if self.is_dedicated else (self.name,)

    def run(
        self, command: Sequence[str | Path], *, stdin: str = "", stderr: int = subprocess.PIPE
    ) -> subprocess.CompletedProcess[str]:
        """Run a program as this user, away from our terminal, and return its exit code and output."""
        return subprocess.run(
            command,
            input=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            encoding="utf-8",
            errors="replace",
            check=False,
            cwd="/",  # ours may be closed to this user
            env=_environment(),
            umask=0o077,
            start_new_session=True,  # Ctrl-C is for us alone; we then stop the server in order
            user=self.uid if self.is_dedicated else None,
            group=self.gid if self.is_dedicated else None,
            extra_groups=() if self.is_dedicated else None,
        )

    def first_blocked(self, folders: Iterable[Path]) -> Path | None:
        """Return the first of these folders that the kernel does not let this user enter."""
        candidates = list(folders)
        number = self.run(["/bin/sh", "-c", _FIRST_BLOCKED, "sh", *candidates]).stdout.strip()
        return candidates[int(number)] if number else None


def server_user() -> SystemUser:
    """Return the user that PostgreSQL runs as, creating the dedicated one when root has none yet."""
    if os.geteuid() == 0:
        entry = _dedicated_entry()
        return SystemUser(entry.pw_name, entry.pw_uid, entry.pw_gid, is_dedicated=True)
    try:
        entry = pwd.getpwuid(os.geteuid())
    except KeyError:
        raise EmbeddedServerError(
            f"User id {os.geteuid()} has no name on this system, and PostgreSQL runs only as a named user; "
            "add it to the system's users, or set GAJI_DATABASE_URL to a PostgreSQL server of your own"
        ) from None
    return SystemUser(entry.pw_name, os.geteuid(), os.getegid(), is_dedicated=False)


def _dedicated_entry() -> pwd.struct_passwd:
    entry = _find_user(DEDICATED) or _create_dedicated()
    if entry.pw_uid == 0:
        raise EmbeddedServerError(
            f"The user {DEDICATED} has user id 0, and PostgreSQL does not run as root; give it another id"
        )
    return entry


def _create_dedicated() -> pwd.struct_passwd:
    problem = ""
    for _ in range(5):  # another command may be creating the same user, which locks the system's user list
        for command in _creation_commands():
            problem = subprocess.run(command, capture_output=True, text=True, check=False).stderr.strip()
        if entry := _find_user(DEDICATED):
            return entry
        time.sleep(0.5)
    raise EmbeddedServerError(
        f"Could not create the system user {DEDICATED} that PostgreSQL runs as when Gaji is started by root "
        f"({problem or 'neither useradd nor adduser is installed'}); create it, or start Gaji as another user"
    )


def _creation_commands() -> list[list[str]]:
    nowhere, no_shell = "/nonexistent", "/usr/sbin/nologin"
    if shutil.which("useradd"):
        group = ["--gid", DEDICATED] if _has_group(DEDICATED) else ["--user-group"]
        options = ["--system", "--no-create-home", "--home-dir", nowhere, "--shell", no_shell]
        return [["useradd", *options, *group, DEDICATED]]
    if shutil.which("adduser"):  # BusyBox, so Alpine
        options = ["-S", "-D", "-H", "-h", nowhere, "-s", no_shell, "-G", DEDICATED]
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
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    return kept | {"LC_ALL": "C"}
