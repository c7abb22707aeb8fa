"""Two PostgreSQL servers with replication, for tests of failover and of reads from a replica."""

import contextlib
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gaji.db.embedded.binaries import reachable_programs
from gaji.db.embedded.system_user import SystemUser, server_user
from tests.support.running import WAIT_S, Cluster, free_port

SETTINGS = (
    "listen_addresses = '127.0.0.1'",
    "unix_socket_directories = ''",
    "shared_buffers = '32MB'",
    "fsync = off",  # The processes are killed, not the machine.
)


@dataclass
class PostgresServer:
    """A server on a port of its own."""

    user: SystemUser
    programs: Path
    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = None

    @property
    def cluster(self) -> Cluster:
        """The login of its superuser."""
        return Cluster(f"postgresql://postgres@127.0.0.1:{self.port}/postgres")

    def run(self, program: str, *arguments: str | Path) -> None:
        """Run a program of PostgreSQL."""
        finished = self.user.run([self.programs / program, *arguments])
        assert finished.returncode == 0, finished.stderr

    def configure(self, settings: Sequence[str]) -> None:
        """Add settings to the configuration."""
        with (self.folder / "postgresql.conf").open("a") as configuration:
            configuration.write("\n".join((*settings, f"port = {self.port}", "")))

    def start(self) -> None:
        """Start the server, and wait until it accepts connections."""
        with (self.folder.parent / f"{self.port}.log").open("wb") as log:
            self.process = subprocess.Popen(
                [self.programs / "postgres", "-D", self.folder],
                stdout=log,
                stderr=log,
                user=self.user.uid if self.user.is_dedicated else None,
                group=self.user.gid if self.user.is_dedicated else None,
                extra_groups=() if self.user.is_dedicated else None,
            )
        deadline = time.monotonic() + WAIT_S
        while self.user.run([self.programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]).returncode:
            assert time.monotonic() < deadline, "PostgreSQL did not start"
            time.sleep(0.05)

    def kill(self) -> None:
        """Kill the server. Its other processes notice and exit."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@contextlib.contextmanager
def running_pair(*, synchronous: bool = True) -> Iterator[tuple[PostgresServer, PostgresServer]]:
    """Yield a primary and its standby. By default, the primary waits for the standby to receive each commit."""
    user = server_user()
    with tempfile.TemporaryDirectory(prefix="gaji-replication-") as name:
        folder = Path(name)
        folder.chmod(0o777)  # the servers create their own folders inside
        programs = reachable_programs(folder, user)
        primary, standby = (PostgresServer(user, programs, folder / name, free_port()) for name in ("first", "second"))
        try:
            _start_primary(primary)
            _start_standby(standby, primary)
            if synchronous:
                _make_synchronous(primary.cluster)
            yield primary, standby
        finally:
            primary.kill()
            standby.kill()


def _start_primary(primary: PostgresServer) -> None:
    primary.run("initdb", "-D", primary.folder, "-U", "postgres", "--auth=trust", "--no-sync", "-E", "UTF8")
    primary.configure(SETTINGS)
    primary.start()


def _start_standby(standby: PostgresServer, primary: PostgresServer) -> None:
    source = f"host=127.0.0.1 port={primary.port} user=postgres application_name=standby"
    standby.run(
        "pg_basebackup", "-D", standby.folder, "-d", source, "-R", "--checkpoint=fast", "--no-sync", "-X", "stream"
    )
    standby.configure(())
    standby.start()


def _make_synchronous(primary: Cluster) -> None:
    primary.execute("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
    primary.execute("SELECT pg_reload_conf()")
    deadline = time.monotonic() + WAIT_S
    while primary.fetch_value("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") != 1:
        assert time.monotonic() < deadline, "the standby did not connect"
        time.sleep(0.05)
