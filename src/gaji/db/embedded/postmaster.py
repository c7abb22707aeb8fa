"""The main process of the server: find it, start it, and clean up after it."""

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

# Started in the background of a shell that exits at once, the server is not our child, so it does not become a zombie.
# Unlike with pg_ctl, no path needs quoting.
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
    """The contents of the server's PID file."""

    pid: int
    sockets: Path | None
    status: str  # empty until the server has its shared memory and socket


def read_pid_file(cluster: Path) -> PidFile | None:
    """Return the contents of the PID file, or None if it is missing or incomplete."""
    try:
        lines = os.fsdecode((cluster / PID_FILE).read_bytes()).split("\n")
    except FileNotFoundError:
        return None
    lines += [""] * (8 - len(lines))
    pid = _parse_pid(lines[0])
    return PidFile(pid, Path(lines[4]) if lines[4] else None, lines[7].strip()) if pid else None


def find_running(cluster: Path) -> PidFile | None:
    """Return the PID file of the server that runs on this data directory, or None."""
    pid_file = read_pid_file(cluster)
    return pid_file if pid_file and _serves(pid_file.pid, cluster) else None


def launch(user: SystemUser, command: Sequence[str | Path], log: Path) -> int:
    """Start the server in a new session, with its output in the log. Return its process ID."""
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    try:
        result = user.run(["/bin/sh", "-c", _DETACH, "sh", *command], stderr=descriptor)
    finally:
        os.close(descriptor)
    return int(result.stdout)


def wait_until_started(pid: int, cluster: Path) -> bool:
    """Wait until the new server has its shared memory and socket. Return False if it exited."""
    try:
        while _exists(pid):
            pid_file = read_pid_file(cluster)
            if pid_file and pid_file.pid == pid and pid_file.status:
                return True
            time.sleep(POLL_S)
    except BaseException:  # interrupted before the PID file exists, so no other command could find the server
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGINT)
        raise
    return False


def remove_stale_files(cluster: Path, sockets: Path) -> None:
    """Remove lock files of a dead server that would prevent a new one from starting. Call only if none is running.

    A new server removes them itself if the old process ID is free, and then also checks for shared memory in use. It
    does not start if another program has that ID now.
    """
    for lock in (cluster / PID_FILE, sockets / f"{SOCKET_NAME}.lock"):
        pid = _first_line_pid(lock) or _first_line_pid(lock, after_s=0.5)  # it may be incomplete for a moment
        if pid is None or (_is_taken(pid) and not _serves(pid, cluster)):
            lock.unlink(missing_ok=True)


def end_orphans(cluster: Path, user: SystemUser) -> None:
    """End the child processes of a server that was killed, which could keep its shared memory for minutes."""
    user.run(["/bin/sh", "-c", _END_ORPHANS, "sh", cluster])


def _first_line_pid(lock: Path, after_s: float = 0) -> int | None:
    if not lock.exists():
        return None
    time.sleep(after_s)
    try:
        return _parse_pid(os.fsdecode(lock.read_bytes()).partition("\n")[0])
    except FileNotFoundError:
        return None


def _parse_pid(line: str) -> int | None:
    try:
        return abs(int(line)) or None  # negative in single-user mode
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
    if "postgres" not in command or command.startswith("postgres: "):  # the latter is a child process
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
    # A zombie has exited, but keeps its ID if process 1 does not reap its children.
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
