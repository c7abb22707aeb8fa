"""An installation in a folder of its own, served by the real command, with all that is needed to hurt it."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.support.running import free_port, wait_until_ready

STOP_WITHIN_S = 30
COMMAND_WITHIN_S = 60
START_S = 60
CRASH_LOOP_S = 7.0
"""A little more than the 5.5 s in which the server allows a process to die once, but not twice."""
POLL_S = 0.05


@dataclass(frozen=True)
class Process:
    """A living process as the system shows it."""

    pid: int
    parent: int
    command: str


class Installation:
    """A data folder, and the server that runs on it, if one does."""

    def __init__(self, place: Path) -> None:
        self.data = place / "data"
        self.log = place / "serve.log"
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._server: subprocess.Popen[bytes] | None = None
        self._struck_at = -CRASH_LOOP_S

    @property
    def server(self) -> subprocess.Popen[bytes]:
        """The main process of the server."""
        assert self._server is not None
        return self._server

    @property
    def database(self) -> int:
        """The process id of PostgreSQL's main process."""
        return int((self.data / "postgres" / "postmaster.pid").read_text().splitlines()[0])

    def start(self) -> None:
        """`gaji serve`, and wait until it answers."""
        with self.log.open("ab") as output:
            self._server = subprocess.Popen(
                [*GAJI, "serve", "--port", str(self.port)],
                env=self._environment,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        # A process that a killed server left behind may still answer for a moment: not that one is waited for.
        wait_for("the server starts", lambda: self.server.poll() is not None or bool(self.server_processes()), START_S)
        wait_until_ready(self.url, self._server, self.log)

    def interrupt(self) -> int:
        """Ctrl-C, which a terminal sends to the whole process group; gives the exit status."""
        os.killpg(self.server.pid, signal.SIGINT)
        return self.server.wait(STOP_WITHIN_S)

    def kill_server(self) -> None:
        """End the server's main process with -9."""
        self.server.kill()
        self.server.wait()

    def command(self, *arguments: str) -> str:
        """What another command says on the same data folder."""
        done = self._run(*arguments)
        assert done.returncode == 0, f"gaji {' '.join(arguments)} failed: {done.stderr}"
        return done.stdout.strip()

    def refused(self, *arguments: str) -> str:
        """Why another command is refused."""
        done = self._run(*arguments)
        assert done.returncode != 0, f"gaji {' '.join(arguments)} was not refused"
        return done.stderr.strip()

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*GAJI, *arguments],
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=COMMAND_WITHIN_S,
            check=False,
        )

    def kill_processes(self, processes: list[Process]) -> None:
        """End processes below the main one with -9."""
        self._struck_at = time.monotonic()
        for process in processes:
            os.kill(process.pid, signal.SIGKILL)

    def wait_until_settled(self) -> None:
        """Wait until the next death of a process is not taken for the crash loop of one that cannot even start."""
        time.sleep(max(0.0, self._struck_at + CRASH_LOOP_S - time.monotonic()))

    def server_processes(self) -> list[Process]:
        """The processes that answer requests: the children of the main process that are not the worker."""
        return [one for one in self._children() if " serve " in f"{one.command} "]

    def worker_processes(self) -> list[Process]:
        """The embedded worker."""
        return [one for one in self._children() if one.command.endswith(" worker")]

    def processes(self) -> list[Process]:
        """Every living process of this data folder: server, worker and database."""
        return [one for one in _processes() if self._belongs(one.pid)]

    def failures(self) -> list[str]:
        """What the server's log tells of its own faults, and whatever in it is no line of log."""
        lines = self.log.read_text(errors="replace").splitlines()
        return [line for line in lines if '"event":"failure"' in line or not line.startswith("{")]

    def end_everything(self) -> None:
        """After a failure: leave nothing running."""
        for process in self.processes():
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
        if self._server is not None:
            self._server.wait()

    @property
    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GAJI_")}
        return {**kept, "GAJI_DATA": str(self.data), "GAJI_RATE_LIMIT": "0"}

    def _children(self) -> list[Process]:
        return [one for one in _processes() if one.parent == self.server.pid]

    def _belongs(self, pid: int) -> bool:
        with suppress(OSError):
            if f"GAJI_DATA={self.data}\0".encode() in Path(f"/proc/{pid}/environ").read_bytes():
                return True
            return Path(os.readlink(f"/proc/{pid}/cwd")).is_relative_to(self.data)
        return False


GAJI = (sys.executable, "-m", "gaji.cli.main")


@contextmanager
def installation() -> Iterator[Installation]:
    """A fresh one, cleared away with all its processes."""
    place = Path(tempfile.mkdtemp(prefix="gaji-torture-")).resolve()
    place.chmod(0o755)
    made = Installation(place)
    try:
        yield made
    finally:
        made.end_everything()
        shutil.rmtree(place, ignore_errors=True)


def wait_for(what: str, condition: Callable[[], bool], within_s: float) -> float:
    """Wait until the condition holds, and give how long it took; fails when it takes too long."""
    started = time.monotonic()
    while not condition():
        if time.monotonic() - started > within_s:
            raise AssertionError(f"{what}: not within {within_s} s")
        time.sleep(POLL_S)
    return time.monotonic() - started


def permissions(paths: list[Path]) -> dict[str, tuple[str, int, int]]:
    """Mode and owners of each path and of all the folders above it."""
    found = {}
    for path in paths:
        for folder in (path, *path.parents):
            status = folder.stat()
            found[str(folder)] = (stat.filemode(status.st_mode), status.st_uid, status.st_gid)
    return found


def is_alive(pid: int) -> bool:
    """Whether a process lives; one that has ended and was not collected yet does not."""
    return any(one.pid == pid for one in _processes())


def _processes() -> list[Process]:
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
                if state not in "ZX":
                    found.append(Process(int(folder.name), int(parent), command))
    return found
