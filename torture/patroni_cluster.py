"""Three PostgreSQL servers that Patroni manages with etcd, on the loopback interface.

The configuration is the example in deploy/patroni, with other addresses and shorter times. Passwords are not checked.
"""

import asyncio
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import SystemRandom
from typing import Any

import asyncpg
import httpx
import yaml

from gaji.db.embedded.system_user import SystemUser, server_user
from torture.installation import wait_for

EXAMPLE = Path(__file__).parents[1] / "deploy" / "patroni" / "db1.yml"
PROGRAMS = {"patroni": "patroni", "patronictl": "patroni", "etcd": "etcd-server"}
"""The Debian package of each program."""
POSTGRESQL = Path("/usr/lib/postgresql")
MEMBERS = 3
TIMES = {"ttl": 15, "loop_wait": 2, "retry_timeout": 5}
HEALTHY_WITHIN_S = 300
PROMOTED_WITHIN_S = 180
QUERY_TIMEOUT_S = 3.0
POLL_S = 0.1
PORTS = range(15_000, 32_000)
"""Below those that the system gives to outgoing connections, because a port is used again after a restart."""
LOGGED_LINES = 15
HEALTHY = """SELECT count(*) FILTER (WHERE state = 'streaming') = $1 AND bool_or(sync_state = 'sync')
    FROM pg_stat_replication"""


def require_programs() -> Path:
    """Return the folder of PostgreSQL's programs. Raises AssertionError if a Debian package is missing."""
    missing = {package for program, package in PROGRAMS.items() if shutil.which(program) is None}
    folders = sorted(POSTGRESQL.glob("*/bin"), key=lambda folder: int(folder.parent.name))
    missing |= set() if folders else {"postgresql"}
    assert not missing, f"install the Debian packages {', '.join(sorted(missing))}"
    return folders[-1]


@dataclass
class Member:
    """A PostgreSQL server and the Patroni process that manages it."""

    name: str
    folder: Path
    port: int
    api_port: int
    user: SystemUser
    process: subprocess.Popen[bytes] | None = None

    @property
    def configuration(self) -> Path:
        """The configuration file of Patroni."""
        return self.folder.with_suffix(".json")

    def start(self) -> None:
        """Start Patroni, which starts PostgreSQL."""
        self.process = _start_process(["patroni", self.configuration], self.folder.with_suffix(".log"), self.user)

    def stop(self) -> None:
        """Stop Patroni and PostgreSQL in order, as systemd does."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait()

    def kill(self) -> None:
        """Kill all processes, as if the machine had lost its power."""
        self.signal_all(signal.SIGKILL)
        if self.process is not None:
            self.process.wait()

    def reset(self) -> None:
        """Kill all processes, and start again."""
        self.kill()
        self.start()

    def kill_postgres(self) -> None:
        """Kill PostgreSQL's main process. Patroni runs on."""
        pid = int((self.folder / "postmaster.pid").read_text().splitlines()[0])
        os.kill(pid, signal.SIGKILL)

    def signal_all(self, number: int) -> None:
        """Send a signal to Patroni and then to all processes of PostgreSQL, until no new ones appear."""
        assert self.process is not None
        signalled: set[int] = set()
        while pids := {self.process.pid, *self._postgres_pids()} - signalled:
            for pid in sorted(pids, key=lambda pid: pid != self.process.pid if self.process else True):
                with suppress(ProcessLookupError):
                    os.kill(pid, number)
            signalled |= pids

    def has_synchronous_standby(self) -> bool:
        """Return whether Patroni knows a standby that has all acknowledged changes."""
        response = httpx.get(f"http://127.0.0.1:{self.api_port}/cluster", timeout=QUERY_TIMEOUT_S, trust_env=False)
        return any(member["role"] == "sync_standby" for member in response.json()["members"])

    def fetch_value(self, query: str, *arguments: Any) -> Any:
        """Return the value of a query that the superuser runs in a new session."""
        return asyncio.run(self.fetch_value_async(query, *arguments))

    async def fetch_value_async(self, query: str, *arguments: Any) -> Any:
        """Return the value of a query. Raises an error if there is no answer in a few seconds."""
        async with asyncio.timeout(10 * QUERY_TIMEOUT_S):
            connection = await asyncpg.connect(
                f"postgresql://postgres@127.0.0.1:{self.port}/postgres",
                timeout=QUERY_TIMEOUT_S,
                command_timeout=10 * QUERY_TIMEOUT_S,
            )
            try:
                return await connection.fetchval(query, *arguments)
            finally:
                connection.terminate()

    def _postgres_pids(self) -> list[int]:
        """Return the processes whose working directory is the data folder."""
        pids = []
        for process in Path("/proc").iterdir():
            with suppress(OSError):
                if process.name.isdigit() and Path(os.readlink(process / "cwd")) == self.folder:
                    pids.append(int(process.name))
        return sorted(pids)


