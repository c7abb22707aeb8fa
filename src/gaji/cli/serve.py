"""`gaji serve`: the server processes, one embedded worker, and a watch over the embedded database."""

import errno
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from granian.constants import HTTPModes, Interfaces, Loops
from granian.log import LogLevels
from granian.server import Server
from litestar.types import ASGIApp

from gaji.app import create
from gaji.core.gc_tuning import collect_rarely
from gaji.core.law_loader import law
from gaji.core.logs import log
from gaji.core.settings import SettingsError
from gaji.db.installation import Installation

WATCH_EVERY_S = 1.0
PARENT_WATCH_EVERY_S = 0.25
PORT_FREE_WITHIN_S = 3.0
STOP_WITHIN_S = 20


def serve(installation: Installation, host: str, port: int, workers: int, with_worker: bool) -> None:
    """Serve until interrupted. Returns when every process it started has ended."""
    os.environ["GAJI_PARENT"] = str(os.getpid())
    with _watched_database(installation), _embedded_worker(with_worker):
        server = Server(
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
            respawn_failed_workers=True,
            workers_kill_timeout=STOP_WITHIN_S,
        )
        try:
            server.serve()
        except SystemExit:
            # Ctrl-C reaches every process. One that ends before it is told to is no failure then.
            if not server.interrupt_signal:
                raise


def application() -> ASGIApp:
    """What each server process serves."""
    end_with_parent()
    law()  # read once, and before anyone waits for it
    made = create()
    collect_rarely()
    return made


def free_port(host: str, port: int) -> None:
    """Refuse early, and in words, when the port stays taken; the processes of a killed server give it up shortly."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    deadline = time.monotonic() + PORT_FREE_WITHIN_S
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
                    "Is Gaji running already? Another port can be set with --port or GAJI_PORT"
                ) from error
            time.sleep(PARENT_WATCH_EVERY_S)


def end_with_parent() -> None:
    """End this process when the one that started it is gone, also when that was killed with -9."""
    parent = int(os.environ.get("GAJI_PARENT") or 0)
    if parent in (0, os.getpid()):
        return

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(PARENT_WATCH_EVERY_S)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(STOP_WITHIN_S)
        os._exit(1)

    threading.Thread(target=watch, name="parent watch", daemon=True).start()


@contextmanager
def _watched_database(installation: Installation) -> Iterator[None]:
    """Start the embedded database again whenever it dies."""
    server = installation.server
    if server is None:
        yield
        return
    stopping = threading.Event()

    def watch() -> None:
        while not stopping.wait(WATCH_EVERY_S):
            try:
                if server.revive():
                    log("database restarted")
            except Exception as error:
                log("database restart failed", error=str(error))

    thread = threading.Thread(target=watch, name="database watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join()


@contextmanager
def _embedded_worker(wanted: bool) -> Iterator[None]:
    """One worker process beside the server, started again whenever it dies."""
    if not wanted:
        yield
        return
    stopping = threading.Event()
    process = _start_worker()

    def watch() -> None:
        nonlocal process
        while not stopping.wait(WATCH_EVERY_S):
            if process.poll() is not None and not stopping.is_set():
                log("worker restarted", exit_code=process.returncode)
                process = _start_worker()

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
            process.wait(STOP_WITHIN_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _start_worker() -> subprocess.Popen[bytes]:
    # In a session of its own: Ctrl-C is for the server, which then ends the worker.
    return subprocess.Popen([sys.executable, "-m", "gaji.cli.main", "worker"], start_new_session=True)
