"""Metrics of a worker: in those of the server that started it, or on a port of its own."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from gaji.core.metrics import FOLDER_VARIABLE, enable_if_configured, metrics_folder, serve_metrics
from gaji.core.settings import Settings, SettingsError


def open_metrics_port(settings: Settings) -> socket.socket | None:
    """Open the port for the metrics of a worker that was started separately, if it has one. Raises SettingsError.

    A worker of root opens it before it gives up the rights of root, because ports below 1024 need them.
    """
    port = settings.metrics_port
    if port is None or FOLDER_VARIABLE in os.environ:
        return None
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, port), family=family)
    except OSError as error:
        raise SettingsError(f"cannot serve metrics on port {port}: {error.strerror}") from error


@contextmanager
def serve_worker_metrics(listener: socket.socket | None) -> Iterator[None]:
    """Record metrics, and serve them if there is a port for them."""
    with metrics_folder(listener is not None):
        enable_if_configured()
        if listener is not None:
            serve_metrics(listener)
        yield
