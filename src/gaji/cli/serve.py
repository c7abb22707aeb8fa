"""`gaji serve`: the server processes, an embedded worker, and supervision of the embedded database."""

import asyncio
import errno
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from granian._granian import ListenerSpec, SocketHolder
from granian.constants import HTTPModes, Interfaces, Loops
from granian.log import LogLevels
from granian.server.mp import MPServer, WorkerProcess

from gaji.app import create
from gaji.cli.parent import PARENT_VARIABLE, STOP_TIMEOUT_S, end_with_parent
from gaji.cli.run_as import certificate_descriptors, is_privileged
from gaji.core.forks import postponed_forks
from gaji.core.gc_tuning import tune_gc
from gaji.core.law_loader import current_law
from gaji.core.logs import LogLevel, log
from gaji.core.metrics import metrics_folder
from gaji.core.settings import SettingsError
from gaji.core.system_rights import is_root
from gaji.db.installation import Installation
from gaji.web.asgi import ASGIApp

WATCH_INTERVAL_S = 1.0
PORT_POLL_S = 0.25
BACKLOG = 1024
PORT_TIMEOUT_S = 3.0
STABLE_S = 60.0
"""A server process that dies after this time is replaced at once."""
MIN_RESTART_DELAY_S = 0.25
MAX_RESTART_DELAY_S = 10.0
SWITCH_INTERVAL_S = 0.0005
"""How long a thread, such as one that builds a report, may run before the event loop gets its turn. Requests give way
to threads several times each, so the default of 5 ms would multiply their latency."""


class GajiServer(MPServer):
    """Granian's server, with a port and a certificate that root may have opened, and without its limit on crashes.

    Granian ends when a process dies twice within a few seconds, so two requests that crash it would end the service.
    """

    ssl_ctx: tuple[Any, ...]
    wrks: list[WorkerProcess]
    _sso: socket.socket | None
    listener: SocketHolder | None = None
    """The socket that all server processes share. Without it, each opens its own."""

    def build_ssl_context(self, cert: Path | None, key: Path | None, *others: Any) -> None:
        """Use the files by the given names. They have been checked, and those in memory cannot be resolved."""
        super().build_ssl_context(None, None, *others)
        if cert is not None and key is not None:
            self.ssl_ctx = (True, str(cert), str(key), *self.ssl_ctx[3:])

    def _init_shared_socket(self) -> None:
        if self.listener is None:
            super()._init_shared_socket()  # type: ignore[no-untyped-call]
        else:
            self._shd, self._sso = self.listener, None  # type: ignore[assignment]

    def _serve_loop(self, spawn_target: Any, target_loader: Any) -> None:
        """Replace server processes that die, until a signal ends the server or asks it to replace all of them.

        If one of the first processes fails within a minute, the server ends with an error, because it cannot serve.
        Processes that replace others, one by one or all of them, are not the first ones.
        """
        has_reloaded = False
        delays: dict[int, float] = {}
        due: dict[int, float] = {}
        started_at = time.monotonic()
        while True:
            self.main_loop_interrupt.wait(max(0.0, min(due.values()) - time.monotonic()) if due else None)
            self.main_loop_interrupt.clear()  # before its reasons are read, so that none is missed
            if self.interrupt_signal:
                return
            if self.reload_signal:
                has_reloaded = True
                due.clear()
                self.interrupt_children.clear()
                self._reload(spawn_target, target_loader)  # type: ignore[no-untyped-call]
            while self.interrupt_children:
                index = self.interrupt_children[0]
                now = time.monotonic()
                is_first = index not in delays and not has_reloaded
                if is_first and has_failed(self.wrks[index].inner.exitcode) and now - started_at < STABLE_S:
                    return
                self.interrupt_children.pop(0)
                delays[index] = restart_delay_s(delays.get(index, 0.0), now - self.wrks[index].birth)
                due[index] = now + delays[index]
                log(LogLevel.ERROR, "server process ended", restart_after_s=delays[index])
            for index in [index for index, moment in due.items() if moment <= time.monotonic()]:
                del due[index]
                self._respawn_workers([index], spawn_target, target_loader)


def has_failed(exit_code: int | None) -> bool:
    """Return whether a process exited with an error. One that a signal killed has a negative code.

    >>> has_failed(1), has_failed(-9), has_failed(0)
    (True, False, False)
    """
    return exit_code is not None and exit_code > 0


