"""The embedded PostgreSQL server of one data folder, shared by all the commands that use it."""

import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from pathlib import Path
from types import TracebackType

from gaji.db.embedded import lease, log, postmaster
from gaji.db.embedded.binaries import installed_programs, reachable_programs
from gaji.db.embedded.cluster import ensure_cluster, ensure_roles_and_database, superuser_login
from gaji.db.embedded.configuration import command_line, refuse_fixed, write_configuration
from gaji.db.embedded.errors import EmbeddedServerError
from gaji.db.embedded.folders import PORT, prepare_data_folder, private_folder, refuse_if_unreachable, socket_folder
from gaji.db.embedded.names import DATABASE
from gaji.db.embedded.system_user import SystemUser, server_user

START_ATTEMPTS = 5  # each ends with a server that someone else stopped or killed
ORPHANS_GO_BY_THEMSELVES_S = 2.0
ORPHANS_WAITED_FOR_S = 10.0
SHUTDOWN_LIMIT_S = 3600
SILENCE_LIMIT_S = 60.0
_HELD_BY_ORPHANS = "pre-existing shared memory block"
_ACCEPTING, _REJECTING = 0, 1  # exit codes of pg_isready


class EmbeddedServer:
    """PostgreSQL on a data folder: the first command starts it, the last one out stops it."""

    def __init__(self, data: Path, settings: Mapping[str, str] | None = None) -> None:
        self._settings = dict(settings or {})
        refuse_fixed(self._settings)
        self._data = data.resolve()
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
        """The folder of the PostgreSQL programs in use, such as pg_dump."""
        return self._programs or installed_programs()

    def start(self) -> None:
        """Take a lease and return once the server answers, however long its recovery takes."""
        with self._explained():
            prepare_data_folder(self._data, self._user)
            try:
                if not any(self._start_once() for _ in range(START_ATTEMPTS)):
                    raise self._did_not_start()
            except BaseException:
                self.stop()
                raise

    def stop(self) -> None:
        """Give the lease back, and stop the server when nobody else holds one."""
        held = self._held_lease()
        if held is None:
            return
        with self._explained(), self._deciding():
            held.release()
            if self.is_alive() and not lease.is_leased(self._lease_file):
                self._shut_down()

    def is_alive(self) -> bool:
        """Tell whether the server's main process lives; cheap enough to ask each second."""
        return postmaster.living(self._cluster) is not None

    def revive(self) -> bool:
        """Start the server again if it died while we hold a lease; true when this call had to."""
        if self._held_lease() is None or self.is_alive():
            return False
        with self._explained():
            with self._deciding():
                if self._held_lease() is None or self.is_alive():  # stopped, or revived by another, meanwhile
                    return False
                self._launch()
            if not self._answers() and self._held_lease():
                raise self._did_not_start()
        return True

    def connection(self, user: str, database: str = DATABASE) -> dict[str, object]:
        """Return what asyncpg.connect needs to log in as this role."""
        return {"host": str(self._sockets), "port": PORT, "user": user, "database": database}

    @cached_property
    def _user(self) -> SystemUser:
        return server_user()

    def _held_lease(self) -> lease.FileLock | None:
        # Another thread may be stopping, and a forked child has the object but not the lease.
        held = self._lease
        return held if held and held.is_held else None

    @property
    def _lease_file(self) -> Path:
        return self._data / "lease.lock"

    @property
    def _sockets(self) -> Path:
        # The running server's word counts: a command with another TMPDIR may have started it.
        running = postmaster.living(self._cluster)
        return (running and running.sockets) or socket_folder(self._data, self._user)

    def _deciding(self) -> AbstractContextManager[None]:
        return lease.held_alone(self._data / "decision.lock")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise EmbeddedServerError(
                f"The embedded PostgreSQL in {self._data} cannot be used: {error}; "
                "check that its disk has room, and that this is the user who created it"
            ) from error

    def _start_once(self) -> bool:
        with self._deciding():
            if self._held_lease() is None:
                self._lease = lease.take_lease(self._lease_file)
            self._programs = reachable_programs(self._data, self._user)
            was_alive = self.is_alive()
            if not was_alive:
                self._launch()
        if self._answers():
            return self._is_prepared()
        if was_alive:  # it was on its way out: its last user was killed while stopping it
            return False
        raise self._did_not_start()

    def _is_prepared(self) -> bool:
        """Make sure of the roles and the database; false when the server died over it."""
        with self._deciding():
            before = postmaster.living(self._cluster)
            try:
                ensure_roles_and_database(self._sockets, self.bin_dir, self._user)
            except EmbeddedServerError:
                after = postmaster.living(self._cluster)
                if before and after and before.pid == after.pid:
                    raise
                return False
        return True

    def _launch(self) -> None:
        programs, user = self.bin_dir, self._user
        ensure_cluster(self._cluster, programs, user)
        sockets = socket_folder(self._data, user)
        private_folder(sockets, user.uid, user.gid, 0o700)
        refuse_if_unreachable(sockets, user)
        private_folder(self._log, user.uid, user.gid, 0o700)
        log.remove_last_week(self._log)
        configuration = self._data / "configuration"
        write_configuration(configuration, self._log, user, self._settings)
        options = command_line(configuration, sockets, PORT)
        self._launch_past_orphans([programs / "postgres", "-D", self._cluster, *options], sockets)

    def _launch_past_orphans(self, command: list[str | Path], sockets: Path) -> None:
        began = time.monotonic()
        while True:
            postmaster.remove_stale_files(self._cluster, sockets)
            pid = postmaster.launch(self._user, command, self._startup_log)
            if postmaster.took_over(pid, self._cluster):
                return
            if self.is_alive():  # launched by a command that was killed before it could tell
                return
            waited_s = time.monotonic() - began
            if waited_s > ORPHANS_WAITED_FOR_S or _HELD_BY_ORPHANS not in self._log_tail():
                raise self._did_not_start()
            if waited_s > ORPHANS_GO_BY_THEMSELVES_S:
                postmaster.end_orphans(self._cluster, self._user)
            time.sleep(0.2)

    def _answers(self) -> bool:
        """Wait while the server lives, through any recovery, until it takes logins; false when it ended."""
        silent_since = time.monotonic()
        while running := postmaster.living(self._cluster):
            answer = self._knock(running.sockets or socket_folder(self._data, self._user))
            if answer == _ACCEPTING:
                return True
            if answer == _REJECTING or running.status != "ready":
                silent_since = time.monotonic()
            elif time.monotonic() - silent_since > SILENCE_LIMIT_S:
                raise EmbeddedServerError(
                    f"PostgreSQL runs as process {running.pid} but does not answer in {running.sockets}; its "
                    "socket may have been deleted: end that process with kill -INT and start again"
                )
            time.sleep(postmaster.POLL_S)
        return False

    def _knock(self, sockets: Path) -> int:
        return self._user.run([self.bin_dir / "pg_isready", "-q", *superuser_login(sockets)]).returncode

    def _shut_down(self) -> None:
        options = ["-D", str(self._cluster), "-m", "fast", "-w", "-t", str(SHUTDOWN_LIMIT_S)]
        result = self._user.run([self.bin_dir / "pg_ctl", "stop", *options])
        if result.returncode != 0 and self.is_alive():
            raise EmbeddedServerError(f"Could not stop the embedded PostgreSQL: {result.stderr.strip()}")

    def _log_tail(self) -> str:
        return log.tail(self._startup_log, self._log)

    def _did_not_start(self) -> EmbeddedServerError:
        return EmbeddedServerError(f"The embedded PostgreSQL did not start. Its log ends:\n{self._log_tail()}")