class PatroniCluster:
    """The members of a cluster."""

    def __init__(self, folder: Path, user: SystemUser, programs: Path, etcd_port: int) -> None:
        self.members = [
            Member(f"member{number}", folder / f"member{number}", _free_port(), _free_port(), user)
            for number in range(MEMBERS)
        ]
        self._user = user
        for member in self.members:
            configuration = _configuration(member, programs, etcd_port)
            member.configuration.write_text(json.dumps(configuration))

    @property
    def url(self) -> str:
        """The address of the database, with all members."""
        hosts = ",".join(f"127.0.0.1:{member.port}" for member in self.members)
        return f"postgresql://postgres@{hosts}/postgres?target_session_attrs=read-write"

    def start(self) -> None:
        """Start all members, and wait until all replicate."""
        for member in self.members:
            member.start()
        self.wait_until_healthy()

    def find_primary(self, members: Sequence[Member] | None = None) -> Member | None:
        """Return the member that accepts changes, of these or all."""
        return asyncio.run(_find_primary(self.members if members is None else members))

    def wait_until_healthy(self) -> Member:
        """Wait until there is a primary, and all others replicate. Return the primary."""
        wait_for("all members replicate", lambda: self._healthy_primary() is not None, HEALTHY_WITHIN_S)
        primary = self._healthy_primary()
        return primary if primary is not None else self.wait_until_healthy()

    def wait_until_promoted(self, former: Member) -> Member:
        """Wait until another member than the former primary accepts changes."""
        others = [member for member in self.members if member is not former]
        deadline = time.monotonic() + PROMOTED_WITHIN_S
        while (primary := self.find_primary(others)) is None:
            assert time.monotonic() < deadline, f"no member was promoted within {PROMOTED_WITHIN_S} s"
            time.sleep(POLL_S)
        return primary

    def switch_over(self, primary: Member) -> None:
        """Let the synchronous standby become the primary. Returns at once."""
        options = ["--leader", primary.name, "--force", "gaji"]
        command = ["patronictl", "-c", str(primary.configuration), "switchover", *options]
        _start_process(command, primary.folder.with_suffix(".switchover.log"), self._user)

    def _healthy_primary(self) -> Member | None:
        primary = self.find_primary()
        try:
            is_healthy = (
                primary is not None and primary.has_synchronous_standby() and primary.fetch_value(HEALTHY, MEMBERS - 1)
            )
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, httpx.TransportError):
            return None
        return primary if is_healthy else None


@contextmanager
def patroni_cluster() -> Iterator[PatroniCluster]:
    """Start a cluster, and remove it with all its processes."""
    programs, user = require_programs(), server_user()
    folder = Path(tempfile.mkdtemp(prefix="gaji-failovers-")).resolve()
    folder.chmod(0o777)  # PostgreSQL's user creates its folders inside
    etcd_port = _free_port()
    cluster = PatroniCluster(folder, user, programs, etcd_port)
    etcd = _start_etcd(folder, etcd_port, user)
    try:
        cluster.start()
        yield cluster
    except BaseException:
        _print_logs(folder)
        raise
    finally:
        for member in cluster.members:
            if member.process is not None:
                member.signal_all(signal.SIGCONT)
                member.kill()
        etcd.kill()
        etcd.wait()
        shutil.rmtree(folder, ignore_errors=True)


async def _find_primary(members: Sequence[Member]) -> Member | None:
    async def accepts_changes(member: Member) -> bool:
        with contextlib.suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
            async with asyncio.timeout(QUERY_TIMEOUT_S):
                return not await member.fetch_value_async("SELECT pg_is_in_recovery()")
        return False

    results = await asyncio.gather(*(accepts_changes(member) for member in members))
    return next((member for member, result in zip(members, results, strict=True) if result), None)


def _print_logs(folder: Path) -> None:
    for log in sorted(folder.glob("*.log")):
        print(f"  {log.name}", *log.read_text(errors="replace").splitlines()[-LOGGED_LINES:], sep="\n    ", flush=True)


def _free_port() -> int:
    """Return a port that nothing listens on."""
    random = SystemRandom()
    while True:
        port = random.choice(PORTS)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def _start_etcd(folder: Path, port: int, user: SystemUser) -> subprocess.Popen[bytes]:
    client, peer = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{_free_port()}"
    options = {
        "data-dir": str(folder / "etcd"),
        "listen-client-urls": client,
        "advertise-client-urls": client,
        "listen-peer-urls": peer,
        "initial-advertise-peer-urls": peer,
        "initial-cluster": f"default={peer}",
    }
    command = ["etcd", "--unsafe-no-fsync", *(f"--{name}={value}" for name, value in options.items())]
    return _start_process(command, folder / "etcd.log", user)


def _start_process(command: Sequence[str | Path], log: Path, user: SystemUser) -> subprocess.Popen[bytes]:
    with log.open("ab") as output:
        return subprocess.Popen(
            command,
            stdout=output,
            stderr=output,
            cwd="/",
            env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "ETCD_UNSUPPORTED_ARCH": "arm64"},
            start_new_session=True,
            user=user.uid if user.is_dedicated else None,
            group=user.gid if user.is_dedicated else None,
            extra_groups=() if user.is_dedicated else None,
        )


def _configuration(member: Member, programs: Path, etcd_port: int) -> dict[str, Any]:
    """Return the example with the addresses and folders of a member."""
    configuration: dict[str, Any] = yaml.safe_load(EXAMPLE.read_text())
    rest, database = f"127.0.0.1:{member.api_port}", f"127.0.0.1:{member.port}"
    configuration["name"] = member.name
    configuration["restapi"] = {"listen": rest, "connect_address": rest}
    configuration["etcd3"] = {"hosts": f"127.0.0.1:{etcd_port}"}
    configuration["bootstrap"]["dcs"] |= TIMES
    configuration["watchdog"] = {"mode": "off"}
    configuration["postgresql"] |= {
        "listen": database,
        "connect_address": database,
        "bin_dir": str(programs),
        "data_dir": str(member.folder),
        "pgpass": str(member.folder.with_suffix(".pgpass")),
        "parameters": {"unix_socket_directories": "", "fsync": "off", "shared_buffers": "64MB"},
        "pg_hba": ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"],
    }
    return configuration