def restart_delay_s(last_delay_s: float, lifetime_s: float) -> float:
    """Return how long to wait before a process that has died is replaced.

    >>> restart_delay_s(0.0, 3600.0), restart_delay_s(0.0, 1.0), restart_delay_s(0.5, 1.0), restart_delay_s(8.0, 1.0)
    (0.0, 0.25, 1.0, 10.0)
    """
    if lifetime_s >= STABLE_S:
        return 0.0
    return min(MAX_RESTART_DELAY_S, max(MIN_RESTART_DELAY_S, last_delay_s * 2))


def open_listener(host: str, port: int) -> SocketHolder | None:
    """Open a port that only root can open. Return None for others, which the server processes open themselves."""
    return ListenerSpec(host, port, BACKLOG).build() if is_root() and is_privileged(port) else None


def serve(
    installation: Installation,
    host: str,
    port: int,
    workers: int,
    with_worker: bool,
    listener: SocketHolder | None,
) -> None:
    """Serve until interrupted. Returns when all its processes have ended."""
    # The server processes read their settings, and the address in the OpenAPI document, from the environment.
    settings = installation.settings
    os.environ |= {PARENT_VARIABLE: str(os.getpid()), "GAJI_HOST": host, "GAJI_PORT": str(port)}
    with (
        metrics_folder(settings.metrics_token is not None),
        _watched_database(installation),
        _embedded_worker(with_worker, certificate_descriptors(settings)),
    ):
        server = GajiServer(
            "gaji.cli.serve:application",
            address=host,
            port=port,
            interface=Interfaces.ASGI,
            http=HTTPModes.auto,
            loop=Loops.uvloop,
            factory=True,
            workers=workers,
            websockets=False,
            log_access=False,
            log_level=LogLevels.warning,
            workers_kill_timeout=STOP_TIMEOUT_S,
            ssl_cert=settings.tls_cert,
            ssl_key=settings.tls_key,
        )
        server.listener = listener
        try:
            server.serve()
        except SystemExit:
            # Ctrl-C reaches every process. After an interrupt, a process that ends early is not a failure.
            if not server.interrupt_signal:
                raise


def application() -> ASGIApp:
    """Return the application of a server process."""
    # The process inherits the main process's handler, which would ignore the signal until the server sets its own.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    end_with_parent(asyncio.get_event_loop())
    current_law()  # load it before the first request
    app = create()
    tune_gc()
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    return app


def require_free_port(host: str, port: int) -> None:
    """Raise SettingsError if the port is in use. Waits a moment, in case a killed server is about to release it."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    deadline = time.monotonic() + PORT_TIMEOUT_S
    while True:
        try:
            with socket.socket(family, socket.SOCK_STREAM) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((host, port))
                return
        except OSError as error:
            if error.errno != errno.EADDRINUSE or time.monotonic() > deadline:
                raise SettingsError(
                    f"cannot listen on {host} port {port}: {error.strerror}. "
                    "Is Gaji already running? Choose another port with --port or GAJI_PORT"
                ) from error
            time.sleep(PORT_POLL_S)


@contextmanager
def _watched_database(installation: Installation) -> Iterator[None]:
    """Restart the embedded database whenever it dies."""
    server = installation.server
    if server is None:
        yield
        return
    stopping = threading.Event()

    def watch() -> None:
        while not stopping.wait(WATCH_INTERVAL_S):
            try:
                if server.restart_if_dead():
                    log(LogLevel.WARNING, "database restarted")
            except Exception as error:
                log(LogLevel.ERROR, "database restart failed", error=str(error))

    thread = threading.Thread(target=watch, name="database watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join()


@contextmanager
def _embedded_worker(enabled: bool, descriptors: Sequence[int]) -> Iterator[None]:
    """Run a worker process, and restart it whenever it dies."""
    if not enabled:
        yield
        return
    stopping = threading.Event()
    process = _start_worker(descriptors)

    def watch() -> None:
        nonlocal process
        while not stopping.wait(WATCH_INTERVAL_S):
            if process.poll() is not None and not stopping.is_set():
                log(LogLevel.WARNING, "worker restarted", exit_code=process.returncode)
                process = _start_worker(descriptors)

    thread = threading.Thread(target=watch, name="worker watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join()
        with suppress(ProcessLookupError):
            process.terminate()
        try:
            process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _start_worker(descriptors: Sequence[int]) -> subprocess.Popen[bytes]:
    # In its own session: Ctrl-C reaches only the server, which then ends the worker.
    command = [sys.executable, "-m", "gaji.cli.main", "worker"]
    with postponed_forks():
        return subprocess.Popen(command, start_new_session=True, pass_fds=descriptors)
