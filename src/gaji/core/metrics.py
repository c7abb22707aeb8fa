"""Metrics of all processes of one `gaji serve` or `gaji worker`, in the format of Prometheus.

Each process writes its values to files in one folder, and whichever process answers a scrape adds them up. Without
a folder, recording does nothing.
"""

import os
import socket
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry
    from prometheus_client.metrics_core import Metric

FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable by which child processes find the folder. The library reads it when it is imported."""
REQUEST_BUCKETS_S = (0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
TASK_BUCKETS_S = (0.1, 0.5, 1, 5, 10, 30, 60, 300, 900)
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Instruments:
    """The counters and histograms of a process."""

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

        self.registry = registry = CollectorRegistry()
        self._requests: dict[tuple[str, str, int], Any] = {}
        self._durations: dict[tuple[str, str], Any] = {}
        self._request_counter = Counter(
            "gaji_http_requests", "Requests.", ["method", "route", "status"], registry=registry
        )
        self._request_histogram = Histogram(
            "gaji_http_request_duration_seconds",
            "Time until the response was sent.",
            ["method", "route"],
            buckets=REQUEST_BUCKETS_S,
            registry=registry,
        )
        self.tasks = Histogram(
            "gaji_task_duration_seconds",
            "Duration of background tasks.",
            ["task", "outcome"],
            buckets=TASK_BUCKETS_S,
            registry=registry,
        )
        self.payslips = Counter("gaji_payslips_calculated", "Payslips calculated.", registry=registry)
        self.failed_sign_ins = Counter("gaji_failed_sign_ins", "Sign-in attempts that failed.", registry=registry)
        self.reads = Counter(
            "gaji_reads", "Reads that a replica may serve, by the server that did.", ["target"], registry=registry
        )
        self.mail = Counter(
            "gaji_mail_messages", "Attempts to send mail: sent, retried or failed.", ["outcome"], registry=registry
        )
        self.webhooks = Counter(
            "gaji_webhook_deliveries",
            "Attempts to deliver webhooks: delivered, retried or failed.",
            ["outcome"],
            registry=registry,
        )
        self.disk_full_errors = Counter(
            "gaji_disk_full_errors", "Changes that failed because the disk of the database is full.", registry=registry
        )

        def process_gauge(name: str, description: str) -> Gauge:
            return Gauge(name, description, multiprocess_mode="livesum", registry=registry)

        self.connections = process_gauge("gaji_database_connections_in_use", "Database connections in use.")
        self.max_connections = process_gauge(
            "gaji_database_connections_limit", "Largest number of database connections."
        )
        self.waiting = process_gauge("gaji_database_connections_waiting", "Work that waits for a connection.")

    def add_request(self, method: str, route: str, status: int, duration_s: float) -> None:
        """Count a request. The objects for its labels are cached, because finding them takes longer than counting."""
        counter = self._requests.get((method, route, status))
        if counter is None:
            counter = self._request_counter.labels(method, route, status)
            self._requests[method, route, status] = counter
        histogram = self._durations.get((method, route))
        if histogram is None:
            histogram = self._durations[method, route] = self._request_histogram.labels(method, route)
        counter.inc()
        histogram.observe(duration_s)


_instruments: Instruments | None = None


@contextmanager
def metrics_folder(enabled: bool) -> Iterator[None]:
    """Create the folder for the values of this process and its children, if metrics are enabled."""
    if not enabled:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="gaji-metrics-") as folder:
        os.environ[FOLDER_VARIABLE] = folder
        try:
            yield
        finally:
            del os.environ[FOLDER_VARIABLE]


def enable_if_configured() -> None:
    """Start recording if this process or its parent has a folder for values."""
    global _instruments
    if _instruments is None and FOLDER_VARIABLE in os.environ:
        _instruments = Instruments()


def record_request(method: str, route: str, status: int, duration_s: float) -> None:
    """Count a request by route."""
    if _instruments is not None:
        _instruments.add_request(method, route, status, duration_s)


def record_task(name: str, outcome: str, duration_s: float) -> None:
    """Count a background task that ended."""
    if _instruments is not None:
        _instruments.tasks.labels(name, outcome).observe(duration_s)


def record_payslips(count: int) -> None:
    """Count calculated payslips."""
    if _instruments is not None:
        _instruments.payslips.inc(count)


def record_failed_sign_in() -> None:
    """Count a failed attempt to sign in."""
    if _instruments is not None:
        _instruments.failed_sign_ins.inc()


def record_read(target: str) -> None:
    """Count a read that the replica may serve. The target is `replica` or `primary`."""
    if _instruments is not None:
        _instruments.reads.labels(target).inc()


def record_connections(in_use: int) -> None:
    """Set the number of database connections in use."""
    if _instruments is not None:
        _instruments.connections.set(in_use)


def record_max_connections(limit: int) -> None:
    """Set the number of database connections that may be open."""
    if _instruments is not None:
        _instruments.max_connections.set(limit)


def record_waiting_for_connection(change: int) -> None:
    """Add to the number of those who wait for a database connection."""
    if _instruments is not None:
        _instruments.waiting.inc(change)


def record_full_disk() -> None:
    """Count a change that failed because the disk of the database is full."""
    if _instruments is not None:
        _instruments.disk_full_errors.inc()


def record_mail(outcome: str) -> None:
    """Count an attempt to send a message: `sent`, `retried` or `failed`."""
    if _instruments is not None:
        _instruments.mail.labels(outcome).inc()


def record_webhook(outcome: str) -> None:
    """Count an attempt to deliver a webhook: `delivered`, `retried` or `failed`."""
    if _instruments is not None:
        _instruments.webhooks.labels(outcome).inc()


def render_metrics(others: Sequence["Metric"] = ()) -> bytes:
    """Return the values of all processes, and other metrics that were read just now."""
    from prometheus_client import generate_latest

    return generate_latest(_registry(others))


def serve_metrics(listener: socket.socket) -> None:
    """Serve the values of all processes on a port of their own, in a thread."""
    from wsgiref.simple_server import WSGIRequestHandler

    from prometheus_client import make_wsgi_app
    from prometheus_client.exposition import ThreadingWSGIServer

    class SilentHandler(WSGIRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Log nothing."""

    host, port = listener.getsockname()[:2]
    server = ThreadingWSGIServer((host, port), SilentHandler, bind_and_activate=False)
    server.socket.close()
    server.socket, server.server_name, server.server_port = listener, host, port
    server.setup_environ()
    server.set_app(make_wsgi_app(_registry(())))
    threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()


def _registry(others: Sequence["Metric"]) -> "CollectorRegistry":
    from prometheus_client import CollectorRegistry
    from prometheus_client.multiprocess import MultiProcessCollector

    class ReadJustNow:
        """The other metrics and the memory of each process, as a collector."""

        def collect(self) -> Iterator["Metric"]:
            yield from others
            yield _memory()

    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    registry.register(ReadJustNow())
    return registry


def _memory() -> "Metric":
    """Return the memory of the processes that have written values. Gauges of processes that have ended are dropped."""
    from prometheus_client.core import GaugeMetricFamily
    from prometheus_client.multiprocess import mark_process_dead

    family = GaugeMetricFamily("gaji_process_memory_bytes", "Resident memory.", labels=["pid"])
    folder = Path(os.environ[FOLDER_VARIABLE])
    for pid in sorted({file.stem.rpartition("_")[2] for file in folder.glob("*.db")}):
        memory = _resident_bytes(pid)
        if memory is None:
            mark_process_dead(int(pid))  # type: ignore[no-untyped-call]
        else:
            family.add_metric([pid], memory)
    return family


def _resident_bytes(pid: str) -> int | None:
    """Return the resident memory of a process, or None if it has ended."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    except OSError:
        return None
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
