"""The server's main process: whether it lives, whether it answers, and starting it apart from us."""

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from gaji.db.embedded.folders import SOCKET_NAME
from gaji.db.embedded.system_user import SystemUser

PID_FILE = "postmaster.pid"
POLL_S = 0.05

# In the background of a shell that ends at once, the server is nobody's child here: it is not left a zombie,
# and no path needs quoting, as pg_ctl would want.
_DETACH = '"$@" >&2 & echo $!'

_END_ORPHANS = """
for process in /proc/[0-9]*; do
  test "$(readlink "$process/cwd")" = "$1" || continue
  parent=$(sed -n 's/^PPid:[[:space:]]*//p' "$process/status")
  test "$(cat "/proc/$parent/comm")" != postgres || continue
  case "$(tr '\\0' ' ' < "$process/cmdline")" in
    "postgres: "*) kill -QUIT "${process#/proc/}" ;;
  esac
done
"""


@dataclass(frozen=True)
class PidFile:
    """What the server says of itself in its folder."""

    pid: int
    sockets: Path | None
    status: str  # empty until it has its shared memory and its socket


def read_pid_file(cluster: Path) -> PidFile | None:
    """Read the server's pid file, or nothing when there is none or it is cut short."""
    try:
        lines = os.fsdecode((cluster / PID_FILE).read_bytes()).split("\n")
    except FileNotFoundError:
        return None
    lines += [""] * (8 - len(lines))
    pid = _pid(lines[0])
    return PidFile(pid, Path(lines[4]) if lines[4] else None, lines[7].strip()) if pid else None


def living(cluster: Path) -> PidFile | None:
    """Return the pid file of the server that runs on this folder, or nothing when none does."""
    found = read_pid_file(cluster)
    return found if found and _serves(found.pid, cluster) else None


def launch(user: SystemUser, command: Sequence[str | Path], log: Path) -> int:
    """Start the server in a session of its own, its first words in the log, and return its process id."""
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    try:
        started = user.run(["/bin/sh", "-c", _DETACH, "sh", *command], stderr=descriptor)
    finally:
        os.close(descriptor)
    return int(started.stdout)


def took_over(pid: int, cluster: Path) -> bool:
    """Wait until the new server holds its folder, shared memory and socket; false when it ended instead."""
    try:
        while _exists(pid):
            found = read_pid_file(cluster)
            if found and found.pid == pid and found.status:
                return True
            time.sleep(POLL_S)
    except BaseException:  # Ctrl-C before its pid file is there: nobody else would know of it
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGINT)
        raise
    return False


def remove_stale_files(cluster: Path, sockets: Path) -> None:
    """Remove what a dead server left behind and a new one would stumble over; call only when none lives.

    A new server clears up by itself when the old process id is free, and then also looks for shared memory in
    use. It gives up when another program has that id by now.
    """
    for lock in (cluster / PID_FILE, sockets / f"{SOCKET_NAME}.lock"):
        pid = _first_line_pid(lock) or _first_line_pid(lock, after_s=0.5)  # it may be being written
        if pid is None or (_is_taken(pid) and not _serves(pid, cluster)):
            lock.unlink(missing_ok=True)


def end_orphans(cluster: Path, user: SystemUser) -> None:
    """End the processes of a server that was killed: a busy one could keep its shared memory for minutes."""
    user.run(["/bin/sh", "-c", _END_ORPHANS, "sh", cluster])


def _first_line_pid(lock: Path, after_s: float = 0) -> int | None:
    if not lock.exists():
        return None
    time.sleep(after_s)
    try:
        return _pid(os.fsdecode(lock.read_bytes()).partition("\n")[0])
    except FileNotFoundError:
        return None


def _pid(line: str) -> int | None:
    try:
        return abs(int(line)) or None  # negative for a server without clients, started by hand
    except ValueError:
        return None


def _serves(pid: int, cluster: Path) -> bool:
    if not os.path.exists("/proc/self/comm"):
        return _is_command_of(_ps(pid), cluster)
    process = Path("/proc") / str(pid)
    try:
        if process.joinpath("comm").read_text().strip() != "postgres":
            return False
        return os.path.samefile(process / "cwd", cluster)
    except PermissionError:  # root in a container without CAP_SYS_PTRACE
        return _is_command_of(_command_line(process), cluster)
    except (FileNotFoundError, ProcessLookupError):  # gone, or a zombie
        return False


def _is_command_of(command: str, cluster: Path) -> bool:
    if "postgres" not in command or command.startswith("postgres: "):  # the latter is a server's child
        return False
    return " -D " not in command or str(cluster) in command


def _command_line(process: Path) -> str:
    try:
        return os.fsdecode(process.joinpath("cmdline").read_bytes().replace(b"\0", b" "))
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _ps(pid: int) -> str:
    command = ["ps", "-ww", "-o", "args=", "-p", str(pid)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def _exists(pid: int) -> bool:
    # A zombie has ended, but keeps its id where process 1 does not collect its children.
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return not os.path.exists("/proc/self/stat") and _is_taken(pid)
    return state not in ("Z", "X")


def _is_taken(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
