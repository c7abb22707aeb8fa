"""Commands on the same data folder, each in its own process, and a helper to run SQL."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

import asyncpg

from gaji.db.embedded import SUPERUSER, EmbeddedServer

SETTINGS = {"fsync": "off"}  # these tests kill processes, not machines

_COMMAND = """
import sys
from pathlib import Path
from gaji.db.embedded import EmbeddedServer
server = EmbeddedServer(Path(sys.argv[1]), {"fsync": "off"})
try:
    server.start()
    print("started", flush=True)
    sys.stdin.readline()
except KeyboardInterrupt:
    print("alive" if server.is_alive() else "dead", flush=True)
server.stop()
print("stopped", flush=True)
"""


class Command:
    """A process that starts the server, waits for a signal, and stops it."""

    def __init__(self, data: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _COMMAND, str(data)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def __enter__(self) -> "Command":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def says(self) -> str:
        """Wait for the next line of output."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def finish(self) -> None:
        """Tell the process to stop the server, and wait for its end."""
        assert self.process.communicate("\n", timeout=60)[0].endswith("stopped\n")
        assert self.process.returncode == 0

    def interrupt(self) -> None:
        """Send SIGINT to the process group, as Ctrl-C does."""
        os.killpg(self.process.pid, signal.SIGINT)

    def kill(self) -> None:
        """Kill the process with SIGKILL, so that it cannot clean up."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()


def fetch(server: EmbeddedServer, sql: str, user: str = SUPERUSER, database: str = "gaji") -> Any:
    """Run a statement on a new connection. Return the first value."""

    async def run() -> Any:
        connection = await asyncpg.connect(**server.connection(user, database), timeout=30)
        try:
            return await connection.fetchval(sql)
        finally:
            await connection.close()

    return asyncio.run(run())


def postmaster_pid(data: Path) -> int:
    """Return the process ID in the server's PID file."""
    return int((data / "postgres" / "postmaster.pid").read_text().splitlines()[0])
