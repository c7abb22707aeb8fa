"""An installation in a temporary folder, served by `gaji serve`, with methods to kill its processes."""

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
COMMAND_WITHIN_S = 600
START_S = 120
POLL_S = 0.05
LOG_END_LINES = 40


@dataclass(frozen=True)
class Process:
    """A running process."""

    pid: int
    parent: int
    command: str


class ServedInstallation:
    """A data folder, and the server that runs on it, if any."""

    def __init__(self, folder: Path) -> None:
        self.variables: dict[str, str] = {}
        """Settings beyond those that every installation has."""
        self.data = folder / "data"
        self.database_data = self.data
        """The data folder of the embedded database."""
        self.log = folder / "serve.log"
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._server: subprocess.Popen[bytes] | None = None

    @property
    def server(self) -> subprocess.Popen[bytes]:
        """The main process of the server."""
        assert self._server is not None
        return self._server

    @property
    def database(self) -> int:
        """The process ID of PostgreSQL's main process. Waits until it runs again after a kill."""
        wait_for("the database runs", lambda: self._read_database() is not None, START_S)
        pid = self._read_database()
        assert pid is not None
        return pid

    def start(self) -> None:
        """Run `gaji serve`, and wait until it is ready."""
        with self.log.open("ab") as output:
            self._server = subprocess.Popen(
                [*GAJI, "serve", "--port", str(self.port)],
                env=self._environment,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        # Wait for the new processes, because one of a killed server may still respond for a moment.
        wait_for("the server starts", lambda: self.server.poll() is not None or bool(self.server_processes()), START_S)
        wait_until_ready(self.url, self._server, self.log)

    def interrupt(self) -> int:
        """Send SIGINT to the process group, as a terminal does for Ctrl-C. Return the exit status."""
        os.killpg(self.server.pid, signal.SIGINT)
        return self.server.wait(STOP_WITHIN_S)

    def kill_server(self) -> None:
        """Kill the main process of the server with SIGKILL."""
        self.server.kill()
        self.server.wait()

    def command(self, *arguments: str) -> str:
        """Run another command on the same data folder. Return its output."""
        result = self.run_command(*arguments)
        assert result.returncode == 0, f"gaji {' '.join(arguments)} failed: {result.stderr}"
        return result.stdout.strip()

    def failing_command(self, *arguments: str) -> str:
        """Run a command that must fail. Return its error output."""
        result = self.run_command(*arguments)
        assert result.returncode != 0, f"gaji {' '.join(arguments)} did not fail"
        return result.stderr.strip()

    def run_command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command on the same data folder, whether it succeeds or not."""
        return subprocess.run(
            [*GAJI, *arguments],
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=COMMAND_WITHIN_S,
            check=False,
        )

    def kill_processes(self, processes: list[Process]) -> None:
        """Kill child processes with SIGKILL."""
        for process in processes:
            with suppress(ProcessLookupError):  # it may have died at a failpoint
                os.kill(process.pid, signal.SIGKILL)

    def server_processes(self) -> list[Process]:
        """Return the processes that handle requests: the children of the main process without the worker."""
        return [child for child in self._children() if " serve " in f"{child.command} "]

    def worker_processes(self) -> list[Process]:
        """Return the embedded worker."""
        return [child for child in self._children() if child.command.endswith(" worker")]

    def wait_for_processes(self) -> tuple[list[Process], list[Process]]:
        """Return the server processes and the embedded worker. Waits until they run again after a kill."""
        wait_for("the processes run", lambda: bool(self.server_processes() and self.worker_processes()), START_S)
        return self.server_processes(), self.worker_processes()

    def processes(self) -> list[Process]:
        """Return all running processes of this data folder: server, worker and database."""
        return [process for process in _processes() if self._belongs(process.pid)]

    def failures(self) -> list[str]:
        """Return the failures in the server's log, and lines that are not JSON."""
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        return [line for line in lines if '"event":"failure"' in line or not line.startswith("{")]

    def log_end(self) -> str:
        """Return the last lines of the server's log."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-LOG_END_LINES:])

    def end_everything(self) -> None:
        """Kill all processes, after a failure."""
        for process in self.processes():
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
        if self._server is not None:
            self._server.wait()

    @property
    def _environment(self) -> dict[str, str]:
        variables = {name: value for name, value in os.environ.items() if not name.startswith("GAJI_")}
        return {**variables, "GAJI_DATA": str(self.data), "GAJI_RATE_LIMIT": "0", **self.variables}

    def _read_database(self) -> int | None:
        with suppress(OSError, ValueError, IndexError):
            pid = int((self.database_data / "postgres" / "postmaster.pid").read_text().splitlines()[0])
            return pid if is_alive(pid) else None
        return None

    def _children(self) -> list[Process]:
        return _child_processes(self.server.pid)

    def _belongs(self, pid: int) -> bool:
        with suppress(OSError):
            if f"GAJI_DATA={self.data}\0".encode() in Path(f"/proc/{pid}/environ").read_bytes():
                return True
            return Path(os.readlink(f"/proc/{pid}/cwd")).is_relative_to(self.data)
        return False


GAJI = (sys.executable, "-m", "gaji.cli.main")


@contextmanager
def served_installation() -> Iterator[ServedInstallation]:
    """Create an installation, and remove it with all its processes. Print the server's failures after a failure."""
    folder = Path(tempfile.mkdtemp(prefix="gaji-torture-")).resolve()
    folder.chmod(0o755)
    served = ServedInstallation(folder)
    try:
        yield served
    except BaseException:
        print(*served.failures(), sep="\n", file=sys.stderr, flush=True)
        raise
    finally:
        served.end_everything()
        shutil.rmtree(folder, ignore_errors=True)


def wait_for(description: str, condition: Callable[[], bool], within_s: float) -> float:
    """Wait until the condition holds. Return the seconds it took. Raises AssertionError after the time limit."""
    started = time.monotonic()
    while not condition():
        if time.monotonic() - started > within_s:
            raise AssertionError(f"{description}: not within {within_s} s")
        time.sleep(POLL_S)
    return time.monotonic() - started


def permissions(paths: list[Path]) -> dict[str, tuple[str, int, int]]:
    """Return the mode and owners of each path and of all folders above it."""
    owners = {}
    for path in paths:
        for folder in (path, *path.parents):
            status = folder.stat()
            owners[str(folder)] = (stat.filemode(status.st_mode), status.st_uid, status.st_gid)
    return owners


def is_alive(pid: int) -> bool:
    """Return whether a process is running. A zombie is not."""
    return _read_process(pid) is not None


def _child_processes(parent: int) -> list[Process]:
    # Each thread lists the processes that it started.
    pids = [pid for file in Path(f"/proc/{parent}/task").glob("*/children") for pid in _read_words(file)]
    return [process for pid in pids if (process := _read_process(int(pid)))]


def _read_words(file: Path) -> list[str]:
    with suppress(OSError):
        return file.read_text().split()
    return []


def _processes() -> list[Process]:
    pids = [int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdigit()]
    return [process for pid in pids if (process := _read_process(pid))]


def _read_process(pid: int) -> Process | None:
    folder = Path("/proc") / str(pid)
    with suppress(OSError):
        state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
        command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        if state not in "ZX":
            return Process(pid, int(parent), command)
    return None
