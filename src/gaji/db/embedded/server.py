"""The embedded PostgreSQL server of a data folder, shared by all commands that use it."""

import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from pathlib import Path
from types import TracebackType

from gaji.db.embedded import lease, log, postmaster
from gaji.db.embedded.binaries import installed_programs, reachable_programs
from gaji.db.embedded.cluster import ensure_cluster, ensure_roles_and_database, superuser_login
from gaji.db.embedded.configuration import command_line, reject_fixed_settings, write_configuration
from gaji.db.embedded.errors import EmbeddedServerError
from gaji.db.embedded.folders import PORT, prepare_data_folder, private_folder, require_reachable, socket_folder
from gaji.db.embedded.names import DATABASE
from gaji.db.embedded.system_user import SystemUser, server_user
from gaji.db.embedded.wal_archive import WalArchive

START_ATTEMPTS = 5  # an attempt fails if another command stops the server
ORPHAN_GRACE_S = 2.0
ORPHAN_TIMEOUT_S = 10.0
SHUTDOWN_TIMEOUT_S = 3600
UNRESPONSIVE_TIMEOUT_S = 60.0
_ORPHANS_MESSAGE = "pre-existing shared memory block"
_ACCEPTING, _REJECTING = 0, 1  # exit codes of pg_isready


class EmbeddedServer:
    """PostgreSQL in a data folder. The first command starts it, and the last one stops it."""

    def __init__(
        self, data: Path, settings: Mapping[str, str] | None = None, archive: WalArchive | None = None
    ) -> None:
        self._archive = archive
        self._data = data.resolve()
        self._settings = (archive.archive_settings(self._data) if archive else {}) | dict(settings or {})
        reject_fixed_settings(self._settings)
        self._cluster = self._data / "postgres"
        self._log = self._data / "log"
        self._startup_log = self._data / "startup.log"
        self._lease: lease.FileLock | None = None
        self._programs: Path | None = None

    def __enter__(self) -> "EmbeddedServer":
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def bin_dir(self) -> Path:
        """The folder of the PostgreSQL programs, such as pg_dump."""
        return self._programs or installed_programs()

    def start(self) -> None:
        """Take a lease and wait until the server accepts connections, however long its recovery takes."""
        with self._explain_os_errors():
            prepare_data_folder(self._data, self._user)
            try:
                if not any(self._start_once() for _ in range(START_ATTEMPTS)):
                    raise self._start_error()
            except BaseException:
                self.stop()
                raise

    def stop(self) -> None:
        """Release the lease, and stop the server if no other command holds one."""
        current_lease = self._current_lease()
        if current_lease is None:
            return
        with self._explain_os_errors(), self._decision_lock():
            current_lease.release()
            if self.is_alive() and not lease.is_leased(self._lease_file):
                self._shut_down()

    def is_alive(self) -> bool:
        """Return whether the main process of the server is running. Cheap enough to call every second."""
        return postmaster.find_running(self._cluster) is not None

    def restart_if_dead(self) -> bool:
        """Restart the server if it died while this process holds a lease. Return True if it was restarted."""
        if self._current_lease() is None or self.is_alive():
            return False
        with self._explain_os_errors():
            with self._decision_lock():
                if self._current_lease() is None or self.is_alive():  # stopped, or restarted by another command
                    return False
                self._launch()
            if not self._wait_until_accepting() and self._current_lease():
                raise self._start_error()
        return True

    def connection(self, user: str, database: str = DATABASE) -> dict[str, object]:
        """Return the arguments of asyncpg.connect to log in as this role."""
        return {"host": str(self._sockets), "port": PORT, "user": user, "database": database}

    def run_program(self, name: str, *options: str | Path, logs_in: bool = False) -> None:
        """Run a program of PostgreSQL as its user, logged in as the superuser if asked. Raises EmbeddedServerError."""
        login = superuser_login(self._sockets) if logs_in else []
        result = self._user.run([self.bin_dir / name, *options, *login])
        if result.returncode != 0:
            raise EmbeddedServerError(f"{name} failed: {(result.stderr or result.stdout).strip()}")

    def start_program(
        self, name: str, *options: str | Path, shows_messages: bool = False
    ) -> AbstractContextManager[subprocess.Popen[bytes]]:
        """Run a program of PostgreSQL as its user, logged in as the superuser, with pipes, during the block."""
        command = [self.bin_dir / name, *superuser_login(self._sockets), *options]
        return self._user.start(command, shows_messages=shows_messages)

    @cached_property
    def _user(self) -> SystemUser:
        return server_user()

    def _current_lease(self) -> lease.FileLock | None:
        # Another thread may be stopping the server, and a forked child has the object but not the lease.
        current_lease = self._lease
        return current_lease if current_lease and current_lease.is_held else None

    @property
    def _lease_file(self) -> Path:
        return self._data / "lease.lock"

    @property
    def _sockets(self) -> Path:
        # Ask the running server first: a command with another TMPDIR may have started it.
        running = postmaster.find_running(self._cluster)
        return (running and running.sockets) or socket_folder(self._data, self._user)

    def _decision_lock(self) -> AbstractContextManager[None]:
        return lease.exclusive_lock(self._data / "decision.lock")

    @contextmanager
    def _explain_os_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise EmbeddedServerError(
                f"The embedded PostgreSQL in {self._data} cannot be used: {error}; "
                "check that the disk is not full, and that this is the user who created it"
            ) from error

    def _start_once(self) -> bool:
        with self._decision_lock():
            if self._current_lease() is None:
                self._lease = lease.take_lease(self._lease_file)
            self._programs = reachable_programs(self._data, self._user)
            was_alive = self.is_alive()
            if not was_alive:
                self._launch()
        if self._wait_until_accepting():
            return self._prepare()
        if was_alive:  # it was shutting down: its last user was killed while stopping it
            return False
        raise self._start_error()

    def _prepare(self) -> bool:
        """Create missing roles and the database. Return False if the server died meanwhile."""
        with self._decision_lock():
            before = postmaster.find_running(self._cluster)
            try:
                ensure_roles_and_database(self._sockets, self.bin_dir, self._user)
            except EmbeddedServerError:
                after = postmaster.find_running(self._cluster)
                if before and after and before.pid == after.pid:
                    raise
                return False
        return True

    def _launch(self) -> None:
        programs, user = self.bin_dir, self._user
        if self._archive:
            self._archive.prepare(user)
            private_folder(self._archive.requests(self._data), user.uid, user.gid, 0o700)
        ensure_cluster(self._cluster, programs, user, durable=self._settings.get("fsync") != "off")
        sockets = socket_folder(self._data, user)
        private_folder(sockets, user.uid, user.gid, 0o700)
        require_reachable(sockets, user)
        private_folder(self._log, user.uid, user.gid, 0o700)
        log.remove_stale_files(self._log)
        configuration = self._data / "configuration"
        write_configuration(configuration, self._log, user, self._settings)
        options = command_line(configuration, sockets, PORT)
        self._launch_past_orphans([programs / "postgres", "-D", self._cluster, *options], sockets)

    def _launch_past_orphans(self, command: list[str | Path], sockets: Path) -> None:
        started = time.monotonic()
        while True:
            postmaster.remove_stale_files(self._cluster, sockets)
            pid = postmaster.launch(self._user, command, self._startup_log)
            if postmaster.wait_until_started(pid, self._cluster):
                return
            if self.is_alive():  # started by a command that was killed
                return
            waited_s = time.monotonic() - started
            if waited_s > ORPHAN_TIMEOUT_S or _ORPHANS_MESSAGE not in self._log_tail():
                raise self._start_error()
            if waited_s > ORPHAN_GRACE_S:
                postmaster.end_orphans(self._cluster, self._user)
            time.sleep(0.2)

    def _wait_until_accepting(self) -> bool:
        """Wait until the server accepts logins, through any recovery. Return False if it exited."""
        unresponsive_since = time.monotonic()
        while running := postmaster.find_running(self._cluster):
            exit_code = self._probe(running.sockets or socket_folder(self._data, self._user))
            if exit_code == _ACCEPTING:
                return True
            if exit_code == _REJECTING or running.status != "ready":
                unresponsive_since = time.monotonic()
            elif time.monotonic() - unresponsive_since > UNRESPONSIVE_TIMEOUT_S:
                raise EmbeddedServerError(
                    f"PostgreSQL runs as process {running.pid} but does not respond in {running.sockets}; its "
                    "socket may have been deleted: stop that process with kill -INT and start again"
                )
            time.sleep(postmaster.POLL_S)
        return False

    def _probe(self, sockets: Path) -> int:
        return self._user.run([self.bin_dir / "pg_isready", "-q", *superuser_login(sockets)]).returncode

    def _shut_down(self) -> None:
        options = ["-D", str(self._cluster), "-m", "fast", "-w", "-t", str(SHUTDOWN_TIMEOUT_S)]
        result = self._user.run([self.bin_dir / "pg_ctl", "stop", *options])
        if result.returncode != 0 and self.is_alive():
            raise EmbeddedServerError(f"Could not stop the embedded PostgreSQL: {result.stderr.strip()}")

    def _log_tail(self) -> str:
        return log.tail(self._startup_log, self._log)

    def _start_error(self) -> EmbeddedServerError:
        return EmbeddedServerError(f"The embedded PostgreSQL did not start. Its log ends:\n{self._log_tail()}")
